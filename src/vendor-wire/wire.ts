// One call to a vendor over HTTP. The request is sent once, and results in an answer, in silence, or in nothing sent. And what all
// vendors' credentials share: no message repeats a value.

import { z } from 'zod'
import { AnswerTooLong, OutgoingFailure, type VendorHttp, type VendorRequest } from '../kernel/world.ts'

export type WireRequest = Omit<VendorRequest, 'timeout_ms'> & {
  /** By default, a little less than the service's own limit for a charge. */
  timeout_ms?: number
}

export type WireAnswer = {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  text: string
  /** The body as a JSON object; null if it is none. */
  json: Record<string, unknown> | null
}

export type Wire = {
  /** Returns every answer, whatever its status. Throws Unanswered or NotSent. */
  send(request: WireRequest): Promise<WireAnswer>
}

/** The request may have arrived, but no usable answer came: the outcome is unknown, never failed. */
export class Unanswered extends Error {}

/** The answer is longer than may be read. A question for less may have a shorter one. */
export class TooLong extends Unanswered {}

/** No byte of the request left this machine, so nothing can have happened. */
export class NotSent extends Error {}

/** Less than the service's own limit for a call, so that the wire reports a silence first. */
const usual_timeout_ms = 18_000

export function openWire(http: Pick<VendorHttp, 'send'>): Wire {
  return {
    async send(request) {
      try {
        const outgoingRequest = { timeout_ms: usual_timeout_ms, ...request }
        const { status, headers, body } = await http.send(outgoingRequest)
        return { status, headers, text: body, json: objectIn(body) }
      } catch (error) {
        if (!(error instanceof OutgoingFailure)) throw error
        if (error instanceof AnswerTooLong) throw new TooLong(error.message)
        throw error.kind === 'not_sent' ? new NotSent(error.message) : new Unanswered(error.message)
      }
    },
  }
}

export function isGood({ status }: Pick<WireAnswer, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** Null if the text is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function objectIn(text: string): WireAnswer['json'] {
  const value = jsonIn(text)
  return isObject(value) ? value : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `notes` lists optional permissions that are missing, and the consequences. A reason is one line, without secrets. */
export type CheckAnswer = { result: 'works'; notes: string[] } | { result: 'fails'; reason: string }

/** Sent in a header or as part of an address, so it must not contain characters that end either. */
export const secret = z
  .string('must be text')
  .min(1, 'must not be empty')
  .max(1_000, 'must not be longer than 1,000 characters')
  .regex(/^[\x21-\x7e]*$/, 'must be of ASCII characters without spaces')

/** Replaces the vendor's own address. The code that connects judges whether the address may be called. */
export const apiUrl = secret.optional()
