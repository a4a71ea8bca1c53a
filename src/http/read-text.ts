// Reads the bodies of pages and peers, which take them as text or as the fields of a form. A body with more
// values than its kind may have is refused before anything is built of it.

import type { FastifyRequest } from 'fastify'
import { Refusal } from '../kernel/errors.ts'
import { type BodyLimits, bodyLimits } from './body-limits.ts'
import { chargeParsed } from './collect-body.ts'
import { routeOf } from './fastify.ts'
import { refuseMorePairs } from './form.ts'

/** The body as it came; an empty text where there is none. */
export function readText(request: FastifyRequest): string {
  const bytes = request.body as Buffer | undefined
  if (!bytes) return ''
  const limits = limitsOf(request)
  if (limits.pairs > 0) refuseMorePairs(bytes, limits.pairs)
  const values = countValues(bytes, limits)
  if (values === null) {
    const words = `The body has more than ${limits.values} values or ${limits.levels} levels.`
    throw new Refusal('invalid_request', words)
  }
  chargeParsed(request, values)
  return bytes.toString()
}

/** The fields of a form; none of a body that does not say that it is one. */
export function readFields(request: FastifyRequest): Record<string, string> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(type)) return {}
  const bytes = request.body as Buffer | undefined
  if (!bytes) return {}
  chargeParsed(request, refuseMorePairs(bytes, limitsOf(request).pairs))
  return Object.fromEntries(new URLSearchParams(bytes.toString()))
}

function limitsOf(request: FastifyRequest): BodyLimits {
  return bodyLimits[routeOf(request).config.body_kind ?? 'none']
}

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [brace, bracket, end_brace, end_bracket] = [0x7b, 0x5b, 0x7d, 0x5d]

/**
 * How many values a text has at most, if it is JSON; null where it has more values or levels than it may. Each value but
 * the first stands behind a comma, or is the first in an object or list.
 */
export function countValues(
  bytes: Buffer,
  { values: values_max, levels: levels_max }: Pick<BodyLimits, 'values' | 'levels'>,
): number | null {
  let [values, levels] = [1, 0]
  let is_quoted = false
  for (let at = 0; at < bytes.length; at += 1) {
    const code = bytes[at]
    if (code === quote) is_quoted = !is_quoted
    else if (is_quoted) {
      if (code === backslash) at += 1
    } else if (code === comma) values += 1
    else if (code === brace || code === bracket) {
      values += 1
      levels += 1
    } else if (code === end_brace || code === end_bracket) levels -= 1
    if (values > values_max || levels > levels_max) return null
  }
  return values
}
