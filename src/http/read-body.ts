// Reads a request's body once, for all its readers: the access rule, the handler and the CORS check.

import type { FastifyRequest } from 'fastify'
import { Refusal } from '../kernel/errors.ts'
import { bodyLimits } from './body-limits.ts'
import { chargeParsed } from './collect-body.ts'
import { routeOf } from './fastify.ts'
import { type FormRules, readForm, refuseMorePairs } from './form.ts'
import { readCountedJson } from './json.ts'

type ParseResult = { value: unknown } | { error: unknown }

const outcomes = new WeakMap<FastifyRequest, ParseResult>()

/**
 * The body as JSON or, if the route takes them, as a form; undefined without a body. Throws the Refusal of an
 * unreadable body.
 */
export function readBody(request: FastifyRequest): unknown {
  let outcome = outcomes.get(request)
  if (!outcome) {
    outcome = attempt(request)
    outcomes.set(request, outcome)
  }
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

function attempt(request: FastifyRequest): ParseResult {
  try {
    return { value: parse(request) }
  } catch (error) {
    return { error }
  }
}

function parse(request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined
  const { form, body_kind = 'none' } = routeOf(request).config
  const limits = bodyLimits[body_kind]
  // A form without fields has no bytes.
  if (!bytes || bytes.length === 0) return form ? {} : undefined
  const type = request.headers['content-type'] ?? ''
  const is_form = /^application\/x-www-form-urlencoded/i.test(type)
  // Many clients send JSON without its content type, or as text. A form is a mistake and has a refusal of its own.
  if (/^multipart\//i.test(type) || (is_form && !form)) {
    throw unsupportedType(form)
  }
  if (form && (is_form || !(saysJson(type) || startsAsJson(bytes)))) {
    chargeParsed(request, refuseMorePairs(bytes, limits.pairs))
    return readForm(bytes, form)
  }
  const { value, values } = readCountedJson(bytes, limits)
  chargeParsed(request, values)
  return value
}

/** `form` is set on routes that also take forms. */
export function unsupportedType(form: FormRules | undefined): Refusal {
  const types = form ? 'application/json or application/x-www-form-urlencoded' : 'application/json'
  const message = `Send the body with Content-Type: ${types}.`
  return new Refusal('invalid_request', message, { status: 415 })
}

function saysJson(type: string): boolean {
  return /^[\w.+-]+\/([\w.+-]+\+)?json\b/i.test(type)
}

/** No form of a merchant begins with a brace. */
function startsAsJson(bytes: Buffer): boolean {
  return /^\uFEFF?\s*[{[]/.test(bytes.toString('utf8', 0, 256))
}
