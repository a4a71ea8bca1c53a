// Turns a schema's findings into one refusal: the one listed first in the catalogue, with its JSON path.

import type { z } from 'zod'
import { precedence, Refusal, type RefusalCode } from '../kernel/errors.ts'
import type { Fault } from '../kernel/field-rules.ts'
import { fieldPath } from './field-path.ts'

/** A fault that a schema found, with the value in question. */
export type Issue = z.core.$ZodIssue

/** A value as its schema reads it. Throws the Refusal of the finding with the highest rank. */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  explain?: (issue: Issue) => Refusal,
): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true, error: wordsOf })
  if (result.success) return result.data
  const { issues } = result.error
  // A body may have thousands of faults: only the one in the refusal becomes words.
  if (!explain) throw refusalOf(gravestOf(issues))
  // What was sent comes first: a name that is not supported says what to send in place of what is missing.
  const isMissing = ({ input }: Issue) => Number(input === undefined)
  const refusals = issues.toSorted((a, b) => isMissing(a) - isMissing(b)).map(explain)
  refusals.sort((a, b) => precedence(a.code) - precedence(b.code))
  throw refusals[0]
}

/** A schema's message for a rule with a code of its own in the catalogue. */
export function rule(code: RefusalCode, message: string) {
  return { error: message, params: { code } }
}

/** A schema's message for a rule with a name, which pages explain in their own words. */
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

/** A fault before it has words. */
type Finding = Parameters<z.core.$ZodErrorMap>[0]

/** In place of the library's own words, which name its types. */
export function wordsOf(finding: Finding): string {
  switch (finding.code) {
    case 'invalid_type':
      if (finding.input === undefined) return 'is required'
      return `must be ${kinds[finding.expected] ?? 'something else'}`
    case 'invalid_value':
      return `must be ${finding.values.length > 1 ? 'one of ' : ''}${finding.values.join(', ')}`
    case 'too_small':
      return boundWords(finding.origin, 'at least', Number(finding.minimum))
    case 'too_big':
      return boundWords(finding.origin, 'at most', Number(finding.maximum))
    default:
      return 'cannot be used'
  }
}

const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

function boundWords(origin: string, bound: 'at least' | 'at most', count: number): string {
  const plural = count === 1 ? '' : 's'
  if (origin === 'string') return `must have ${bound} ${count} character${plural}`
  if (origin === 'array') return `must have ${bound} ${count === 1 ? '1 entry' : `${count} entries`}`
  return `must be ${bound} ${count}`
}

/** The broken rule by its name, with its bound; nothing if only the field's own words describe it. */
function faultOf(issue: z.core.$ZodIssue): { fault?: Fault; bound?: number } {
  switch (issue.code) {
    case 'custom':
      return issue.params?.fault ? { fault: issue.params.fault as Fault } : {}
    case 'invalid_type':
      return issue.input === undefined || issue.input === null ? { fault: 'required' } : {}
    case 'invalid_value':
      return { fault: 'not_offered' }
    case 'too_small': {
      if (issue.origin === 'string' || issue.origin === 'array') {
        if (Number(issue.minimum) <= 1) return { fault: 'required' }
        return { fault: 'too_short', bound: Number(issue.minimum) }
      }
      return { fault: 'too_small', bound: Number(issue.minimum) }
    }
    case 'too_big': {
      const kinds: Record<string, Fault> = { string: 'too_long', array: 'too_many' }
      return { fault: kinds[issue.origin] ?? 'too_big', bound: Number(issue.maximum) }
    }
    default:
      return {}
  }
}
