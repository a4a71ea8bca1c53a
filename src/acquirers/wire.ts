// One call to an acquirer over HTTP: a request goes out once, and what came of it is an answer, silence, or nothing at all.

import { OutgoingFailure, type VendorHttp, type VendorRequest } from '../kernel/world.ts'
import { NotSent, Unanswered } from './acquirer.ts'

export type WireRequest = Omit<VendorRequest, 'timeout_ms'>

export type WireAnswer = {
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  text: string
  /** The body as JSON: an object, or null where it is none. */
  json: Record<string, unknown> | null
}

export type Wire = {
  /** Whatever was answered, with any status. Throws Unanswered or NotSent. */
  send(request: WireRequest): Promise<WireAnswer>
}

/** Less than the service waits for a call in all, so that a silence is told by the wire. */
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

function objectIn(text: string): WireAnswer['json'] {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
