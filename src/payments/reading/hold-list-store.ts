// The SQL that lists the holds of one mode that wait, by their deadline, along one index.

import type { Sql } from '../../database/open.ts'
import type { FoundRows } from '../../http/list-page.ts'
import { millisecondsOf } from '../../kernel/ids.ts'
import type { Mode } from '../../kernel/values.ts'
import type { OtherPayment } from '../views.ts'
import { lines_max } from './line-look.ts'
import type { HoldWithPayment } from './operator-store.ts'
import { otherPayments } from './other-payment-store.ts'

export type ListedHold = HoldWithPayment & {
  other_payments: OtherPayment[]
  /** Who escalated it, as the journal has it, and what they noted. */
  escalation: { actor: string; note: string | null } | null
}

/** What a hold waits for: that somebody judges its amount, or that the goods leave. */
export const waitedFors = ['review', 'capture'] as const
export type WaitedFor = (typeof waitedFors)[number]

/**
 * Waiting holds behind a position; null is the beginning. No index knows the mode, so that the other mode's holds are looked
 * at, too, and so many of both are.
 */
export async function listWaitingHolds(
  sql: Sql,
  { merchant_id, mode, waits_for }: { merchant_id: string; mode: Mode; waits_for: WaitedFor | undefined },
  { behind, limit }: { behind: string | null; limit: number },
): Promise<FoundRows<ListedHold>> {
  const begin =
    behind === null
      ? sql``
      : sql`and (deadline, payment_id) > (${new Date(millisecondsOf(behind))}, ${`pay_${behind.slice(12)}`})`
  const order = sql`order by deadline, payment_id`
  const isAsked = waits_for === undefined ? sql`` : sql`and (reason = 'manual_capture') = ${waits_for === 'capture'}`
  const found = await sql<(ListedHold & { place: number })[]>`
    select r.*, s.settlement, s.answer_by,
      o.kind as operation_kind, o.asked_by as operation_asked_by, o.sent_at as operation_sent_at,
      ${otherPayments(sql, sql`r`)},
      case when r.status = 'escalated' then (
        select json_build_object('actor', actor, 'note', detail ->> 'note') from journal
        where merchant_id = r.merchant_id and session_id = r.session_id and subject = r.payment_id
          and change = 'hold.escalated'
        order by entry_id desc limit 1)
      end as escalation
    from (
      select * from (
        select l.*, p.*, row_number() over (${order})::int as place
        from (
          select * from holds where merchant_id = ${merchant_id} and decided_at is null ${begin}
          ${order} limit ${lines_max}
        ) l
        cross join lateral (
          select session_id, amount, currency, mode, order_reference, customer_email, created_at from payments
          where merchant_id = l.merchant_id and payment_id = l.payment_id offset 0
        ) p
      ) n
      where (mode = ${mode} ${isAsked}) or place = ${lines_max}
      ${order} limit ${limit}
    ) r
    join sessions s on s.merchant_id = r.merchant_id and s.session_id = r.session_id
    left join acquirer_operations o on o.merchant_id = r.merchant_id and o.operation_id = r.operation_id
    order by r.deadline, r.payment_id`
  const last = found.at(-1)
  return {
    rows: found.filter((hold) => hold.mode === mode && isFor(hold, waits_for)),
    ended_at: last?.place === lines_max ? positionOfHold(last) : null,
  }
}

function isFor({ reason }: { reason: string }, waits_for: WaitedFor | undefined): boolean {
  return waits_for === undefined || (reason === 'manual_capture') === (waits_for === 'capture')
}

/** Of a hold in the list: its deadline, then the digits of its payment's id. */
export function positionOfHold({ deadline, payment_id }: Pick<HoldWithPayment, 'deadline' | 'payment_id'>): string {
  return deadline.getTime().toString(16).padStart(12, '0') + payment_id.slice('pay_'.length)
}
