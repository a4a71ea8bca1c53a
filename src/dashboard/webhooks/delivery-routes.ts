// Deliveries at the dashboard: the API's rows with what each is about, why there was no answer and what became of its replay; and the
// body of one, for those who may read of shoppers.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { beginOf, limit_default, pageOf, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { writerOf } from '../../merchants/account-lines.ts'
import { filterChoice } from '../../payments/reading/list-filters.ts'
import { type Member, permissionDenied } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { expedite } from '../../webhooks/deliveries/expedite.ts'
import { listDeliveries, listQuery, pageOfAttempts } from '../../webhooks/deliveries/list-deliveries.ts'
import { findDeliveryRecord, listWaiting, sentBodyOf } from '../../webhooks/deliveries/operator-store.ts'
import { replayDelivery } from '../../webhooks/deliveries/replay.ts'
import {
  attemptView,
  deliveryNotFound,
  deliveryStatuses,
  heldUntil,
  nextAttemptAt,
  viewAttempt,
} from '../../webhooks/delivery.ts'
import { type DeliveryFacts, readDeliveryFacts } from './delivery-facts-store.ts'

export const replaying = signedIn('replay_deliveries')

const deliveryHere = attemptView.extend({
  /** Why there was no answer: a code, or `redirect` and the address. */
  failure: z.string().nullable(),
  /** The payment that the event is about, or whose refund it is about. */
  about: z
    .object({
      payment_id: z.string(),
      order_reference: z.string().nullable(),
      amount: z.int(),
      currency: z.string().nullable(),
    })
    .nullable(),
  /** The newest replay of what was given up; null where there was none. */
  replay: z.object({ status: z.enum(deliveryStatuses), response_status_code: z.int().nullable() }).nullable(),
  /** Whether a later attempt of the same delivery succeeded. */
  succeeded_later: z.boolean(),
  /** Where this is the newest attempt of a delivery that is not settled yet, or no attempt was made yet; else null. */
  waiting: z
    .object({
      /** When the next attempt is made, never before now; null while it is being made. */
      next_attempt_at: z.string().nullable(),
      /** Until when its endpoint is paused, because it kept failing. */
      held_until: z.string().nullable(),
    })
    .nullable(),
})

export const listDeliveriesHere = route({
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/webhooks/deliveries',
  tag: 'Dashboard',
  summary: 'Attempts to deliver events, or whole deliveries that wait or were given up, with what each is about',
  access: replaying,
  dialect: 'dashboard',
  limit: listDeliveries.limit!,
  query: listQuery.extend({ standing: filterChoice(['waiting', 'given_up']).optional() }),
  status: 200,
  reply: pageView(deliveryHere),
  refusals: listDeliveries.refusals,
  handle: async (context: Context, { holder, query, now }) => {
    const { merchant_id } = holder
    const { standing, event_type, after } = query
    const status = standing === 'given_up' ? 'dead_lettered' : query.status
    const limit = Number(query.limit ?? limit_default)
    const request = { merchant_id, status, event_type, after, limit }
    const { rows, ...page } =
      standing === 'waiting' ? await pageOfWaiting(context, request) : await pageOfAttempts(context, request, now)
    const facts = await readDeliveryFacts(context.sql, merchant_id, rows)
    const data = rows.map((row, index) => {
      return { ...viewAttempt(row, now), ...shown(facts[index]!, holder, now) }
    })
    const isMeant = (row: z.input<typeof deliveryHere>) =>
      standingOf(row) === standing && (event_type === undefined || row.event_type === event_type)
    return { ...page, data: standing ? data.filter(isMeant) : data }
  },
})

/** One that has had no attempt is listed here alone. */
async function pageOfWaiting(
  { sql, keyring }: Pick<Context, 'sql' | 'keyring'>,
  { merchant_id, after, limit }: { merchant_id: string; after: string | undefined; limit: number },
) {
  const list = { purpose: 'waiting delivery cursor', merchant_id, filters: [], after, limit }
  const rows = await listWaiting(sql, { merchant_id, behind: beginOf(keyring, list) }, limit + 1)
  return pageOf(keyring, list, { rows, ended_at: null }, ({ delivery_id }) => delivery_id)
}

export const sendDeliveryHere = route({
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/webhooks/deliveries/{delivery_id}/send',
  tag: 'Dashboard',
  summary: 'Make the next attempt of a waiting delivery now, even if its endpoint is paused',
  access: replaying,
  dialect: 'dashboard',
  limit: replayDelivery.limit!,
  body: z.strictObject({}),
  body_optional: true,
  status: 202,
  /** False where it was settled meanwhile: nothing is sent. */
  reply: z.object({ delivery_id: z.string(), is_due: z.boolean() }),
  unknownId: deliveryNotFound,
  refusals: ['delivery_not_found'],
  handle: async (context: Context, { holder, params: { delivery_id = '' }, request_id, now }) => {
    const which = { merchant_id: holder.merchant_id, delivery_id }
    const is_due = await expedite(context, which, writerOf(context, { holder, request_id }), now)
    return { delivery_id, is_due }
  },
})

/** Of a whole delivery, at its newest attempt: whether another attempt follows by itself, or only by hand. */
function standingOf({ waiting, replayable, replay }: z.input<typeof deliveryHere>): 'waiting' | 'given_up' | null {
  if (waiting) return 'waiting'
  return replayable && replay === null ? 'given_up' : null
}

function shown({ mode, about, waiting, ...facts }: DeliveryFacts, { can }: Member, now: Date) {
  const may_read = mode !== null && can('read_transactions', mode)
  return {
    failure: facts.failure,
    about: may_read ? about : null,
    replay: facts.replay,
    succeeded_later: facts.succeeded_later,
    waiting: waiting && viewWaiting(waiting, now),
  }
}

function viewWaiting({ due_at, held_until, is_under_way }: NonNullable<DeliveryFacts['waiting']>, now: Date) {
  const breaker_open_until = held_until === null ? null : new Date(held_until)
  const next = nextAttemptAt({ due_at: new Date(due_at), breaker_open_until }, now)
  return {
    next_attempt_at: is_under_way ? null : timestamp(next),
    held_until: timestampOrNull(heldUntil({ breaker_open_until }, now)),
  }
}

/** Events are small; one that is not is shown in part. */
const characters_max = 20_000

export const readDeliveryHere = route({
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/webhooks/deliveries/{delivery_id}',
  tag: 'Dashboard',
  summary: 'The body of a delivery, as every attempt sends it',
  access: replaying,
  dialect: 'dashboard',
  status: 200,
  reply: z.object({ event_id: z.string(), body: z.string(), is_cut: z.boolean() }),
  unknownId: deliveryNotFound,
  refusals: ['delivery_not_found'],
  handle: async ({ sql, webhook_sending }: Context, { holder, params: { delivery_id = '' } }) => {
    const found = await findDeliveryRecord(sql, { merchant_id: holder.merchant_id, delivery_id })
    if (!found) throw deliveryNotFound()
    const { event_id } = found
    const { mode } = (JSON.parse(found.body) as { data: { mode: 'test' | 'live' } }).data
    if (!holder.can('read_shoppers', mode)) throw permissionDenied('read_shoppers')
    const body = await sentBodyOf({ sql, ...webhook_sending }, found)
    return { event_id, body: body.slice(0, characters_max), is_cut: body.length > characters_max }
  },
})
