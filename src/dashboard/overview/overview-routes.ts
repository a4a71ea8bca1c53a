// The overview: what waits, today against the same weekday, a span of days against the one before it, declines, 3-D Secure, webhooks.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { route } from '../../http/route.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { listDifferingPayments } from '../../payments/acquirer-operations/finding-store.ts'
import { filterChoice } from '../../payments/reading/list-filters.ts'
import { signedIn } from '../../users/signed-in.ts'
import { replay_window_ms } from '../../webhooks/delivery.ts'
import { differenceView } from '../system/operator-views.ts'
import { countGivenUp } from '../webhooks/delivery-facts-store.ts'
import { given_up_max } from '../webhooks/webhook-routes.ts'
import { zoneQuery } from '../zone.ts'
import { readCounts } from './count-store.ts'
import { overviewDays, spans, stretchesOf } from './days.ts'
import { figuresOf } from './overview.ts'
import { listPaidTwice, readWaits, readWebhookHealth } from './waits-store.ts'

const day_ms = 24 * 3_600_000
/** Lines that are older are counted. */
const young_ms = 10 * 60_000
const keys_ending_days = 14
/** Refunds that failed longer ago, and orders that were paid twice, are history. */
const attention_days = 14
/** Of payments that differ from an acquirer's record. */
const named_max = 5

const count = z.int()
const hours = z.array(z.object({ hour: z.int(), amount: z.int(), count }))
const endings = z.object({
  captured: count,
  held: count,
  declined: count,
  failed: count,
  sessions: count,
  succeeded_sessions: count,
})

const waitingHolds = z.object({
  count,
  /** How many of them reach their deadline within a day. */
  lapsing: count,
  next_deadline: z.string().nullable(),
  sums: z.array(z.object({ currency: z.string(), amount: z.int() })),
})

export const readOverviewHere = route({
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/overview',
  tag: 'Dashboard',
  summary: 'What waits, and how the last weeks went',
  access: signedIn('read_transactions'),
  dialect: 'dashboard',
  query: z.strictObject({
    mode: filterChoice(['test', 'live']),
    zone: zoneQuery,
    span: filterChoice(spans).optional(),
  }),
  status: 200,
  reply: z.object({
    zone: z.string(),
    now: z.string(),
    waits: z.object({
      holds: waitingHolds,
      to_capture: waitingHolds,
      unknown_outcomes: count,
      /** Those of them that the service no longer asks about. */
      outcomes_for_person: count,
      /** As the endpoints count them. */
      given_up: count,
      /** Those that need a response, and until when the first may be answered. */
      disputes: count,
      disputes_until: z.string().nullable(),
      failed_refunds: count,
      /** When the oldest of them was begun. */
      failed_refunds_from: z.string().nullable(),
      /** Orders of which several payments are captured: some of the newest. */
      paid_twice: z.array(z.object({ order_reference: z.string(), count })),
      /** Some of the newest payments of which the acquirer's record differs. */
      differing: z.array(
        differenceView.extend({
          payment_id: z.string(),
          order_reference: z.string().nullable(),
          amount: z.int(),
          currency: z.string(),
        }),
      ),
      breakers_open: count,
      orphans_held_back: count,
      is_brake_pulled: z.boolean(),
      keys_ending: z.array(z.object({ key_id: z.string(), name: z.string().nullable(), expires_at: z.string() })),
    }),
    /** Of each currency in which something was captured or refunded, the one of most captures first. */
    captured: z.array(
      z.object({
        currency: z.string(),
        today: hours,
        week_before: hours,
        refunded_today: z.int(),
        /** In the order of `days`. */
        by_day: z.array(z.int()),
        in_span: z.int(),
        refunded_in_span: z.int(),
        in_span_before: z.int(),
      }),
    ),
    days: z.array(endings.extend({ day: z.string() })),
    /** As many days before these. */
    span_before: endings,
    declines: z.array(z.object({ code: z.string(), category: z.string().nullable(), count })),
    three_ds: z.object({
      asked: count,
      frictionless: count,
      challenged: count,
      abandoned: count,
      failed: count,
    }),
    webhooks: z.object({
      delivered: count,
      /** Events that have had their minute, and of them those that arrived in it. */
      due: count,
      within_minute: count,
      failing_endpoints: count,
      /** When the oldest delivery that waits was made. */
      oldest_at: z.string().nullable(),
    }),
    steps: z.object({
      has_payment: z.boolean(),
      has_endpoint: z.boolean(),
      has_colleague: z.boolean(),
      has_key: z.boolean(),
    }),
  }),
  refusals: [],
  handle: async ({ sql }: Context, { holder, query, now }) => {
    const { merchant_id } = holder
    const { mode, zone, span = '30' } = query
    const shown = overviewDays(now, zone, span)
    const stretches = stretchesOf(shown.all, new Set([shown.today, shown.week_before]), zone)
    const ago = (ms: number) => new Date(now.getTime() - ms)
    const keys_until = ago(-keys_ending_days * day_ms)
    const attention_from = ago(attention_days * day_ms)
    const [counts, waits, paid_twice, differing, health, givenUp] = await Promise.all([
      readCounts(sql, {
        merchant_id,
        mode,
        young_from: idsFrom(ago(young_ms)),
        starts: stretches.map(({ starts_at }) => starts_at),
      }),
      readWaits(sql, { merchant_id, mode, now, keys_until, failed_from: attention_from }),
      listPaidTwice(sql, { merchant_id, mode, from: attention_from }),
      listDifferingPayments(sql, { merchant_id, mode, limit: named_max }),
      readWebhookHealth(sql, { merchant_id, from: idsFrom(ago(day_ms)), now }),
      countGivenUp(sql, { merchant_id, from: idsFrom(ago(replay_window_ms)), most: given_up_max }),
    ])
    const { holds, to_capture, keys_ending, breakers_open, brakes_pulled, unknown_outcomes, outcomes_for_person } =
      waits
    const { has_payment, has_endpoint, has_colleague, has_key } = waits
    return {
      zone,
      now: timestamp(now),
      waits: {
        holds: { ...holds, next_deadline: timestampOrNull(holds.next_deadline) },
        to_capture: { ...to_capture, next_deadline: timestampOrNull(to_capture.next_deadline) },
        unknown_outcomes,
        outcomes_for_person,
        given_up: [...givenUp.values()].reduce((sum, each) => sum + each, 0),
        disputes: waits.disputes,
        disputes_until: timestampOrNull(waits.disputes_until),
        failed_refunds: waits.failed_refunds,
        failed_refunds_from: timestampOrNull(waits.failed_refunds_from),
        paid_twice,
        differing,
        breakers_open,
        // Orphans belong to an acquirer, not to a merchant.
        orphans_held_back: holder.is_operator ? waits.orphans_held_back : 0,
        is_brake_pulled: brakes_pulled > 0,
        keys_ending: keys_ending.map((key) => ({ ...key, expires_at: timestamp(key.expires_at) })),
      },
      ...figuresOf(
        counts.map(({ place, ...row }) => ({ ...row, ...stretches[place]! })),
        shown,
      ),
      webhooks: {
        ...health,
        failing_endpoints: breakers_open,
        oldest_at: timestampOrNull(health.oldest_at),
      },
      steps: { has_payment, has_endpoint, has_colleague, has_key },
    }
  },
})
