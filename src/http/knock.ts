// A request as its door looks at it.

import type { FastifyRequest } from 'fastify'
import type { Caller, Knock } from './access.ts'

type KnockParts = { caller: Caller; params?: Record<string, string>; body?(): unknown }

/** Whom the door recognises is noted on the request, whether it lets them in or not. */
export function knockOf<Context>(
  { access, context }: Pick<Knock<Context>, 'access' | 'context'>,
  request: FastifyRequest,
  { caller, params = {}, body = () => undefined }: KnockParts,
): Knock<Context> {
  const recognise = (merchant_id: string) => {
    request.merchant_id = merchant_id
  }
  const query = request.query as Record<string, unknown>
  return { access, context, caller, params, query, body, recognise }
}
