// Lets a caller in by a door, and notes on the request whose it is, so that its merchant can find it in the request log.

import type { FastifyRequest } from 'fastify'
import { Refusal, type RefusalCode } from '../errors.ts'
import { type Door, hashOfKey, type Knock } from './access.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is, once that is known. */
    merchant_id: string | null
  }
}

/** What the door gives. Throws its refusal. */
export async function enter<Context, Holder>(
  door: Door<Context, Holder>,
  knock: Knock<Context>,
  request: FastifyRequest,
): Promise<Holder> {
  try {
    const holder = await door.check(knock)
    request.merchant_id = merchantOf(holder)
    return holder
  } catch (error) {
    // Of a key that is known its merchant wants to see above all why it was refused.
    if (error instanceof Refusal && ofKnownKeys.has(error.code)) {
      request.merchant_id = await merchantOfKey(knock).catch(() => null)
    }
    throw error
  }
}

const ofKnownKeys = new Set<RefusalCode>([
  'permission_denied',
  'key_permission_denied',
  'key_revoked',
  'key_expired',
  'key_ip_blocked',
  'key_origin_blocked',
])

async function merchantOfKey<Context>({ access, caller }: Knock<Context>): Promise<string | null> {
  const presented = caller.header('x-service-api-key')
  const key = presented && (await access.findSecretKey(hashOfKey(presented).toString('hex')))
  return key ? key.merchant_id : null
}

/** Every holder carries its merchant, or the account of one. */
function merchantOf(holder: unknown): string | null {
  const { merchant_id, account } = holder as {
    merchant_id?: string
    account?: { merchant: { merchant_id: string } }
  }
  return merchant_id ?? account?.merchant.merchant_id ?? null
}
