// A request in the form that its access rule reads.

import type { FastifyRequest } from 'fastify'
import type { AccessRequest, Caller } from './access.ts'

type AccessRequestOptions = { caller: Caller; params?: Record<string, string>; body?(): unknown }

/** The request notes the merchant that the rule recognises, even if it is then refused. */
export function accessRequestOf<Context>(
  { access, context }: Pick<AccessRequest<Context>, 'access' | 'context'>,
  request: FastifyRequest,
  { caller, params = {}, body = () => undefined }: AccessRequestOptions,
): AccessRequest<Context> {
  const recognise = (merchant_id: string, key_id: string | null = null) => {
    request.merchant_id = merchant_id
    request.key_id = key_id
  }
  const query = request.query as Record<string, unknown>
  return { access, context, method: request.method, caller, params, query, body, recognise }
}
