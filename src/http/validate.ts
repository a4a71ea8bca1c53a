// Turns a schema's findings into one refusal: the one listed first in the catalogue, with its JSON path.

import type { z } from 'zod'
import { precedence, Refusal, type RefusalCode } from '../kernel/errors.ts'
import type { Fault } from '../kernel/faults.ts'
import { fieldPath } from './field-path.ts'
import { faultOf, wordsOf } from './finding-words.ts'

/** A fault that a schema found, with the value in question. */
export type Issue = z.core.$ZodIssue

/** A value as its schema reads it. Throws the Refusal of the gravest finding. */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  explain?: (issue: Issue) => Refusal,
): z.output<S> {
  const parsed = schema.safeParse(value, { reportInput: true, error: wordsOf })
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  // A body may have thousands of faults: only the one that is told is put into words.
  if (!explain) throw refusalOf(gravestOf(issues))
  const refusals = issues.map(explain)
  refusals.sort((a, b) => precedence(a.code) - precedence(b.code))
  throw refusals[0]
}

/** What a schema says of a rule with a code of its own in the catalogue. */
export function rule(code: RefusalCode, message: string) {
  return { error: message, params: { code } }
}

/** What a schema says of a rule that has a name, which pages say in words of their own. */
export function withFault(fault: Fault, message: string) {
  return { error: message, params: { fault } }
}

/** The code of a finding. */
export function codeOf(issue: Issue): RefusalCode {
  return (issue.code === 'custom' && (issue.params?.code as RefusalCode)) || 'invalid_request'
}

function gravestOf(issues: readonly Issue[]): Issue {
  const rankOf = (issue: Issue) => precedence(codeOf(issue))
  return issues.reduce((gravest, issue) => (rankOf(issue) < rankOf(gravest) ? issue : gravest))
}

function refusalOf(issue: Issue): Refusal {
  if (issue.code === 'unrecognized_keys') {
    const field = fieldPath([...issue.path, issue.keys[0]!])
    return new Refusal('invalid_request', `${field} is not a field of this request.`, { field })
  }
  const field = fieldPath(issue.path)
  const message = field === '' ? `The body ${issue.message}.` : `${field} ${issue.message}.`
  return new Refusal(codeOf(issue), message, { field: field || undefined, ...faultOf(issue) })
}
