// The merchant's links on pages without a checkout (a checkout has its own), and the arrow back to the shop.

import { drawing, element } from '../shared/element.ts'
import { say } from '../shared/words.ts'
import type { Context } from './context.ts'

/** Null if the merchant has none. */
export function linksLine({ config, words }: Context): HTMLElement | null {
  const links = Object.entries(config.links).flatMap(([name, href]) =>
    href ? [element('a', { href }, say(words, name))] : [],
  )
  return links.length > 0 ? element('p', { class: 'links' }, ...links) : null
}

export function backArrow({ config, words }: Context): HTMLElement | null {
  const href = config.links.back_url
  if (!href) return null
  const arrow = drawing('0 0 20 20', [['path', { d: 'M12 4l-6 6 6 6' }]])
  return element('a', { class: 'arrow', href, 'aria-label': say(words, 'back_url') }, arrow)
}
