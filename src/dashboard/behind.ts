// Gives a public route a second door: the same handler, for people of the dashboard, below its own path.

import type { Route, Told } from '../http/route.ts'
import type { Context } from '../payments/context.ts'
import type { Member } from '../users/member.ts'
import type { DoorRule } from '../users/signed-in.ts'

/** `/v1/payments/{payment_id}` → `/dashboard/api/{merchant_id}/payments/{payment_id}` */
type BehindPath<Path extends string> = Path extends `/v1/checkout/${infer Rest}`
  ? `/dashboard/api/{merchant_id}/${Rest}`
  : Path extends `/v1/${infer Rest}`
    ? `/dashboard/api/{merchant_id}/${Rest}`
    : never

type Behind<R> =
  R extends Told<infer Method, infer Path, infer Query, infer Body, infer Reply>
    ? Route<Context> & Told<Method, BehindPath<Path>, Query, Body, Reply>
    : never

/**
 * The record with another door, path and audience of idempotency keys. Its handler gets a Member in place of a key, and
 * must use nothing of its holder but `merchant_id`, `actorOf` and, where it writes, `writerBy`. `show` changes a reply for the
 * person who asks, such as to mask what they may not read. `refuse` throws where their role may not send such a query.
 */
export function behind<R extends Route<Context> & Told<string, string, unknown, unknown, unknown>>(
  access: DoorRule<Member>,
  record: R,
  show: (reply: NonNullable<R['told']>['reply'], member: Member) => NonNullable<R['told']>['reply'] = (reply) => reply,
  refuse: (query: NonNullable<R['told']>['query'], member: Member) => void = () => {},
): Behind<R> {
  const path = `/dashboard/api/{merchant_id}/${record.path.replace(/^\/v1\/(checkout\/)?/, '')}`
  const { cors: _, alias_of: __, ...rest } = record
  return {
    ...rest,
    path,
    access,
    dialect: 'dashboard',
    handle: async (context: Context, request: Parameters<R['handle']>[1]) => {
      const member = request.holder as Member
      refuse(request.query, member)
      return show(await record.handle(context, request), member)
    },
    ...(record.resume && {
      resume: async (context: Context, request: Parameters<NonNullable<R['resume']>>[1]) =>
        show(await record.resume!(context, request), request.holder as Member),
    }),
  } as unknown as Behind<R>
}
