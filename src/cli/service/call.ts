// A command's request to the running service: a JSON body out, and back what it answered or why it refused.

import { OutgoingFailure } from '../../kernel/world.ts'
import { openHttp, realClock } from '../../outgoing/real-world.ts'
import { CommandRefused } from '../terminal/command.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the service answers is held by its own reply schemas.
type Json = any

export type Call = { headers?: Record<string, string>; body?: unknown }

/** Requests to one service. Each throws a ServiceRefused, or a CommandRefused where nothing usable came back. */
export type ServiceCalls = {
  get(path: string, call?: Call): Promise<Json>
  post(path: string, call?: Call): Promise<Json>
}

/** What the service answered instead of doing what was asked. */
export class ServiceRefused extends CommandRefused {
  readonly code: string
  readonly status: number
  /** Null where the answer names none. */
  readonly request_id: string | null
  constructor(refused: { doing: string; status: number; body: Json }) {
    const { doing, status, body } = refused
    const code = String(body?.error ?? body?.code ?? `http_${status}`)
    const request_id = typeof body?.request_id === 'string' ? body.request_id : null
    const said = typeof body?.message === 'string' ? ` ${body.message}` : ''
    super(`${doing}: ${status} ${code}.${said}${request_id ? ` (request ${request_id})` : ''}`)
    this.code = code
    this.status = status
    this.request_id = request_id
  }

  /** The same with more to say: what to do about it. */
  with(advice: string): this {
    this.message += `\n${advice}`
    return this
  }
}

/** A charge may take the acquirer's 20 s. */
const timeout_ms = 30_000

export function openServiceCalls(base_url: string): ServiceCalls {
  const http = openHttp(realClock())
  async function answered(doing: string, ask: () => Promise<{ status: number; body: string }>) {
    const { status, body } = await ask().catch((error: unknown) => {
      throw error instanceof OutgoingFailure ? unreachable(base_url, doing, error) : error
    })
    const document = parsed(body)
    if (status >= 200 && status < 300 && document !== null) return document
    throw new ServiceRefused({ doing, status, body: document })
  }
  return {
    get: (path, { headers = {} } = {}) =>
      answered(`GET ${path}`, () => http.get({ url: base_url + path, headers, timeout_ms })),
    post: (path, { headers = {}, body } = {}) =>
      answered(`POST ${path}`, () => {
        const type = { 'content-type': 'application/json' }
        const text = body === undefined ? '' : JSON.stringify(body)
        const sent = body === undefined ? headers : { ...type, ...headers }
        return http.post({ url: base_url + path, headers: sent, body: text, timeout_ms })
      }),
  }
}

export function unreachable(
  base_url: string,
  doing: string,
  failure: OutgoingFailure,
): CommandRefused {
  if (failure.kind === 'not_sent') {
    return new CommandRefused(
      `The service does not answer at ${base_url} (${failure.message}). Start it with npm start or ripper serve, ` +
        'or name its address by --base-url.',
    )
  }
  return new CommandRefused(
    `${doing}: nothing usable came back (${failure.message}). Whether it was done is not known.`,
  )
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
