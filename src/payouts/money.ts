// Exact amounts of reports. Vendors write decimals of the major unit, and some charge fractions of a cent: a point is a
// hundred-millionth of a minor unit, so that nothing is ever rounded before the sum of a payout is told.

import { currencyOf } from '../kernel/values.ts'

/** So many of a minor unit, counted whole. */
export type Points = bigint

const point_digits = 8
const decimal = /^([+-]?)(\d{1,15})(?:\.(\d{1,12}))?$/

/**
 * A decimal of the major unit in points; null for what is none, or has more digits than a point. A comma stands for the point
 * only where commas do not separate, and never before three digits, which could be thousands.
 */
export function pointsOf(text: string, currency: string, { comma }: { comma: boolean }): Points | null {
  const exponent = currencyOf(currency)?.exponent
  const plain = comma ? text.replace(/^([+-]?\d+),(\d{1,2})$/, '$1.$2') : text
  const [, sign, whole, fraction = ''] = decimal.exec(plain) ?? []
  if (exponent === undefined || whole === undefined) return null
  const places = exponent + point_digits
  const digits = fraction.replace(/0+$/, '')
  if (digits.length > places) return null
  const points = BigInt(whole + digits.padEnd(places, '0'))
  return sign === '-' ? -points : points
}

/** As SQL writes it: minor units, with a fraction where there is one. */
export function spelled(points: Points): string {
  const text = String(points < 0n ? -points : points).padStart(point_digits + 1, '0')
  const fraction = text.slice(-point_digits).replace(/0+$/, '')
  const whole = text.slice(0, -point_digits)
  return `${points < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** A spelled amount in the major unit: `-1234.5` of GBP is `-12.345`. At least as many digits as the currency has. */
export function inMajor(text: string, currency: string): string {
  const exponent = currencyOf(currency)?.exponent ?? 2
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) ?? []
  const digits = whole.padStart(exponent + 1, '0')
  const behind = digits.slice(digits.length - exponent) + fraction.replace(/0+$/, '')
  return `${sign}${digits.slice(0, digits.length - exponent)}${behind === '' ? '' : `.${behind}`}`
}

/** Of two spelled amounts. */
export function difference(one: string, other: string): string {
  return spelled(readSpelled(one) - readSpelled(other))
}

function readSpelled(text: string): Points {
  const [, sign, whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) ?? []
  const points = BigInt(whole + fraction.slice(0, point_digits).padEnd(point_digits, '0'))
  return sign === '-' ? -points : points
}

/** How many units of one amount's currency are one of the other's, to ten digits; null where there is none. */
export function rateOf(
  of: { points: Points; currency: string },
  per: { points: Points; currency: string },
): string | null {
  if (per.points === 0n || of.points === 0n) return null
  const unit = (currency: string) => 10n ** BigInt(currencyOf(currency)!.exponent)
  const scale = 10n ** 10n
  const rate = (of.points * unit(per.currency) * scale) / (per.points * unit(of.currency))
  const text = String(rate < 0n ? -rate : rate).padStart(11, '0')
  return `${text.slice(0, -10)}.${text.slice(-10)}`.replace(/\.?0+$/, '')
}
