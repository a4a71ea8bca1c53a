// The timeline of a payment or session: lines of the journal with their seals, what shoppers were refused, events, and each attempt
// to deliver them.

import { z } from 'zod'
import type { FoundRows } from '../../http/list-page.ts'
import type { RefusedRequest } from '../../http/refusal-log-store.ts'
import { anyEventTypes, compatibleOnlyTypes, timestamp } from '../../kernel/values.ts'
import { askingOf, authenticationFailureOf, type Life, viewLife } from '../../payments/history/payment-history.ts'
import { declineView, refundView } from '../../payments/views.ts'
import type { Member } from '../../users/member.ts'
import { peopleView } from '../people.ts'

const time = z.string()
const timeOrNull = time.nullable()

const line = z.object({
  entry_id: z.string(),
  at: time,
  change: z.string(),
  subject: z.string(),
  actor: z.string(),
  request_id: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
  seal: z.enum(['right', 'wrong', 'not_yet']),
})

const attempt = z.object({
  attempt_number: z.int(),
  status: z.string(),
  occurred_at: time,
  duration_ms: z.int().nullable(),
  response_status_code: z.int().nullable(),
  failure: z.string().nullable(),
  next_retry_at: timeOrNull,
})

const delivery = z.object({
  delivery_id: z.string(),
  endpoint_id: z.string(),
  endpoint_url: z.string().nullable(),
  replay_of: z.string().nullable(),
  status: z.string(),
  /** It was given up, and may be sent again as a new delivery. */
  replayable: z.boolean(),
  created_at: time,
  settled_at: timeOrNull,
  next_attempt_at: timeOrNull,
  /** Until when a pause of its endpoint holds it. */
  held_until: timeOrNull,
  attempts: z.array(attempt),
})

const operation = z.object({
  operation_id: z.string(),
  kind: z.string(),
  sequence: z.int(),
  state: z.string(),
  sent_at: time,
  answered_at: timeOrNull,
  /** While nobody has answered: when the service asks next, null where a person must say, and until when it asks. */
  asking: z.object({ next_at: timeOrNull, until: time }).nullable(),
})

const refusal = z.object({
  request_id: z.string(),
  at: time,
  path: z.string(),
  status: z.int(),
  code: z.string().nullable(),
  field: z.string().nullable(),
})

/** Of so many it is shown what a shopper was refused. */
export const refusals_max = 50

export const timelineView = z.object({
  lines: z.array(line),
  /** What the service refused the shopper's page. */
  refusals: z.array(refusal),
  /** False where there may be older ones that were not looked at. */
  are_refusals_whole: z.boolean(),
  events: z.array(
    z.object({
      event_id: z.string(),
      payment_id: z.string(),
      type: z.enum([...anyEventTypes, ...compatibleOnlyTypes]),
      sequence: z.int(),
      created_at: time,
      deliveries: z.array(delivery),
    }),
  ),
  /** Every card that was tried. */
  attempts: z.array(
    z.object({
      attempt_id: z.string(),
      number: z.int(),
      card: z.object({ brand: z.string(), last4: z.string() }),
      /** Why 3-D Secure failed, in the codes of declines; and since when, where no line of the journal says that it did. */
      authentication_failure: z.object({ code: z.string(), unrecorded_since: timeOrNull }).nullable(),
    }),
  ),
  /** Every payment of the session, one for each confirmed attempt. */
  payments: z.array(
    z.object({
      payment_id: z.string(),
      attempt_id: z.string(),
      attempt_number: z.int(),
      status: z.string(),
      amount: z.int(),
      currency: z.string(),
      decline: declineView.nullable(),
      /** By when somebody was to decide, where it was held. */
      hold_deadline: timeOrNull,
      refunds: z.array(refundView),
      acquirer: z.string().nullable(),
      acquirer_transaction_id: z.string().nullable(),
      operations: z.array(operation),
    }),
  ),
  people: peopleView,
  seals: z.object({ right: z.int(), wrong: z.int(), not_yet: z.int() }),
})

/**
 * The reply's schema is an allow-list, and leaves out what only the command shows. Whoever may not list endpoints sees where
 * deliveries went, but not the rest of the address, which may hold a token of the receiver. Whoever may not read shoppers sees no
 * notes.
 */
export function viewTimeline(
  life: Life,
  refusals: FoundRows<RefusedRequest>,
  { can }: Pick<Member, 'can'>,
  now: Date,
): Omit<z.input<typeof timelineView>, 'people'> {
  const { lines, events, payments, seals } = viewLife(life, now)
  const attempts = life.cards.map((attempt) => ({
    attempt_id: attempt.attempt_id,
    number: attempt.number,
    card: { brand: attempt.brand, last4: attempt.last4 },
    authentication_failure: authenticationFailureOf(attempt, now),
  }))
  const { rows, ended_at } = refusals
  const shown = {
    lines: can('read_shoppers', life.session.mode) ? lines : lines.map(withoutNote),
    refusals: rows.slice(0, refusals_max).map(({ at, ...refusal }) => ({ ...refusal, at: timestamp(at) })),
    are_refusals_whole: ended_at === null && rows.length <= refusals_max,
    attempts,
    payments: payments.map((payment, index) => ({
      ...payment,
      hold_deadline: payment.hold?.deadline ?? null,
      operations: payment.operations.map((each, at) => ({
        ...each,
        asking: askingOf(life.payments[index]!.operations[at]!, now),
      })),
    })),
    seals,
  }
  return can('replay_deliveries', 'live') ? { ...shown, events } : { ...shown, events: events.map(withoutAddresses) }
}

/** A note of the one who escalated is free text: it may name the shopper. */
function withoutNote<Line extends { detail: Record<string, unknown> }>(line: Line): Line {
  const { note: _, ...detail } = line.detail
  return { ...line, detail }
}

function withoutAddresses(event: ReturnType<typeof viewLife>['events'][number]) {
  const deliveries = event.deliveries.map((delivery) => ({
    ...delivery,
    endpoint_url: delivery.endpoint_url && new URL(delivery.endpoint_url).origin,
    attempts: delivery.attempts.map(withoutTarget),
  }))
  return { ...event, deliveries }
}

/** The address of a redirect follows the failure's code, and is a secret as the endpoint's own. */
function withoutTarget<Attempt extends { failure: string | null }>(attempt: Attempt): Attempt {
  return { ...attempt, failure: attempt.failure && attempt.failure.split(' ')[0]! }
}
