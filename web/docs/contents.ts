// The side list: a button opens it on small screens, and it marks the reader's place.

const nav = document.querySelector('nav')!

/** Without this script the list is above the text. */
export function openContents(): void {
  const button = document.getElementById('menu') as HTMLButtonElement
  document.documentElement.classList.add('scripted')
  button.hidden = false
  const turn = (is_open: boolean) => {
    nav.classList.toggle('open', is_open)
    button.setAttribute('aria-expanded', `${is_open}`)
  }
  button.addEventListener('click', () => turn(!nav.classList.contains('open')))
  nav.addEventListener('click', (event) => {
    if ((event.target as Element).closest('a')) turn(false)
  })
}

/** Marks the section in view, and scrolls its line into view. */
export function followReader(): void {
  nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  const lines = new Map<string, Element>()
  for (const link of nav.querySelectorAll('a')) {
    if (link.hash && link.pathname === location.pathname) lines.set(link.hash.slice(1), link)
  }
  if (lines.size === 0) return
  let here: Element | undefined
  const watcher = new IntersectionObserver(
    (entries) => {
      const seen = entries.find(({ isIntersecting }) => isIntersecting)
      const line = seen && lines.get(seen.target.id)
      if (!line || line === here) return
      here?.removeAttribute('aria-current')
      here = line
      line.setAttribute('aria-current', 'location')
      const { top, bottom } = line.getBoundingClientRect()
      if (top < 80 || bottom > innerHeight) line.scrollIntoView({ block: 'nearest' })
    },
    { rootMargin: '-20% 0px -70% 0px' },
  )
  for (const id of lines.keys()) {
    const section = document.getElementById(id)
    if (section) watcher.observe(section)
  }
}

/** Beside the text the page's own contents stay open; above it they would push it away. */
export function foldContents(): void {
  const contents = document.querySelector<HTMLDetailsElement>('details.contents')
  if (!contents) return
  const beside = matchMedia('(width >= 84rem)')
  const fold = () => {
    contents.open = beside.matches
  }
  beside.addEventListener('change', fold)
  fold()
}
