// What test mode adds above the fields: one line that opens a list of cards to click.

import { button, element } from '../shared/element.ts'
import { testCards } from '../shared/test-cards.ts'
import { say, type Words } from '../shared/words.ts'

type Cards = {
  /** Whether the list is open from the start. In a small window it would push the Pay button out of sight. */
  open: boolean
  fill(number: string): void
}

export function drawTestCards(words: Words, { open, fill }: Cards): HTMLElement {
  const buttons = testCards.map((card) => {
    const made = button({}, say(words, card.words), () => fill(card.number))
    made.append(element('bdi', {}, card.number.replace(/\d{4}(?=\d)/g, '$& ')))
    return made
  })
  const title = element('b', {}, say(words, 'test_mode'))
  return element(
    'details',
    { class: 'test', open: open ? '' : null },
    element('summary', {}, title, say(words, 'test_mode_hint')),
    element('div', {}, ...buttons),
  )
}
