// Gives an endpoint a new signing secret. The old one also signs until receivers have changed over.

import type { Context } from '../../context.ts'
import { endpointNotFound, sealSecret } from '../endpoint.ts'
import { findEndpointKey, replaceSecret } from './endpoint-store.ts'

const overlap_ms = 24 * 3600 * 1000

export type RotatedSecret = {
  endpoint_id: string
  signing_secret: string
  previous_secret_until: Date
}

/** Works for an endpoint of any merchant. Throws `endpoint_not_found`. */
export async function rotateSecret(
  { sql, ids, keyring }: Pick<Context, 'sql' | 'ids' | 'keyring'>,
  endpoint_id: string,
  now: Date,
): Promise<RotatedSecret> {
  const endpoint = await findEndpointKey(sql, endpoint_id)
  if (!endpoint) throw endpointNotFound()
  const signing_secret = ids.webhookSecret()
  const previous_secret_until = new Date(now.getTime() + overlap_ms)
  const sealed_secret = sealSecret(keyring, endpoint, signing_secret)
  if (!(await replaceSecret(sql, endpoint, { sealed_secret, previous_secret_until }))) {
    throw endpointNotFound()
  }
  return { endpoint_id: endpoint.endpoint_id, signing_secret, previous_secret_until }
}
