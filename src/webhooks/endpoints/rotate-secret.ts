// Gives an endpoint a new signing secret. The old one also signs until receivers have changed over.

import type { Context } from '../../context.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { accountLine, type LineWriter } from '../../merchants/account-lines.ts'
import { writeAs } from '../../merchants/write-as.ts'
import { endpointNotFound, sealSecret, secretIn, viewSecrets } from '../endpoint.ts'
import { findEndpointKey, replaceSecret } from './endpoint-store.ts'

const overlap_ms = 24 * 3600 * 1000

export type RotatedSecret = {
  endpoint_id: string
  signing_secret: string
  standard_signing_secret?: string
  previous_secret_until: Date
}

/**
 * Works for an endpoint of any merchant. `recordReply` gives the idempotency key's row, if there is a key: without it,
 * a repeated request would end the secret that receivers still use. Throws `endpoint_not_found`, or KeyTakenError.
 */
export async function rotateSecret(
  { sql, ids, keyring }: Pick<Context, 'sql' | 'ids' | 'keyring'>,
  endpoint_id: string,
  writer: LineWriter,
  now: Date,
  recordReply: (reply: RotatedSecret) => KeyRow | null = () => null,
): Promise<RotatedSecret> {
  const endpoint = await findEndpointKey(sql, endpoint_id)
  if (!endpoint) throw endpointNotFound()
  const signing_secret = secretIn(endpoint.event_format, ids.webhookSecret())
  const previous_secret_until = new Date(now.getTime() + overlap_ms)
  const sealed_secret = sealSecret(keyring, endpoint, signing_secret)
  const { merchant_id, endpoint_id: subject } = endpoint
  const fields = { change: 'endpoint.secret_rotated', detail: { previous_secret_until }, at: now }
  const line = accountLine(writer, { merchant_id, subject, ...fields })
  const next = { sealed_secret, previous_secret_until }
  const reply = { endpoint_id: subject, ...viewSecrets(endpoint, signing_secret), previous_secret_until }
  const rotation = { ...next, line, key: recordReply(reply) }
  const is_made = await writeAs(sql, writer, (tx) => replaceSecret(tx, endpoint, rotation))
  if (!is_made) throw endpointNotFound()
  return reply
}
