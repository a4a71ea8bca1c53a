// Describes faults of parameters in the codes and the spelling of the other platform: `metadata[order_id]`.

import { fieldPath } from '../http/field-path.ts'
import { codeOf, type Issue } from '../http/validate.ts'
import { Refusal } from '../kernel/errors.ts'
import { amount_max } from '../kernel/values.ts'
import { adviceOn } from './unsupported.ts'

/** The refusal for a schema's finding. */
export function explain(issue: Issue): Refusal {
  if (issue.code === 'unrecognized_keys') return unknownParameters(issue)
  const field = parameterOf(issue.path)
  const code = codeOf(issue)
  const platform_code = code === 'invalid_request' ? platformCodeOf(issue) : undefined
  return new Refusal(code, `${field} ${issue.message}.`, { field, platform_code })
}

/** A parameter's name. A name that may contain other data by mistake is not repeated. */
export function parameterOf(path: readonly PropertyKey[]): string {
  const [first = 'body', ...rest] = path.map((part) => (typeof part === 'number' ? String(part) : fieldPath([part])))
  return first + rest.map((part) => `[${part}]`).join('')
}

/** How many unknown names are examined: more than a person could have meant as parameters. */
const told_max = 100

/** Explains the first parameter and names the others, so that one answer shows everything to delete. */
function unknownParameters({ path, keys }: Pick<Issue & { keys: string[] }, 'path' | 'keys'>): Refusal {
  const names = keys.slice(0, told_max).map((key) => (path.length === 0 ? key : parameterOf([...path, key])))
  const all = names.map(adviceOn)
  const [field, ...others] = new Set(all.map(({ name }) => parameterOf([name])))
  const more = others.length === 0 ? '' : ` Nor are: ${others.slice(0, 20).join(', ')}.`
  const message = `${field} ${all[0]!.words}${more}`
  return new Refusal('invalid_request', message, { field, platform_code: 'parameter_unknown' })
}

function platformCodeOf({ path, input }: Issue): string | undefined {
  if (input === undefined) return 'parameter_missing'
  if (input === null || input === '') return 'parameter_invalid_empty'
  if (path[0] === 'receipt_email') return 'email_invalid'
  if (path[0] === 'expand') return 'parameter_unknown'
  if (path[0] === 'limit') return 'parameter_invalid_integer'
  if (path[0] !== 'amount' && path[0] !== 'amount_to_capture') return undefined
  const is_too_large = Number.isInteger(input) && (input as number) > amount_max
  return is_too_large ? 'amount_too_large' : 'parameter_invalid_integer'
}
