// Finds possible card numbers in free text, so that none is ever stored as an order reference or the like.

import { luhn } from './luhn.ts'

const digits_min = 13
const digits_max = 19
/** The longest group of a number that is written in groups. */
const group_max = 6

// Each row: first prefix, last prefix, shortest and longest length. The list goes beyond the accepted brands, because no
// scheme's card number may be stored. Compared with npm's `credit-card-type` 10.1.2 in 2026-11: of that it leaves out UnionPay's of 14 and
// 15 digits, JCB's of 16 and more that begin with 1800 or 2131, and Maestro's of 12 or that begin with 59, 493698 or most of 63.
const schemes: [from: string, to: string, shortest: number, longest: number][] = [
  ['4', '4', 13, 13], // Visa
  ['4', '4', 16, 16],
  ['4', '4', 18, 19],
  ['51', '55', 16, 16], // Mastercard
  ['2221', '2720', 16, 16],
  ['34', '34', 15, 15], // American Express
  ['37', '37', 15, 15],
  ['300', '305', 14, 19], // Diners Club
  ['309', '309', 14, 19],
  ['36', '36', 14, 19],
  ['38', '39', 14, 19],
  ['6011', '6011', 16, 19], // Discover
  ['644', '659', 16, 19], // Discover, RuPay, Elo, Troy
  ['3528', '3589', 16, 19], // JCB
  ['1800', '1800', 15, 15],
  ['2131', '2131', 15, 15],
  ['62', '62', 16, 19], // UnionPay
  ['81', '81', 16, 19],
  ['50', '50', 13, 19], // Maestro and the national schemes beside it
  ['56', '58', 13, 19],
  ['67', '67', 13, 19],
  ['6304', '6304', 13, 19],
  ['639', '639', 13, 19],
  ['636', '636', 16, 19],
  ['60', '60', 16, 16], // RuPay, Hipercard
  ['637', '637', 16, 16],
  ['82', '82', 16, 16],
  ['2200', '2205', 16, 19], // Mir, Borica
  ['8600', '8600', 16, 16], // Uzcard
  ['9792', '9792', 16, 16], // Troy
  ['9860', '9860', 16, 16], // Humo
]

/** Whether a run of 13 to 19 digits in the text, whole or in separated groups, could be a card number. */
export function looksLikeCardNumber(text: string): boolean {
  if (!mayHoldCardNumber(text)) return false
  for (const digits of candidates(text)) {
    if (couldBeCardNumber(digits)) return true
  }
  return false
}

/** Whether a text or a word of it, without spaces and dashes, could be a card number and nothing else. */
export function couldBeCard(text: string): boolean {
  return [text, ...text.split(/[^0-9A-Za-z.-]+/)].some((each) => {
    const digits = each.replace(/[ -]/g, '')
    return /^[0-9]{13,19}$/.test(digits) && couldBeCardNumber(digits)
  })
}

/**
 * Every run of 13 to 19 digits that the rule checks. It is a whole run of digits, or consecutive whole groups with one or two
 * separators between them. All groups have 2 to 6 digits, or all have one. Linear: a group begins at most 7 candidates.
 */
export function* candidates(text: string): Generator<string> {
  const plain_text = plain(text)
  let row: string[] = []
  let row_end = 0
  for (const { 0: digits, index } of plain_text.matchAll(/[0-9]+/g)) {
    if (digits.length >= digits_min && digits.length <= digits_max) yield digits
    const end = index + digits.length
    const joins = separated(plain_text, row_end, index) && alike(digits, row[0] ?? digits)
    if (!joins) {
      yield* sums(row)
      row = []
    }
    if (digits.length <= group_max && !touchesLetter(plain_text, index, end)) {
      row.push(digits)
      row_end = end
    }
  }
  yield* sums(row)
}

function couldBeCardNumber(digits: string): boolean {
  return (
    schemes.some(
      ([from, to, shortest, longest]) =>
        digits.length >= shortest &&
        digits.length <= longest &&
        digits.slice(0, from.length) >= from &&
        digits.slice(0, to.length) <= to,
    ) && luhn(digits)
  )
}

// Most texts end here after one pass over their characters. Digits of other scripts are left to the full rule.
function mayHoldCardNumber(text: string): boolean {
  let digits = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 127) return true
    if (code >= 48 && code <= 57) digits++
  }
  return digits >= digits_min
}

/** Consecutive groups whose digits together have a card number's length. */
function* sums(groups: string[]): Generator<string> {
  for (let first = 0; first < groups.length; first++) {
    let digits = ''
    for (let next = first; next < groups.length; next++) {
      digits += groups[next]
      if (digits.length > digits_max) break
      if (digits.length >= digits_min) yield digits
    }
  }
}

/** Groups of one digit combine only with each other. */
function alike(one: string, other: string): boolean {
  return (one.length === 1) === (other.length === 1)
}

/** Whether only one or two separators lie between two places. */
function separated(text: string, start: number, end: number): boolean {
  return end - start <= 2 && /^[\s\p{Pd}\u2212\u2044._/]+$/u.test(text.slice(start, end))
}

// In a UUID and the like, digit groups touch letters: such a group is only a piece of something else.
function touchesLetter(text: string, start: number, end: number): boolean {
  return /\p{L}$/u.test(text.slice(Math.max(0, start - 2), start)) || /^\p{L}/u.test(text.slice(end, end + 2))
}

// Compatibility forms become plain ones (full-width digits, no-break spaces). Digits of every script become ASCII. Invisible
// characters (zero-width characters, soft hyphens) are removed.
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[^\P{Nd}0-9]/gu, asciiDigit)
}

// In Unicode the ten digits of a script are consecutive from 0 to 9, so the offset in the block is the value.
function asciiDigit(character: string): string {
  const code = character.codePointAt(0)!
  let before = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before++
  return String(before % 10)
}
