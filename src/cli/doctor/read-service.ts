// Asks the running service for the facts of its checks.

import { openApiDocument } from '../../documents/openapi/openapi.ts'
import { OutgoingFailure, type TextAnswer } from '../../kernel/world.ts'
import { openHttp, realClock } from '../../outgoing/real-world.ts'
import { events, routes, streams } from '../../routes.ts'
import type { ServiceFacts } from './service.ts'

const timeout_ms = 1_500
const description_bytes_max = 8 * 1024 * 1024

export async function readService(base_url: string, is_itself = false): Promise<ServiceFacts> {
  const clock = realClock()
  const looked = await look(`${base_url}/healthz`)
  const health = 'status' in looked ? looked : null
  const heard_ms = clock.now().getTime()
  const up = health?.status === 200
  const [ready, description] = up
    ? await Promise.all([read(`${base_url}/readyz`), read(`${base_url}/openapi.json`)])
    : [null, null]
  const date_ms = Date.parse(health?.headers.date ?? '')
  return {
    base_url,
    health_status: health?.status ?? null,
    health_failure: 'failure' in looked ? looked.failure : null,
    is_itself,
    ready_status: ready?.status ?? null,
    ready_fault: ready && faultOf(ready),
    is_same_release: description && isOurs(description),
    clock_ahead_ms: Number.isNaN(date_ms) ? null : date_ms - heard_ms,
  }
}

function isOurs({ body }: TextAnswer): boolean {
  return body === JSON.stringify(openApiDocument(routes, events, streams), null, 2)
}

/** Takes only a line of plain text, because any program may listen there. */
function faultOf({ body }: TextAnswer): string | null {
  const [, fault] = /^not ready: ([\x20-\x7e]{1,300})\n$/.exec(body) ?? []
  return fault ?? null
}

/** Null if no answer came in time. */
async function read(url: string): Promise<TextAnswer | null> {
  const looked = await look(url)
  return 'status' in looked ? looked : null
}

async function look(url: string): Promise<TextAnswer | { failure: string }> {
  try {
    const http = openHttp(realClock())
    const limits = { timeout_ms, answer_bytes_max: description_bytes_max }
    return await http.get({ url, headers: {}, ...limits })
  } catch (error) {
    if (error instanceof OutgoingFailure) return { failure: error.message }
    throw error
  }
}
