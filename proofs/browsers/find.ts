// What a person looks for on a page, and the script that finds it: by what it is and what it says, shadow roots included.

export type Kind = 'button' | 'link' | 'field' | 'frame' | 'text'

/** Keys as both ways to drive a browser spell them. */
export const enter = '\ue007'
export const control = '\ue009'

/** `name` is how its name begins; one that is the same comes first. */
export type Target = { kind: Kind; name: string; frames?: string[] }

export const button = (name: string): Target => ({ kind: 'button', name })
export const link = (name: string): Target => ({ kind: 'link', name })
export const field = (name: string): Target => ({ kind: 'field', name })
export const words = (name: string): Target => ({ kind: 'text', name })

/** The same in a frame of this title, in a frame of the next one and so on. */
export function within(frames: string[], target: Target): Target {
  return { ...target, frames }
}

/** A function's source, in the page: (kind, name) → element, or null. A text's element is the innermost that has it. */
export const find_source = `function find(kind, name) {
  const selectors = {
    button: 'button, [role=button], [role=menuitem], [role=switch], summary',
    link: 'a[href]',
    field: 'input, textarea, select',
    frame: 'iframe',
    text: ':not(html, head, head *, style, script)',
  }
  const all = (root) => [
    ...root.querySelectorAll(selectors[kind]),
    ...[...root.querySelectorAll('*')].flatMap((each) => (each.shadowRoot ? all(each.shadowRoot) : [])),
  ]
  const plain = (text) => (text || '').replace(/\\s+/g, ' ').trim()
  const nameOf = (each) => {
    if (kind === 'frame') return plain(each.title)
    if (kind === 'text') return plain(each.innerText)
    const said = each.getAttribute('aria-label')
    if (said) return plain(said)
    return plain(kind === 'field' ? [...(each.labels || [])].map((label) => label.innerText).join(' ') : each.innerText)
  }
  const isSeen = (each) => each.checkVisibility({ visibilityProperty: true })
  const found = all(document).filter(isSeen)
  if (kind === 'text') return found.filter((each) => nameOf(each).includes(name)).at(-1) || null
  return found.find((each) => nameOf(each) === name) || found.find((each) => nameOf(each).startsWith(name)) || null
}`
