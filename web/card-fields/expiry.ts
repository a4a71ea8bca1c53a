// The expiry date: shown as `MM / YY`, and read in every form that people and browsers write.

import type { FaultCode } from '../shared/protocol.ts'
import { digitsOf, type FieldInput, placeBehind, withPlainDigits } from './digits.ts'

export type Expiry = { exp_month: number; exp_year: number }

/** How many years from now a card may expire. */
const years_ahead = 19
const between = ' / '

/**
 * `1` waits, `2` becomes `02 / `, `1/30` becomes `01 / 30`. A deletion adds nothing: `12 / 30` without its 1 is `2 / 30`, so that
 * the shopper can type another month.
 */
export function formatExpiry({ value, caret }: FieldInput, deleting = false): FieldInput {
  const { month, year, padded, turned } = partsOf(value, deleting)
  const open = month.length === 2 && !deleting
  const formatted = year || open ? month + between + year : month
  if (turned) return { value: formatted, caret: formatted.length }
  const digits = digitsOf(value.slice(0, caret)).length
  const behind = digits > 0 && padded ? digits + 1 : digits
  const at_gap = open && behind === month.length
  return {
    value: formatted,
    caret: at_gap ? (month + between).length : placeBehind(formatted, behind),
  }
}

/** Null if it is not a month and a year. */
export function readExpiry(value: string): Expiry | null {
  const { month, year } = partsOf(value, false)
  if (month.length !== 2 || (year.length !== 2 && year.length !== 4)) return null
  const exp_month = Number(month)
  if (exp_month < 1 || exp_month > 12) return null
  return { exp_month, exp_year: Number(year.length === 2 ? `20${year}` : year) }
}

/** A card is valid until its month has ended everywhere, as for the service. */
export function expiryFault(value: string, now: Date): FaultCode | null {
  if (digitsOf(value) === '') return 'expiry_missing'
  const expiry = readExpiry(value)
  if (!expiry) return 'expiry_incomplete'
  const last_place = new Date(now.getTime() - 12 * 3_600_000)
  const months_left =
    (expiry.exp_year - last_place.getUTCFullYear()) * 12 + expiry.exp_month - 1 - last_place.getUTCMonth()
  if (months_left < 0) return 'expiry_past'
  return expiry.exp_year > now.getUTCFullYear() + years_ahead ? 'expiry_too_far' : null
}

/** Whether the date is complete. After `04 / 20` the rest of 2029 may follow. */
export function isExpiryWhole(value: string): boolean {
  const { month, year } = partsOf(value, false)
  return month.length === 2 && (year.length > 3 || (year.length === 2 && year !== '20'))
}

type ExpiryParts = {
  month: string
  year: string
  /** The month was completed with a 0. */
  padded: boolean
  /** The year came first. */
  turned: boolean
}

function partsOf(value: string, deleting: boolean): ExpiryParts {
  const plain = withPlainDigits(value).trimStart()
  // Dictated digits come with a space between any two.
  const is_spelled = /^(\d\s+){3,}\d\s*$/.test(plain)
  const text = plain.replace(/\D+/g, is_spelled ? '' : '/')
  const yearFirst = /^(20\d\d)\/(\d\d?)(\/|$)/.exec(text) ?? /^(20\d\d)(0[1-9]|1[0-2])$/.exec(text)
  if (yearFirst && !deleting) {
    const month = yearFirst[2]!.padStart(2, '0')
    return { month, year: yearFirst[1]!, padded: false, turned: true }
  }
  const [first = '', ...rest] = text.split('/')
  const parted = rest.length > 0
  const digits_of_month = monthLength(first, { parted, deleting })
  const month = first.slice(0, digits_of_month)
  const padded = !deleting && /^[1-9]$/.test(month) && (parted || first.length > 1 || month > '1')
  const year = first.slice(digits_of_month) + rest.join('')
  return { month: padded ? `0${month}` : month, year, padded, turned: false }
}

// `2` can only be February, and `13` only January of a year that begins with 3. Parts that are already separate stay so.
function monthLength(first: string, { parted, deleting }: { parted: boolean; deleting: boolean }) {
  return !parted && !deleting && Number(first.slice(0, 2)) > 12 ? 1 : 2
}
