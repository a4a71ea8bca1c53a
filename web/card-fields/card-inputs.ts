// Reads the card from the inputs. It is kept nowhere else.

import type { Field } from '../shared/protocol.ts'
import { ruleOf } from './brands.ts'
import { formatNumber } from './card-number.ts'
import { codeLengths, formatCode, isOfAnotherCard } from './code.ts'
import { digitsOf } from './digits.ts'
import { formatExpiry, readExpiry } from './expiry.ts'
import { type Fields, fieldNames } from './fields.ts'
import { nameOf } from './name.ts'
import type { Card, CardEntry } from './references.ts'
import { followTyping } from './typing.ts'

export type CardInputs = ReturnType<typeof cardInputs>

/** `changed` is called for each field that the shopper, the browser or the checkout changed. */
export function cardInputs(fields: Fields, changed: (field: Field) => void) {
  const { inputs } = fields
  let edition = 0
  const heeded = { number: '', expiry: '', code: '', name: '' }
  let shown_brand: string | null | undefined

  const lengths = () => codeLengths(inputs.number.value)
  const brand = () => ruleOf(digitsOf(inputs.number.value))?.brand ?? null

  function touched(field: Field) {
    edition++
    if (field === 'number') followBrand()
    for (const each of fieldNames) heeded[each] = inputs[each].value
    changed(field)
  }

  function followBrand() {
    if (brand() === shown_brand) return
    shown_brand = brand()
    fields.showBrand(shown_brand)
    fields.showCodeLength(lengths().shortest)
    if (isOfAnotherCard(inputs.code.value, lengths())) inputs.code.value = ''
  }

  /** Some browsers and password managers fill a field in without an `input` event, and some without any. */
  function heedFilled() {
    for (const field of fieldNames) if (inputs[field].value !== heeded[field]) touched(field)
  }

  followBrand()
  for (const field of fieldNames) inputs[field].addEventListener('change', heedFilled)
  followTyping(inputs.number, formatNumber, () => touched('number'))
  followTyping(inputs.expiry, formatExpiry, () => touched('expiry'))
  followTyping(
    inputs.code,
    (typed) => formatCode(typed, lengths()),
    () => touched('code'),
  )
  followTyping(inputs.name, null, () => touched('name'))

  return {
    brand,
    /** Grows by one with every change. */
    edition: () => edition,
    isEmpty: () => fieldNames.every((field) => inputs[field].value === ''),

    heedFilled,

    /** To be called only if no field has a fault. */
    typedCard(): CardEntry {
      return { edition, card: cardIn(inputs) }
    },

    /** Formats an expiry again when the shopper leaves its field after a deletion. */
    tidy(field: Field) {
      const { value } = inputs.expiry
      if (field !== 'expiry' || value !== heeded.expiry) return
      inputs.expiry.value = formatExpiry({ value, caret: 0 }).value
      heeded.expiry = inputs.expiry.value
    },

    fill(number: string, now: Date) {
      inputs.number.value = formatNumber({ value: number, caret: 0 }).value
      inputs.expiry.value = `12 / ${String(now.getUTCFullYear() + 3).slice(-2)}`
      inputs.code.value = '1234'.slice(0, lengths().shortest)
      inputs.name.value = 'Test Shopper'
      for (const field of fieldNames) touched(field)
    },

    clearCode() {
      inputs.code.value = ''
      touched('code')
    },
  }
}

function cardIn({ number, expiry, code, name }: Fields['inputs']): Card {
  const cardholder_name = nameOf(name.value)
  return {
    number: digitsOf(number.value),
    ...readExpiry(expiry.value)!,
    cvc: digitsOf(code.value),
    ...(cardholder_name === null ? {} : { cardholder_name }),
  }
}
