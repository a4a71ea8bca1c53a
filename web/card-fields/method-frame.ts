// The bank's 3-D Secure method, in a frame that nobody sees; nothing waits for it.

import { element } from '../shared/element.ts'

/** Opens an address of our own in place of the one before it. */
export function methodFrame(): (url: string) => void {
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
