// The card number: its format while it is typed, and its faults.

import type { FaultCode } from '../shared/protocol.ts'
import { ruleOf } from './brands.ts'
import { digitsOf, type FieldInput, placeBehind } from './digits.ts'
import { luhn } from './luhn.ts'

/** Lengths of numbers whose brand is not known. */
const any_lengths = [16, 17, 18, 19]

/** The digits in groups, with the caret after the same digit as before. Nothing is cut off, however long. */
export function formatNumber({ value, caret }: FieldInput): FieldInput {
  const digits = digitsOf(value)
  const formatted = inGroups(digits, ruleOf(digits)?.gaps ?? [4, 8, 12])
  return {
    value: formatted,
    caret: placeBehind(formatted, digitsOf(value.slice(0, caret)).length),
  }
}

/** `accepted` are the brands that are accepted here. */
export function numberFault(value: string, accepted: readonly string[]): FaultCode | null {
  const digits = digitsOf(value)
  if (digits === '') return 'number_missing'
  const rule = ruleOf(digits)
  if (rule && !accepted.includes(rule.brand)) return 'brand_unsupported'
  const lengths = rule?.lengths ?? any_lengths
  if (digits.length < lengths[0]!) return 'number_incomplete'
  if (!lengths.includes(digits.length) || !luhn(digits)) return 'number_wrong'
  return rule ? null : 'brand_unsupported'
}

/** Whether it is at least as long as a number of its brand, so that a fault is more than an unfinished number. */
export function isNumberWhole(value: string): boolean {
  const digits = digitsOf(value)
  const lengths = ruleOf(digits)?.lengths ?? any_lengths
  return lengths.includes(digits.length) || digits.length > Math.max(...lengths)
}

function inGroups(digits: string, gaps: number[]): string {
  return [...digits].map((digit, index) => (gaps.includes(index) ? ` ${digit}` : digit)).join('')
}
