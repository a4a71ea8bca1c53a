// The logic of the card fields: what happens when the shopper types or leaves a field, and when the checkout sends a message.

import type { Field, FromFrame, ToFrame } from '../shared/protocol.ts'
import type { Words } from '../shared/words.ts'
import { type CardInputs, cardInputs } from './card-inputs.ts'
import { exchange } from './exchange.ts'
import { type Fields, fieldNames } from './fields.ts'
import { type Judge, judge } from './judge.ts'
import type { CardReferences } from './references.ts'
import { drawTestCards } from './test-cards.ts'

type World = {
  words: Words
  /** The brands that are accepted here. */
  brands: readonly string[]
  references: CardReferences
  send(message: FromFrame): void
  now(): Date
}

export function cardForm(fields: Fields, { words, brands, references, send, now }: World) {
  const verdicts = judge(fields, { brands, now })
  const card = cardInputs(fields, (field) => {
    verdicts.typed(field)
    tell()
  })
  const exchanged = exchange({ fields, card, judge: verdicts, references })
  let locked = false
  let told = ''
  let testCards: HTMLElement | undefined

  /** Reports the state of the fields, if it has changed. */
  function tell() {
    const message = changeOf(card, verdicts)
    const text = JSON.stringify(message)
    if (text !== told) send(message)
    told = text
  }

  function left(field: Field, frame_left: boolean) {
    card.tidy(field)
    verdicts.left(field)
    send({ type: 'blur', field })
    tell()
    if (field !== 'name' || frame_left) early()
  }

  function early() {
    exchanged.early().then(tell)
  }

  followFocus(fields, {
    entered: (field) => send({ type: 'focus', field }),
    left,
  })
  fields.form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (!locked) send({ type: 'enter' })
  })

  function fill(number: string) {
    if (references.session()?.mode !== 'test' || locked) return
    card.fill(number, now())
    early()
  }

  function showTestCards(open: boolean) {
    if (references.session()?.mode !== 'test' || testCards) return
    testCards = drawTestCards(words, { open, fill })
    fields.form.before(testCards)
  }

  function receive(message: Exclude<ToFrame, { type: 'appearance' }>) {
    switch (message.type) {
      case 'session':
        return references.open(message)
      case 'test_cards':
        return showTestCards(message.open)
      case 'fill':
        return fill(message.number)
      case 'submit':
        exchanged.submit().then((submitted) => {
          tell()
          send({ type: 'submitted', id: message.id, ...submitted })
        })
        return
      case 'focus':
        return fields.inputs[message.field].focus()
      case 'clear_code':
        references.drop()
        verdicts.forgive('code')
        return card.clearCode()
      case 'lock':
        locked = message.locked
        return fields.lock(locked)
    }
  }

  return {
    receive,
    /** Messages arrive from now on. A browser may have filled the fields before. */
    connected() {
      told = ''
      tell()
    },
  }
}

function followFocus(
  { inputs }: Fields,
  told: { entered(field: Field): void; left(field: Field, frame_left: boolean): void },
) {
  for (const field of fieldNames) {
    inputs[field].addEventListener('focus', () => told.entered(field))
    inputs[field].addEventListener('blur', ({ relatedTarget }) => told.left(field, relatedTarget === null))
  }
}

function changeOf(card: CardInputs, verdicts: Judge): FromFrame {
  return {
    type: 'change',
    brand: card.brand(),
    complete: verdicts.faults().length === 0,
    empty: card.isEmpty(),
    faults: verdicts.shown(),
  }
}
