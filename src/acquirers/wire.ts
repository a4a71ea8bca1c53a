// One call to an acquirer over HTTP. The request is sent once, and results in an answer, in silence, or in nothing sent.

import { OutgoingFailure, type VendorHttp, type VendorRequest } from '../kernel/world.ts'
import { NotSent, Unanswered } from './acquirer.ts'

export type WireRequest = Omit<VendorRequest, 'timeout_ms'>

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

/** Less than the service's own limit for a call, so that the wire reports a silence first. */
const timeout_ms = 18_000

export function openWire(http: Pick<VendorHttp, 'send'>): Wire {
  return {
    async send(request) {
      try {
        const { status, headers, body } = await http.send({ ...request, timeout_ms })
        return { status, headers, text: body, json: objectIn(body) }
      } catch (error) {
        if (!(error instanceof OutgoingFailure)) throw error
        throw error.kind === 'not_sent' ? new NotSent(error.message) : new Unanswered(error.message)
      }
    },
  }
}

export function notShown(name: string, { status }: WireAnswer): string {
  if (status === 401) return `${name}: its credentials were refused (401)`
  return `${name}: it does not show its payments (${status})`
}

/** A query after a request. If the query is not sent, the outcome of the request stays unknown. */
export async function afterRequest<Answer>(asked: Promise<Answer>): Promise<Answer> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof NotSent) throw new Unanswered(error.message)
    throw error
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
