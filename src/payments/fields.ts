// The building blocks of request schemas: texts, amounts, metadata and references with their refusals.

import { z } from 'zod'
import { looksLikeCardNumber } from '../cards/card-data.ts'
import { rule } from '../http/validate.ts'
import { amount_max, noControls } from '../kernel/values.ts'

/** An error that reads as `<field> is required` or `<field> must …`. */
export function must(what: string) {
  return {
    error: (issue: { input?: unknown }) => (issue.input === undefined ? 'is required' : `must ${what}`),
  }
}

/** A rule that ends the checking if it fails, because the next rules may cost far more than a check of the length. */
export function first(what: string) {
  return { ...must(what), abort: true }
}

export const text = (length_max: number) =>
  z
    .string(must('be text'))
    .min(1, first('not be empty'))
    .max(length_max, first(`have at most ${length_max} characters`))

/** What a person writes, in one line: never empty, and no card number. */
export const oneLine = (length_max: number) =>
  text(length_max)
    .trim()
    .min(1, must('not be empty'))
    .regex(noControls, must('be one line'))
    .refine((line) => !looksLikeCardNumber(line), must('not contain a card number'))

export const wholeNumber = (least: number, most: number) => {
  const words = must(`be a whole number from ${least} to ${most}`)
  return z.int(words).min(least, words).max(most, words)
}

/** A time. What is before 1970 means 1970, since nothing here is older. */
export const moment = z.iso
  .datetime({
    offset: true,
    error: 'must be an ISO 8601 time with an offset, such as 2026-09-01T12:00:00Z',
  })
  .transform((text) => new Date(Math.max(0, Date.parse(text))))

const amountUpTo = (most: number | string) => {
  const words = must(`be a whole number from 1 to ${most}, in minor units`)
  return z.int(words).min(1, words).max(amount_max, words).meta({ description: 'in minor units' })
}

export const amount = amountUpTo(amount_max)
/** Of a payment that is held. What was authorised of it is known once it is read. */
export const capturedAmount = amountUpTo('what was authorised')

/** Servers send an empty text for "none" as often as null. Both become null here. */
export const nullIfEmpty = <Value>(value: Value) => (value === '' ? null : value)

/** An optional text, which may be empty. */
export const optionalText = (length_max: number) =>
  z
    .string(must('be text'))
    .max(length_max, must(`have at most ${length_max} characters`))
    .transform(nullIfEmpty)
    .nullish()

/** One at sign, and a dot in the domain. It may be empty, since no field for an email is required. */
export const email = z
  .string(must('be text'))
  .max(254, must('have at most 254 characters'))
  .regex(/^(?:[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+)?$/, must('be an email address'))
  .meta({ description: 'one @, and a dot in its domain; empty is none' })
  .transform(nullIfEmpty)

/** order_reference and customer.account_id: short, printable, and no card number. */
export const reference = z
  .string(must('be text'))
  .min(1, first('have 1 to 64 characters'))
  .max(64, first('have 1 to 64 characters'))
  .refine((value) => !looksLikeCardNumber(value), {
    ...rule('card_data_rejected', 'looks like a card number'),
    abort: true,
  })
  .regex(noControls, must('not contain control characters'))
  .meta({ description: '1 to 64 characters, no control characters, nothing like a card number' })

/** A Checkout Session's client_reference_id, which is only echoed where it is no reference. */
export const longReference = text(200).refine((value) => !looksLikeCardNumber(value), {
  ...rule('card_data_rejected', 'looks like a card number'),
})

const metadata_entries_max = 50
const metadata_bytes_max = 8192

/** String values under any keys. The object itself is passed on, because a copy would lose a key named `__proto__`. */
export const metadata = z
  .custom<Record<string, string>>()
  .superRefine((value, context) => {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      context.addIssue({ code: 'custom', message: 'must be an object of string values' })
      return
    }
    const entries = Object.entries(value as Record<string, unknown>)
    for (const [key, each] of entries) {
      if (typeof each === 'string') continue
      context.addIssue({ code: 'custom', message: 'must be a string', path: [key] })
      return
    }
    const bytes = entries.reduce((sum, [k, v]) => sum + Buffer.byteLength(k) + Buffer.byteLength(String(v)), 0)
    if (entries.length > metadata_entries_max || bytes > metadata_bytes_max) {
      context.addIssue({
        code: 'custom',
        message: `must have at most ${metadata_entries_max} entries and ${metadata_bytes_max} bytes of keys and values`,
        params: { code: 'metadata_too_large' },
      })
    }
  })
  .meta({
    type: 'object',
    additionalProperties: { type: 'string' },
    maxProperties: metadata_entries_max,
    description: '50 string values, 8,192 bytes of keys and values',
  })

/** The schema of metadata in answers. */
export const anyMetadata = z
  .custom<Record<string, string>>((value) => typeof value === 'object' && value !== null)
  .meta({ type: 'object', additionalProperties: { type: 'string' } })
