// Sends a command's request to the running service, as JSON, and returns its answer or throws its refusal.

import { OutgoingFailure } from '../../kernel/world.ts'
import { openHttp, realClock } from '../../outgoing/real-world.ts'
import { CommandError } from '../terminal/command.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the service answers is held by its own reply schemas.
type Json = any

export type Call = { headers?: Record<string, string>; body?: unknown }

/** Requests to one service. Each throws a ServiceError, or a CommandError if no usable answer came. */
export type ServiceCalls = {
  get(path: string, call?: Call): Promise<Json>
  post(path: string, call?: Call): Promise<Json>
}

/** The service refused the request. */
export class ServiceError extends CommandError {
  readonly code: string
  readonly status: number
  /** Null if the answer has none. */
  readonly request_id: string | null
  constructor(refused: { doing: string; status: number; body: Json }) {
    const { doing, status, body } = refused
    const code = String(body?.error ?? body?.code ?? `http_${status}`)
    const request_id = typeof body?.request_id === 'string' ? body.request_id : null
    const sentence = typeof body?.message === 'string' ? ` ${body.message}` : ''
    super(`${doing}: ${status} ${code}.${sentence}${request_id ? ` (request ${request_id})` : ''}`)
    this.code = code
    this.status = status
    this.request_id = request_id
  }

  /** The same error with advice added. */
  with(advice: string): this {
    this.message += `\n${advice}`
    return this
  }
}

/** Longer than the 20 s that a charge may take at the acquirer. */
const timeout_ms = 30_000

export function openServiceCalls(base_url: string): ServiceCalls {
  const http = openHttp(realClock())
  async function answered(doing: string, ask: () => Promise<{ status: number; body: string }>) {
    const { status, body } = await ask().catch((error: unknown) => {
      throw error instanceof OutgoingFailure ? unreachable(base_url, doing, error) : error
    })
    const document = parsed(body)
    if (status >= 200 && status < 300 && document !== null) return document
    throw new ServiceError({ doing, status, body: document })
  }
  return {
    get: (path, { headers = {} } = {}) =>
      answered(`GET ${path}`, () => http.get({ url: base_url + path, headers, timeout_ms })),
    post: (path, { headers = {}, body } = {}) =>
      answered(`POST ${path}`, () => {
        const type = { 'content-type': 'application/json' }
        const text = body === undefined ? '' : JSON.stringify(body)
        const all = body === undefined ? headers : { ...type, ...headers }
        return http.post({ url: base_url + path, headers: all, body: text, timeout_ms })
      }),
  }
}

export function unreachable(base_url: string, doing: string, failure: OutgoingFailure): CommandError {
  if (failure.kind === 'not_sent') {
    return new CommandError(
      `The service does not answer at ${base_url} (${failure.message}). Start it with npm start or ripper serve, ` +
        'or give its address with --base-url.',
    )
  }
  return new CommandError(
    `${doing}: no usable answer came (${failure.message}). It is unknown whether the service did it.`,
  )
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
