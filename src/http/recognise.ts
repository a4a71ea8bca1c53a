// Finds the merchant of a request that leads nowhere: its own request log shows mistaken paths, too.

import type { FastifyRequest } from 'fastify'
import { type Access, bearerOf } from './access.ts'
import { callerOf } from './caller.ts'

/**
 * Notes the merchant on the request. Where the database cannot be reached the request has no merchant, and its answer
 * is the same.
 */
export async function recognise(access: Pick<Access, 'findSecretKey'>, request: FastifyRequest): Promise<void> {
  const key = await bearerOf(access, callerOf(request)).catch(() => null)
  request.merchant_id = key?.merchant_id ?? null
  request.key_id = key?.key_id ?? null
}
