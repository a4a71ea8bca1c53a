// A message instead of the checkout: what went wrong, in plain words, and what the shopper can do.

import { button, element } from '../shared/element.ts'
import { say, type Words } from '../shared/words.ts'
import type { LinkFault } from './link.ts'
import { explain } from './refusals.ts'
import type { ApiRefusal } from './requests.ts'

export function linkNotice(words: Words, fault: LinkFault): HTMLElement {
  return notice(say(words, 'link_broken'), say(words, fault), say(words, 'link_ask'))
}

/** `tryAgain` is given if another try can help. */
export function refusalNotice(words: Words, refusal: ApiRefusal, tryAgain: () => void): HTMLElement {
  const { words: key, try_again, detail } = explain(refusal)
  const link = key.startsWith('link_')
  const made = notice(say(words, link ? 'link_broken' : 'unavailable'), say(words, key))
  // The service's own sentences are in English only.
  if (detail) made.append(element('p', { lang: 'en', dir: 'ltr' }, detail))
  if (link) made.append(element('p', {}, say(words, 'link_ask')))
  if (try_again) made.append(button({ class: 'primary' }, say(words, 'try_again'), tryAgain))
  if (refusal.request_id) {
    const reference = say(words, 'support_reference', { id: refusal.request_id })
    made.append(element('p', { class: 'reference' }, reference))
  }
  return made
}

export function notice(heading: string, ...lines: string[]): HTMLElement {
  return element(
    'div',
    { class: 'notice', role: 'alert' },
    element('h2', {}, heading),
    ...lines.map((line) => element('p', {}, line)),
  )
}
