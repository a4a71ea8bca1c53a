// What a schema says of a fault where nobody has written words for it: the field's name comes before, a full stop behind. And the name
// of the rule that was broken, for pages that speak other languages.

import type { z } from 'zod'
import type { Fault } from '../kernel/faults.ts'

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

/** The broken rule by its name, with its bound; nothing for a form that only the field's own words describe. */
export function faultOf(issue: z.core.$ZodIssue): { fault?: Fault; bound?: number } {
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
