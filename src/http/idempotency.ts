// Idempotency of creates: a key and what it creates commit in one transaction; a retry gets the first answer's bytes.

import type { IncomingMessage } from 'node:http'
import { isConnectionLost, isLockTimeout, isStoreUnavailable } from '../database/failures.ts'
import type { Sql } from '../database/open.ts'
import { Refusal } from '../errors.ts'
import type { Keyring } from '../keyring.ts'
import { canonicalJson } from './canonical.ts'

/** One request's claim to a key, before anything is written. */
export type KeyClaim = {
  merchant_id: string
  audience: string
  key: string
  route: string
  /** Under each master key in use, the current one first: a rotation must not make a retry look foreign. */
  fingerprints: Buffer[]
}

/** The row that a create writes together with what it creates. */
export type KeyRow = KeyClaim & { status: number; answer: Buffer; created_at: Date }

export type Answer = { status: number; body: string; replayed: boolean }

/** Thrown by a create whose key is there already. */
export class KeyTaken extends Error {}

/** The key of a request's headers: 1 to 255 printable ASCII characters, sent once or in equal copies. */
export function readKey(headers: IncomingMessage['headersDistinct']): string {
  const sent = [...new Set(headers['rip-idempotency-key'] ?? [])]
  if (sent.length > 1) {
    throw new Refusal('idempotency_key_missing', 'Rip-Idempotency-Key was sent with two values.')
  }
  const key = sent[0] ?? ''
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new Refusal(
      'idempotency_key_missing',
      'Send Rip-Idempotency-Key: 1 to 255 printable ASCII characters.',
    )
  }
  return key
}

/** What a request is recognised by: its route, its path parameters and its body, whatever their spelling. */
export function fingerprintsOf(
  keyring: Keyring,
  request: { route: string; params: object; body: unknown },
): Buffer[] {
  return keyring.macs(
    'idempotency fingerprint',
    request.route,
    canonicalJson(request.params),
    canonicalJson(request.body ?? null),
  )
}

/**
 * Runs a create under its key. `create` writes `row(...)` in its own transaction and throws KeyTaken where the key
 * is there. A refusal is given only after looking for an earlier answer, since the look-up precedes validation.
 */
export async function runOnce(
  { sql, keyring }: { sql: Sql; keyring: Keyring },
  claim: KeyClaim,
  create: () => Promise<Answer>,
  retry = true,
): Promise<Answer> {
  try {
    return await create()
  } catch (error) {
    if (isLockTimeout(error)) throw stillRunning()
    const lost = isConnectionLost(error)
    if (!lost && !(error instanceof KeyTaken) && !(error instanceof Refusal)) throw error
    const first = await findFirst(sql, claim)
    if (first) return answerAgain(keyring, claim, first, !lost)
    if (error instanceof Refusal) throw error
    // Nothing was committed: the connection died before COMMIT, or the row that stood in the way is gone.
    if (retry) return runOnce({ sql, keyring }, claim, create, false)
    throw storeUnavailable()
  }
}

/** Seals an answer's body under the key that it belongs to. */
export function keyRow(
  keyring: Keyring,
  claim: KeyClaim,
  answer: { status: number; body: string; at: Date },
): KeyRow {
  const sealed = keyring.sealBriefly(Buffer.from(answer.body), identityOf(claim))
  return { ...claim, status: answer.status, answer: sealed, created_at: answer.at }
}

export function storeUnavailable(): Refusal {
  return new Refusal(
    'store_unavailable',
    'The database could not be asked. Send the request again with the same idempotency key.',
  )
}

type FirstRow = { route: string; fingerprint: Buffer; status: number; answer: Buffer | null }

async function findFirst(sql: Sql, claim: KeyClaim): Promise<FirstRow | undefined> {
  try {
    const [row] = await sql<FirstRow[]>`
      select route, fingerprint, status, answer from idempotency_keys
      where merchant_id = ${claim.merchant_id} and audience = ${claim.audience} and key = ${claim.key}`
    return row
  } catch (error) {
    if (isStoreUnavailable(error)) throw storeUnavailable()
    throw error
  }
}

function answerAgain(
  keyring: Keyring,
  claim: KeyClaim,
  first: FirstRow,
  replayed: boolean,
): Answer {
  if (
    first.route !== claim.route ||
    !claim.fingerprints.some((each) => each.equals(first.fingerprint))
  ) {
    throw new Refusal(
      'idempotency_key_reused',
      'This idempotency key was used for another request. Send a new key for a new request.',
    )
  }
  const body = first.answer ? keyring.open(first.answer, identityOf(claim)).toString() : ''
  return { status: first.status, body, replayed }
}

function stillRunning(): Refusal {
  return new Refusal(
    'idempotency_key_reused',
    'The first request with this idempotency key is still running. Send it again in a moment.',
  )
}

function identityOf(claim: KeyClaim): string {
  return JSON.stringify(['idempotency', claim.merchant_id, claim.audience, claim.key])
}

const kept_ms = 30 * 24 * 3600 * 1000
const purge_batch = 5_000

/** Deletes a batch of the keys that are older than 30 days; returns how many went. */
export async function purgeKeys(sql: Sql, now: Date): Promise<number> {
  const { count } = await sql`
    delete from idempotency_keys where (merchant_id, audience, key) in (
      select merchant_id, audience, key from idempotency_keys
      where created_at < ${new Date(now.getTime() - kept_ms)} order by created_at limit ${purge_batch})`
  return count
}
