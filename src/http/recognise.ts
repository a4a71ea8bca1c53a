// Whose request leads nowhere: a merchant that watches its own requests is shown its mistaken paths, too.

import type { FastifyRequest } from 'fastify'
import { type Access, bearerOf } from './access.ts'
import { callerOf } from './caller.ts'

/** Notes it on the request. Where the database cannot be asked nobody is recognised, and the answer stays what it is. */
export async function recognise(
  access: Pick<Access, 'findSecretKey'>,
  request: FastifyRequest,
): Promise<void> {
  request.merchant_id = await bearerOf(access, callerOf(request)).catch(() => null)
}
