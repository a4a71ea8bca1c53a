// Idempotency of creates: a key commits in the same transaction as the created rows; a retry gets the first answer's
// bytes.

import type { IncomingMessage } from 'node:http'
import { isConnectionLost, isLockTimeout, isStoreUnavailable } from '../database/failures.ts'
import type { Sql } from '../database/open.ts'
import { Refusal, type RefusalCode } from '../kernel/errors.ts'
import type { Keyring } from '../kernel/keyring.ts'
import { canonicalJson } from './canonical.ts'

/** One request's claim to a key, before anything is written. */
export type KeyClaim = {
  merchant_id: string
  audience: string
  key: string
  route: string
  /**
   * One fingerprint under each master key in use, the current one first: a rotation must not make a retry look like
   * another request. They are made at their first use, because most refused requests never need them.
   */
  fingerprints(): Buffer[]
}

/** The row of a key that a create writes together with its other rows. */
export type KeyRow = KeyClaim & { status: number; answer: Buffer; created_at: Date }

/** The row of a request whose answer comes later: `recordAnswer` then gives the key its answer. */
export type ReservedKey = Omit<KeyRow, 'answer'> & { answer: null }

export type Answer = { status: number; body: string; replayed: boolean }

/** Where routes take keys, and the refusals. */
export type KeyRules = {
  /** The headers that may carry a key; a request that uses several must send the same in each. */
  headers: readonly [string, ...string[]]
  is_optional: boolean
  unusable: RefusalCode
  /** The refusal if two different keys were sent. */
  differing: RefusalCode
  running: RefusalCode
  unavailable: RefusalCode
}

export const keyRules = {
  required: {
    headers: ['Rip-Idempotency-Key'],
    is_optional: false,
    unusable: 'idempotency_key_missing',
    differing: 'idempotency_key_missing',
    running: 'idempotency_key_reused',
    unavailable: 'store_unavailable',
  },
  optional: {
    headers: ['Rip-Idempotency-Key', 'Idempotency-Key'],
    is_optional: true,
    unusable: 'invalid_idempotency_key',
    differing: 'invalid_idempotency_key',
    running: 'idempotency_key_in_use',
    unavailable: 'idempotency_store_unavailable',
  },
  compatible: {
    headers: ['Idempotency-Key', 'Rip-Idempotency-Key'],
    is_optional: true,
    unusable: 'idempotency_key_missing',
    differing: 'invalid_idempotency_key',
    running: 'idempotency_key_in_use',
    unavailable: 'store_unavailable',
  },
} as const satisfies Record<string, KeyRules>

export type Idempotency = keyof typeof keyRules

/** Thrown by a create whose key is already stored. */
export class KeyTakenError extends Error {}

type Headers = IncomingMessage['headersDistinct']

/** The key of a request's headers: 1 to 255 printable ASCII characters, sent once or in equal copies; null without any. */
export function readKey(headers: Headers, rules: KeyRules): string | null {
  const [key, other] = new Set(sentKeys(headers, rules))
  if (key === undefined) return null
  if (other !== undefined) {
    const names = rules.headers.join(' or ')
    throw new Refusal(rules.differing, `Two different values were sent as ${names}.`)
  }
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) throw unusableKey(rules)
  return key
}

/** Whether a key was sent, usable or not. */
export function hasKey(headers: Headers, rules: KeyRules): boolean {
  return sentKeys(headers, rules).length > 0
}

export function unusableKey({ headers, unusable }: KeyRules): Refusal {
  return new Refusal(unusable, `Send ${headers[0]}: 1 to 255 printable ASCII characters.`)
}

function sentKeys(headers: Headers, rules: KeyRules): string[] {
  return rules.headers.flatMap((name) => headers[name.toLowerCase()] ?? [])
}

/** The identity of a request: its route, its path parameters and its body, however they are spelled. */
export function fingerprintsOf(keyring: Keyring, request: { route: string; params: object; body: unknown }): Buffer[] {
  return keyring.macs(
    'idempotency fingerprint',
    request.route,
    canonicalJson(request.params),
    canonicalJson(request.body ?? null),
  )
}

type Store = { sql: Sql; keyring: Keyring }

/** `replayed`: false if the request may itself be the first one and lost its connection. */
type Resume = (replayed: boolean) => Promise<Answer>

/**
 * Runs a create under its key. `create` writes the key's row in its own transaction and throws KeyTakenError if the key
 * is stored already. A refusal is given only after the look-up of an earlier answer, which precedes validation.
 * `resume` answers if the first request reserved the key and left no answer.
 */
