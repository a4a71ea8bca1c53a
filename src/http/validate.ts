// Turns a schema's findings into one refusal: the one that stands highest in the catalogue, naming its JSON path.

import type { z } from 'zod'
import { precedence, Refusal, type RefusalCode } from '../errors.ts'
import { fieldPath } from './field-path.ts'

/** The body as its schema reads it. Throws the Refusal of the gravest finding. */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const refusals = parsed.error.issues.map(refusalOf)
  refusals.sort((a, b) => precedence(a.code) - precedence(b.code))
  throw refusals[0]
}

/** What a schema says of a rule with a code of its own in the catalogue. */
export function rule(code: RefusalCode, message: string) {
  return { error: message, params: { code } }
}

function refusalOf(issue: z.core.$ZodIssue): Refusal {
  if (issue.code === 'unrecognized_keys') {
    const field = fieldPath([...issue.path, issue.keys[0]!])
    return new Refusal('invalid_request', `${field} is not a field of this request.`, { field })
  }
  const field = fieldPath(issue.path)
  const code = (issue.code === 'custom' && (issue.params?.code as RefusalCode)) || 'invalid_request'
  const message = field === '' ? `The body ${issue.message}.` : `${field} ${issue.message}.`
  return new Refusal(code, message, { field: field || undefined })
}
