// The search field: a list below it, by mouse or keyboard.

import { find, type SearchEntry } from './find.ts'

/** Loaded once, when somebody begins to search. */
let index: Promise<SearchEntry[]> | null = null

function loadIndex(): Promise<SearchEntry[]> {
  index ??= fetch('/docs/search.json').then((answer) => answer.json())
  index.catch(() => {
    index = null
  })
  return index
}

export function search(): void {
  const field = document.getElementById('search') as HTMLInputElement
  const list = document.getElementById('found')!
  field.parentElement!.hidden = false
  let chosen = -1

  const choose = (to: number) => {
    const lines = [...list.children]
    chosen = lines.length === 0 ? -1 : (to + lines.length) % lines.length
    for (const [at, line] of lines.entries()) line.setAttribute('aria-selected', `${at === chosen}`)
    const line = lines[chosen]
    line?.scrollIntoView({ block: 'nearest' })
    if (line) field.setAttribute('aria-activedescendant', line.id)
    else field.removeAttribute('aria-activedescendant')
  }
  const show = async () => {
    const loaded = await loadIndex().catch(() => null)
    const entries = loaded ? find(loaded, field.value) : []
    list.replaceChildren(...entries.map(lineOf))
    const is_asked = field.value.trim() !== ''
    if (is_asked && entries.length === 0) list.append(nothing(loaded !== null))
    list.hidden = !is_asked
    field.setAttribute('aria-expanded', `${is_asked}`)
    choose(0)
  }
  const close = () => {
    list.hidden = true
    field.setAttribute('aria-expanded', 'false')
  }

  field.addEventListener('input', () => void show())
  field.addEventListener('focus', () => {
    void loadIndex().catch(() => {})
    if (field.value) void show()
  })
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1)
    else if (event.key === 'ArrowUp') choose(chosen - 1)
    else if (event.key === 'Enter') list.children[chosen]?.querySelector('a')?.click()
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  })
  list.addEventListener('click', close)
  document.addEventListener('pointerdown', (event) => {
    if (!field.parentElement!.contains(event.target as Node)) close()
  })
  document.addEventListener('keydown', (event) => {
    const is_typing = (event.target as Element).matches('input, textarea')
    if (event.key !== '/' || is_typing || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field.focus()
  })
}

function lineOf({ title, href, place }: SearchEntry, at: number): HTMLElement {
  const line = document.createElement('li')
  const link = document.createElement('a')
  const where = document.createElement('small')
  line.id = `found-${at}`
  line.setAttribute('role', 'option')
  link.href = href
  link.tabIndex = -1
  where.textContent = place
  link.append(title, where)
  line.append(link)
  return line
}

function nothing(is_loaded: boolean): HTMLElement {
  const line = document.createElement('li')
  line.setAttribute('role', 'option')
  line.setAttribute('aria-disabled', 'true')
  line.textContent = is_loaded ? 'Nothing found.' : 'The search could not be loaded. Try again.'
  return line
}
