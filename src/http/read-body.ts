// Reads a request's body once, for all who need it: the door, the handler, the judge of origins.

import type { FastifyRequest } from 'fastify'
import { Refusal } from '../errors.ts'
import { readJson } from './json.ts'

type Outcome = { value: unknown } | { error: unknown }

const outcomes = new WeakMap<FastifyRequest, Outcome>()

/** The body as JSON, undefined where there is none. Throws the Refusal of one that cannot be read. */
export function readBody(request: FastifyRequest): unknown {
  let outcome = outcomes.get(request)
  if (!outcome) {
    outcome = attempt(request)
    outcomes.set(request, outcome)
  }
  if ('error' in outcome) throw outcome.error
  return outcome.value
}

function attempt(request: FastifyRequest): Outcome {
  try {
    return { value: parse(request) }
  } catch (error) {
    return { error }
  }
}

function parse(request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined
  if (!bytes || bytes.length === 0) return undefined
  // Many clients send JSON without saying so, or as text; a form is somebody's mistake and is told apart.
  if (
    /^(application\/x-www-form-urlencoded|multipart\/)/i.test(request.headers['content-type'] ?? '')
  ) {
    throw new Refusal('invalid_request', 'Send the body with Content-Type: application/json.', {
      status: 415,
    })
  }
  return readJson(bytes)
}
