// How a client of a storm asks: of whoever runs, again and again, and every answer is kept with its begin and end.

import { realClock } from '../../tests/support/world.ts'
import type { Chance } from '../simulate/chance.ts'
import { codeOf, type Diary, type DiaryAnswer, type DiaryPromise, type DiaryRequest } from './diary.ts'

export type CreatingKind = Exclude<DiaryPromise['kind'], 'decision' | 'refund'>

export type Street = {
  diary: Diary
  /** Where services are at the moment. */
  addresses(): string[]
  /** performance.now() after which nothing new is asked. */
  give_up_ms: number
  /** Cards of which the answer gets lost are among those that are paid with. */
  loses_answers: boolean
  /** Shops refund. Left out, they do not. */
  refunds?: boolean
  /** Ways to create a session; all where nothing is said. */
  kinds?: readonly CreatingKind[]
  /** How long one waits for an answer before one takes it for lost. */
  timeout_ms: number
  /** How long one goes on asking while a first request under the same key is still running; 45 s where nothing is said. */
  patience_ms?: number
}

const retry_ms = { least: 50, more: 400 }

/** Asks once, of whoever runs. */
export async function askOnce(street: Street, name: string, asked: DiaryRequest, chance: Chance): Promise<DiaryAnswer> {
  const address = await anAddress(street, chance)
  const begin_ms = performance.now()
  const said = address === null ? unknown : await send(address, asked, street.timeout_ms)
  street.diary.keep({ client: name, asked, said, begin_ms, end_ms: performance.now() })
  return said
}

const unknown: DiaryAnswer = { status: null, text: '', body: null, replayed: false }

/**
 * Asks until there is an answer that means something; null where the time is over. A first request under the key that is
 * still running is waited for, as long as one may run.
 */
export async function insist(
  client: Street & { chance: Chance; name: string },
  asked: DiaryRequest,
): Promise<DiaryAnswer | null> {
  const { chance, name, give_up_ms, patience_ms = running_ms } = client
  const patient_until_ms = performance.now() + patience_ms
  for (;;) {
    const said = await askOnce(client, name, asked, chance)
    const waits = isRunning(said) && performance.now() < patient_until_ms
    if (isDefinite(said) && !waits) return said
    if (performance.now() > give_up_ms) return null
    await realClock.sleep(retry_ms.least + chance.below(retry_ms.more))
  }
}

/** Neither silence nor a database that is away. */
export function isDefinite({ status }: DiaryAnswer): boolean {
  return status !== null && status < 500 && status !== 429
}

/** Whether the key's first request may still run: no answer yet, and no refusal. */
export function isRunning(said: DiaryAnswer): boolean {
  return running.has(codeOf(said))
}

const running = new Set(['idempotency_key_reused', 'idempotency_key_in_use'])
/** An answer that is missing counts as lost after 30 s. */
const running_ms = 45_000

async function anAddress(street: Street, chance: Chance): Promise<string | null> {
  for (;;) {
    const able = street.addresses()
    if (able.length > 0) return chance.pick(able)
    if (performance.now() > street.give_up_ms) return null
    await realClock.sleep(50)
  }
}

async function send(
  address: string,
  { method, path, headers, body }: DiaryRequest,
  timeout_ms: number,
): Promise<DiaryAnswer> {
  try {
    const response = await fetch(address + path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(timeout_ms),
    })
    const text = await response.text()
    const replayed = response.headers.get('rip-idempotent-replayed') === 'true'
    return { status: response.status, text, body: JSON.parse(text), replayed }
  } catch {
    // Refused, reset, silent, or cut in the middle: all the same to a client.
    return unknown
  }
}
