// Test mode's cards to click.

import { button, element } from '../shared/element.ts'
import { testCards } from '../shared/test-cards.ts'
import { say, type Words } from '../shared/words.ts'

/** `fill` gets the number of the card that was chosen. */
export function drawTestCards(words: Words, fill: (number: string) => void): HTMLElement {
  const buttons = testCards.map((card) => {
    const made = button({}, say(words, card.words), () => fill(card.number))
    made.append(element('bdi', {}, card.number.replace(/\d{4}(?=\d)/g, '$& ')))
    return made
  })
  const summary = element('summary', {}, say(words, 'test_mode_hint'))
  return element('details', { open: '' }, summary, ...buttons)
}
