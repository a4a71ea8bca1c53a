// Compares what a library gave with what is expected, by what every language can say.

import type { Failure, Json } from './driver.ts'

/** The first difference, with its path; null where all that is expected is there. Members that are not expected may be anything. */
export function difference(given: Json, expected: Json, path = ''): string | null {
  const at = path || 'it'
  if (expected === null) return isNothing(given) ? null : `${at} is ${brief(given)}, not nothing`
  if (expected instanceof RegExp) {
    const value = idOf(given)
    const is_like = ['string', 'number'].includes(typeof value) && expected.test(String(value))
    return is_like ? null : `${at} is ${brief(given)}, not like ${expected}`
  }
  if (typeof expected !== 'object') {
    return idOf(given) === expected ? null : `${at} is ${brief(given)}, not ${brief(expected)}`
  }
  if (typeof given !== 'object' || given === null) return `${at} is ${brief(given)}, not ${brief(expected)}`
  if (Array.isArray(expected) && given.length !== expected.length) {
    return `${at} has ${given.length} members, not ${expected.length}`
  }
  for (const [name, value] of Object.entries(expected)) {
    const fault = difference(given[name], value, path ? `${path}.${name}` : name)
    if (fault) return fault
  }
  return null
}

/** A language with types says nothing as an empty value. */
function isNothing(given: Json): boolean {
  return given === null || given === undefined || given === '' || given === 0 || given === false
}

/** Where an object may stand expanded, one with nothing but its id may stand for that id. */
function idOf(given: Json): Json {
  return given !== null && typeof given === 'object' && 'id' in given ? given.id : given
}

function brief(value: Json): string {
  return String(JSON.stringify(value)).slice(0, 200)
}

/** `InvalidRequest` for a StripeInvalidRequestError, an InvalidRequestException and their like. */
export function kindOf(error: Failure): string {
  return error.class.replace(/^Stripe/, '').replace(/(Error|Exception)$/, '')
}
