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
