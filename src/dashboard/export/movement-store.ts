// The SQL of movements, newest first: each capture, refund and note of money given back another way, at the time of the line that the journal has of it.

import type { Sql } from '../../database/open.ts'
import type { FoundRows } from '../../http/list-page.ts'
import type { Mode } from '../../kernel/values.ts'
import { takenIn } from '../../payments/payment.ts'
import { endOf, lineSpan, lines_max } from '../../payments/reading/line-look.ts'
import type { SpanFilters } from '../../payments/reading/list-filters.ts'

export type MovementFilters = SpanFilters & { merchant_id: string; mode: Mode }

export type Movement = {
  entry_id: string
  at: Date
  /** `refund_returned`: a refund that had succeeded failed at the acquirer, so its money came back. */
  kind: 'capture' | 'refund' | 'refund_returned' | 'settled_another_way' | 'settlement_undone'
  amount: number
  currency: string
  payment_id: string
  refund_id: string | null
  session_id: string
  mode: Mode
  order_reference: string | null
  customer_email: string | null
  /** Null for what was settled another way: the acquirer moved nothing. */
  acquirer: string | null
  /** Of the refund, where it is one. */
  acquirer_transaction_id: string | null
  payment_created_at: Date
}

export async function listMovements(
  sql: Sql,
  filters: MovementFilters,
  { behind, limit }: { behind: string | null; limit: number },
): Promise<FoundRows<Movement>> {
  const { merchant_id, mode } = filters
  const movements = await sql<(Movement & { place: number })[]>`
    select n.entry_id, n.at, n.place,
      case n.change when 'payment.captured' then 'capture' when 'refund.succeeded' then 'refund'
        when 'refund.failed' then 'refund_returned' when 'refund.reopened' then 'settlement_undone'
        else 'settled_another_way' end as kind,
      case when n.is_other_way then (n.detail->>'amount')::bigint
        else coalesce(r.amount, ${takenIn(sql, sql`p`)}) end as amount,
      p.currency, p.payment_id, case when n.is_other_way then n.detail->>'refund_id' else r.refund_id end as refund_id,
      p.session_id, p.mode, p.order_reference, p.customer_email,
      case when not n.is_other_way then p.acquirer end as acquirer,
      case when n.change = 'payment.captured' then p.acquirer_transaction_id else r.acquirer_transaction_id end
        as acquirer_transaction_id,
      p.created_at as payment_created_at
    from (
      select l.*, row_number() over (order by entry_id desc)::int as place from (
        select entry_id, subject, change, at, detail,
          change in ('refund.settled_otherwise', 'refund.reopened') as is_other_way
        from journal
        where merchant_id = ${merchant_id} ${lineSpan(sql, filters, behind)}
        order by entry_id desc limit ${lines_max}
      ) l
    ) n
    left join lateral (
      select f.refund_id, f.payment_id, f.amount, o.acquirer_transaction_id from refunds f
      join acquirer_operations o on o.merchant_id = f.merchant_id and o.operation_id = f.operation_id
      where n.change in ('refund.succeeded', 'refund.failed')
        and f.merchant_id = ${merchant_id} and f.refund_id = n.subject
        -- What failed at once moved nothing.
        and (n.change = 'refund.succeeded' or exists (
          select 1 from events where merchant_id = ${merchant_id} and payment_id = n.subject and sequence = 1
            and type = 'refund.succeeded'))
      offset 0
    ) r on true
    left join lateral (
      select * from payments
      where (n.change = 'payment.captured' or n.is_other_way or r.refund_id is not null)
        and merchant_id = ${merchant_id} and payment_id = coalesce(r.payment_id, n.subject) and mode = ${mode}
      offset 0
    ) p on true
    where p.payment_id is not null or n.place = ${lines_max}
    order by n.entry_id desc limit ${limit}`
  return { rows: movements.filter(({ payment_id }) => payment_id !== null), ended_at: endOf(movements.at(-1)) }
}
