// What test mode says on top of the form, with cards to click.

import { type Desk, text } from '../checkout/desk.ts'
import { button, element } from '../shared/element.ts'
import { testCards } from '../shared/test-cards.ts'

export function drawTestCards(desk: Desk): void {
  const buttons = testCards.map(({ words, number }) => {
    const fill = () => desk.frame.send({ type: 'fill', number })
    const made = button({}, text(desk, words), fill)
    made.append(element('bdi', {}, number.replace(/\d{4}(?=\d)/g, '$& ')))
    return made
  })
  const summary = element('summary', {}, text(desk, 'test_mode_hint'))
  const cards = element('details', { open: '' }, summary, ...buttons)
  desk.ui.root.prepend(element('div', { class: 'test' }, text(desk, 'test_mode'), cards))
}
