// The SQL of comparisons: which process runs one, and our records of charges.

import { by, firstFromCells, fromCells } from '../../database/cells/cells.ts'
import type { Fragment, Sql } from '../../database/open.ts'
import type { BookedCharge } from '../comparison.ts'
import { takenIn } from '../payment.ts'

export type Comparison = {
  acquirer: string
  due_at: Date
  lease_until: Date | null
  ended_at: Date | null
  compared_since: Date | null
  compared_until: Date | null
  ours: number | null
  theirs: number | null
  failure: string | null
}

/**
 * Claims an acquirer until `lease_until`, if it is due or `at_once`. Returns how far it was compared, or undefined if another
 * process has it or has finished it. The lease's time identifies its holder.
 */
export async function claimComparison(
  sql: Sql,
  { acquirer, now, ...claim }: { acquirer: string; now: Date; lease_until: Date; at_once: boolean },
): Promise<Pick<Comparison, 'compared_until'> | undefined> {
  const [row] = await sql<Pick<Comparison, 'compared_until'>[]>`
    insert into acquirer_comparisons as known (acquirer, due_at, lease_until)
    values (${acquirer}, ${now}, ${claim.lease_until})
    on conflict (acquirer) do update set lease_until = excluded.lease_until
    where (known.due_at <= ${now} or ${claim.at_once}::boolean)
      and (known.lease_until is null or known.lease_until <= ${now})
    returning compared_until`
  return row
}

/** False if the lease has run out and another process has the acquirer. */
export async function extendLease(
  sql: Sql,
  { acquirer, held, until }: { acquirer: string; held: Date; until: Date },
): Promise<boolean> {
  const rows = await sql`
    update acquirer_comparisons set lease_until = ${until}
    where acquirer = ${acquirer} and lease_until = ${held} returning 1`
  return rows.length > 0
}

export async function endComparison(
  sql: Sql,
  { acquirer, held, ...end }: { acquirer: string; held: Date } & Omit<Comparison, 'lease_until'>,
): Promise<void> {
  await sql`
    update acquirer_comparisons set due_at = ${end.due_at}, lease_until = null, ended_at = ${end.ended_at},
      compared_since = ${end.compared_since}, compared_until = ${end.compared_until}, ours = ${end.ours},
      theirs = ${end.theirs}, failure = ${end.failure}
    where acquirer = ${acquirer} and lease_until = ${held}`
}

export async function failComparison(
  sql: Sql,
  fail: { acquirer: string; held: Date; due_at: Date; failure: string },
): Promise<void> {
  await sql`
    update acquirer_comparisons set due_at = ${fail.due_at}, lease_until = null, failure = ${fail.failure}
    where acquirer = ${fail.acquirer} and lease_until = ${fail.held}`
}

export async function listComparisons(sql: Sql): Promise<Comparison[]> {
  return sql<Comparison[]>`select * from acquirer_comparisons order by acquirer`
}

/**
 * Charges of the acquirer that we call approved, with references in the range: at most `limit`, after the one that is named.
 */
export async function pageBooked(
  whole: Sql,
  page: {
    acquirer: string
    from: string
    below: string
    after: Pick<BookedCharge, 'merchant_id' | 'reference'> | null
    limit: number
  },
): Promise<BookedCharge[]> {
  const { from, below, limit } = page
  const after = page.after ?? { merchant_id: '', reference: '' }
  const compare = by<BookedCharge>(
    ({ merchant_id }) => merchant_id,
    ({ reference }) => reference,
  )
  return firstFromCells(
    whole,
    { compare, limit },
    (sql) => sql<BookedCharge[]>`
    with charge as materialized (
      select o.* from merchants m cross join lateral (
        select merchant_id, operation_id, payment_id, acquirer, state, handle, acquirer_transaction_id from acquirer_operations
        where merchant_id = m.merchant_id and operation_id >= ${from} and operation_id < ${below}
          and (m.merchant_id > ${after.merchant_id} or operation_id > ${after.reference})
          and kind = 'authorise' and state = 'approved' and acquirer = ${page.acquirer}
        order by operation_id limit ${limit}) o
      where m.merchant_id >= ${after.merchant_id}
      order by m.merchant_id, o.operation_id limit ${limit}
    )
    ${bookedFrom(sql)} order by c.merchant_id, c.operation_id`,
  )
}

/** Our records under these references, which must be sorted and come from a short period. */
export async function findBooked(whole: Sql, references: string[]): Promise<BookedCharge[]> {
  if (references.length === 0) return []
  return fromCells(
    whole,
    (sql) => sql<BookedCharge[]>`
    with charge as materialized (
      select o.* from merchants m cross join lateral (
        select merchant_id, operation_id, payment_id, acquirer, state, handle, acquirer_transaction_id from acquirer_operations
        where merchant_id = m.merchant_id and operation_id between ${references[0]!} and ${references.at(-1)!}
          and kind = 'authorise'
        offset 0) o
      where o.operation_id = any(${references}::text[])
    )
    ${bookedFrom(sql)}`,
  )
}

/** The operation of a refund, or of a reversal, which may have been carried out as a refund. */
export type BookedRefund = { merchant_id: string; operation_id: string; payment_id: string }

/** Refunds and reversals at the acquirer that succeeded or wait for a person, with references in the range. Paged as above. */
export async function pageRefunds(
  whole: Sql,
  page: {
    acquirer: string
    from: string
    below: string
    after: BookedRefund | null
    limit: number
  },
): Promise<BookedRefund[]> {
  const { from, below, limit } = page
  const after = page.after ?? { merchant_id: '', operation_id: '' }
  const compare = by<BookedRefund>(
    ({ merchant_id }) => merchant_id,
    ({ operation_id }) => operation_id,
  )
  return firstFromCells(
    whole,
    { compare, limit },
    (sql) => sql<BookedRefund[]>`
    select o.* from merchants m cross join lateral (
      select merchant_id, operation_id, payment_id from acquirer_operations
      where merchant_id = m.merchant_id and operation_id >= ${from} and operation_id < ${below}
        and (m.merchant_id > ${after.merchant_id} or operation_id > ${after.operation_id})
        and kind in ('refund', 'reverse') and acquirer = ${page.acquirer}
        and (state = 'approved' or waits_for_person_since is not null)
      order by operation_id limit ${limit}) o
    where m.merchant_id >= ${after.merchant_id}
    order by m.merchant_id, o.operation_id limit ${limit}`,
  )
}

function bookedFrom(sql: Sql): Fragment {
  return sql`
    select c.operation_id as reference, c.handle, c.acquirer_transaction_id, c.merchant_id, c.payment_id, c.acquirer,
      c.state, p.*, w.*
    from charge c cross join lateral (
      select q.status as payment_status, ${takenIn(sql, sql`q`)} as amount, q.currency,
        coalesce(done.amount, 0)::bigint as refunded_amount,
        (q.refunded_amount - coalesce(done.amount, 0))::bigint as refunding_amount
      from payments q left join lateral (
        select sum(r.amount) as amount from refunds r
        where q.refunded_amount > 0 and r.merchant_id = c.merchant_id and r.payment_id = c.payment_id
          and r.status = 'succeeded') done on true
      where q.merchant_id = c.merchant_id and q.payment_id = c.payment_id offset 0) p
    cross join lateral (
      select exists (
        select 1 from acquirer_operations
        where merchant_id = c.merchant_id and payment_id = c.payment_id and kind in ('capture', 'void', 'reverse')
          and state in ('sent', 'unknown', 'accepted')) as is_under_way offset 0) w`
}
