// A card as a shopper typed it: which cards are accepted, and what each refusal says without repeating a digit.

import type { Brand, Mode } from '../kernel/values.ts'
import { looksLikeCardNumber } from './card-data.ts'
import { luhn } from './luhn.ts'
import { testCardOf } from './test-cards.ts'

export type CardInput = {
  number: string
  exp_month: number
  exp_year: number
  cvc: string
  cardholder_name?: string | null
}

export type Card = {
  brand: Brand
  number: string
  last4: string
  bin6: string
  exp_month: number
  exp_year: number
  cvc: string
  cardholder_name: string | null
}

export class CardError extends Error {
  readonly field: keyof CardInput
  constructor(field: keyof CardInput, message: string) {
    super(message)
    this.field = field
  }
}

/**
 * How many years ahead an expiry may lie. No vendor has such a limit, but it reports a typing error at once, where the
 * bank would decline later.
 */
const years_ahead = 20
const name_length_max = 45

// The rules of npm's `credit-card-type` 10.1.2, compared in 2026-11.
const brandRules: { brand: Brand; prefix: RegExp; lengths: number[]; cvc_length: number }[] = [
  { brand: 'visa', prefix: /^4/, lengths: [16, 18, 19], cvc_length: 3 },
  {
    brand: 'mastercard',
    prefix: /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
    lengths: [16],
    cvc_length: 3,
  },
  { brand: 'amex', prefix: /^3[47]/, lengths: [15], cvc_length: 4 },
]

/** The session in which a card is typed. */
type CardContext = {
  mode: Mode
  /** The numbers that a test session takes beside the test cards. Left out, there are none. */
  sandbox_numbers?: readonly string[]
  now: Date
}

/** Throws a CardError for the first field that cannot be accepted, in the order in which a form shows them. */
export function readCard(input: CardInput, { mode, sandbox_numbers, now }: CardContext): Card {
  const { number, brand, cvc_length } = readNumber(input.number, { mode, sandbox_numbers })
  checkExpiry(input, now)
  checkSecurityCode(input.cvc, cvc_length)
  return {
    brand,
    number,
    last4: number.slice(-4),
    bin6: number.slice(0, 6),
    exp_month: input.exp_month,
    exp_year: input.exp_year,
    cvc: input.cvc,
    cardholder_name: readName(input.cardholder_name ?? null),
  }
}

function readNumber(
  text: string,
  { mode, sandbox_numbers = [] }: Omit<CardContext, 'now'>,
): { number: string; brand: Brand; cvc_length: number } {
  const number = text.replace(/[\s\p{Pd}]/gu, '')
  if (number === '') throw new CardError('number', 'Enter a card number.')
  if (!/^[0-9]+$/.test(number)) {
    throw new CardError('number', 'A card number has digits, spaces and hyphens only.')
  }
  if (number.length < 12 || number.length > 19) {
    throw new CardError('number', 'A card number has 12 to 19 digits. Check that it is complete.')
  }
  if (!luhn(number)) {
    throw new CardError('number', 'This is not a valid card number. Check its digits.')
  }
  const rule = brandRules.find(({ prefix, lengths }) => prefix.test(number) && lengths.includes(number.length))
  if (!rule) {
    throw new CardError('number', 'This card is not taken here. Use Visa, Mastercard or Amex.')
  }
  const is_test_card = testCardOf(number) !== null
  if (mode === 'test' && !is_test_card && !sandbox_numbers.includes(number)) {
    throw new CardError('number', 'Test mode takes test card numbers only, never a real card.')
  }
  if (mode === 'live' && is_test_card) {
    throw new CardError('number', 'This is a test card number. Use a real card.')
  }
  return { number, brand: rule.brand, cvc_length: rule.cvc_length }
}

/** How long a month that has ended in UTC goes on elsewhere. */
const month_goes_on_ms = 12 * 3_600_000

// A card is valid until its month has ended everywhere: the bank judges by its own clock, and has a decline for it.
function checkExpiry({ exp_month, exp_year }: CardInput, now: Date): void {
  if (!Number.isInteger(exp_month) || exp_month < 1 || exp_month > 12) {
    throw new CardError('exp_month', 'The expiry month is a number from 1 to 12.')
  }
  if (!Number.isInteger(exp_year) || exp_year < 1000 || exp_year > 9999) {
    throw new CardError('exp_year', 'The expiry year is a number of four digits.')
  }
  const last_place = new Date(now.getTime() - month_goes_on_ms)
  const year_there = last_place.getUTCFullYear()
  if (exp_year < year_there) throw new CardError('exp_year', 'This card has expired.')
  if (exp_year === year_there && exp_month <= last_place.getUTCMonth()) {
    throw new CardError('exp_month', 'This card has expired.')
  }
  if (exp_year > now.getUTCFullYear() + years_ahead) {
    throw new CardError('exp_year', 'The expiry year is too far ahead. Check it.')
  }
}

function checkSecurityCode(cvc: string, length: number): void {
  if (/^[0-9]+$/.test(cvc) && cvc.length === length) return
  throw new CardError('cvc', `The security code of this card has ${length} digits.`)
}

// A number typed into the name field must not be kept as a name.
function readName(text: string | null): string | null {
  if (text === null) return null
  const name = text.trim()
  const length = [...name].length
  if (length < 1 || length > name_length_max) {
    throw new CardError('cardholder_name', 'The name on the card has 1 to 45 characters.')
  }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)) {
    throw new CardError('cardholder_name', 'The name on the card has no control characters.')
  }
  if (/^[\p{Nd}\s\p{Pd}]*$/u.test(name) || looksLikeCardNumber(name)) {
    throw new CardError('cardholder_name', 'Enter the name on the card, not a number.')
  }
  return name
}
