// Runs the bank's 3DS Method in an invisible frame. Nothing waits for it.

import { element } from '../shared/element.ts'

/** Opens one of our addresses instead of the one before it; nothing in an isolated page, which takes no bank's page. */
export function methodFrame(): (url: string) => void {
  if (/\bisolated=/.test(location.search)) return () => {}
  let frame: HTMLIFrameElement | null = null
  return (url) => {
    if (new URL(url, location.href).origin !== location.origin) return
    frame?.remove()
    frame = element('iframe', {
      src: url,
      title: '3-D Secure',
      hidden: '',
      'aria-hidden': 'true',
      tabindex: '-1',
    })
    document.body.append(frame)
  }
}