export async function runOnce(
  { sql, keyring }: Store,
  { claim, rules }: { claim: KeyClaim; rules: KeyRules },
  { create, resume }: { create: () => Promise<Answer>; resume: Resume | null },
  attempt: { is_lost: boolean } | null = null,
): Promise<Answer> {
  try {
    return await create()
  } catch (error) {
    // A create waits only for its key. A request that reserves one may have waited for the rows of its change.
    if (isLockTimeout(error)) throw resume ? storeUnavailable(rules) : stillRunning(rules)
    const is_lost = isConnectionLost(error)
    // Its own transaction may have been committed after the first try looked for it.
    const may_be_first = is_lost || attempt?.is_lost === true
    if (!is_lost && !(error instanceof KeyTakenError) && !(error instanceof Refusal)) throw error
    const first = await findFirst(sql, claim, rules)
    if (first) {
      refuseIfOther(claim, first)
      if (first.answer === null && resume) return resume(!may_be_first)
      return answerAgain(keyring, claim, first, !may_be_first)
    }
    if (error instanceof Refusal) throw error
    // Nothing was committed: the connection died before COMMIT, or the conflicting row is gone.
    if (attempt === null) return runOnce({ sql, keyring }, { claim, rules }, { create, resume }, { is_lost })
    throw storeUnavailable(rules)
  }
}

/** Reserves a key for an act that has begun and has no answer yet. */
export function reservedKey(claim: KeyClaim, at: Date): ReservedKey {
  return { ...claim, status: 0, answer: null, created_at: at }
}

/**
 * Gives a reserved key its answer. Returns the stored answer, which may be another request's; null if the key is gone.
 */
export async function recordAnswer(
  { sql, keyring }: Store,
  claim: KeyClaim,
  answer: Answer & { at: Date },
): Promise<Answer | null> {
  const { merchant_id, audience, key, status, answer: sealed } = keyRow(keyring, claim, answer)
  const [first] = await sql<FirstRow[]>`
    update idempotency_keys set status = case when answer is null then ${status} else status end,
      answer = coalesce(answer, ${sealed})
    where merchant_id = ${merchant_id} and audience = ${audience} and key = ${key}
    returning route, fingerprint, status, answer`
  // Another request recorded it meanwhile: every answer under a key is the same.
  return first ? answerAgain(keyring, claim, first, answer.replayed) : null
}

/** Seals an answer's body under its key. */
export function keyRow(keyring: Keyring, claim: KeyClaim, answer: { status: number; body: string; at: Date }): KeyRow {
  const sealed = keyring.sealBriefly(Buffer.from(answer.body), identityOf(claim))
  return { ...claim, status: answer.status, answer: sealed, created_at: answer.at }
}

export function storeUnavailable({ unavailable }: KeyRules): Refusal {
  return new Refusal(
    unavailable,
    'The database could not be reached. Send the request again with the same idempotency key.',
  )
}

type FirstRow = { route: string; fingerprint: Buffer; status: number; answer: Buffer | null }

async function findFirst(sql: Sql, claim: KeyClaim, rules: KeyRules): Promise<FirstRow | undefined> {
  try {
    const [row] = await sql<FirstRow[]>`
      select route, fingerprint, status, answer from idempotency_keys
      where merchant_id = ${claim.merchant_id} and audience = ${claim.audience} and key = ${claim.key}`
    return row
  } catch (error) {
    if (isStoreUnavailable(error)) throw storeUnavailable(rules)
    throw error
  }
}

function refuseIfOther(claim: KeyClaim, first: FirstRow): void {
  if (isSame(claim, first)) return
  throw new Refusal(
    'idempotency_key_reused',
    'This idempotency key was used for another request. Send a new key for a new request.',
  )
}

function isSame({ route, fingerprints }: KeyClaim, first: FirstRow): boolean {
  return first.route === route && fingerprints().some((each) => each.equals(first.fingerprint))
}

function answerAgain(keyring: Keyring, claim: KeyClaim, first: FirstRow, replayed: boolean): Answer {
  const body = first.answer ? keyring.open(first.answer, identityOf(claim)).toString() : ''
  return { status: first.status, body, replayed }
}

export function stillRunning({ running }: KeyRules): Refusal {
  return new Refusal(
    running,
    'The first request with this idempotency key is still running. Send it again in a moment.',
  )
}

function identityOf(claim: KeyClaim): string {
  return JSON.stringify(['idempotency', claim.merchant_id, claim.audience, claim.key])
}

/** How long first answers are kept. */
export const key_life_ms = 30 * 24 * 3600 * 1000
/** For pages: strangers can have their answers kept, and no page repeats a request after its session has ended. */
const kept_for_pages_ms = 24 * 3600 * 1000
const purge_batch = 5_000

/** Deletes expired keys, batch by batch; returns how many. */
export async function purgeKeys(sql: Sql, now: Date, stopping?: AbortSignal): Promise<number> {
  const before = (age_ms: number) => new Date(now.getTime() - age_ms)
  let count = 0
  for (let batch = purge_batch; batch >= purge_batch && !stopping?.aborted; ) {
    const deletedRows = await sql`
      delete from idempotency_keys where (merchant_id, audience, key) in (
        (select merchant_id, audience, key from idempotency_keys
          where created_at < ${before(key_life_ms)} order by created_at limit ${purge_batch})
        union all
        (select merchant_id, audience, key from idempotency_keys
          where audience like 'rip_pk_%' and created_at < ${before(kept_for_pages_ms)}
          order by created_at limit ${purge_batch}))`
    batch = deletedRows.count
    count += batch
  }
  return count
}
