// The SQL of findings: the disagreements between our books and an acquirer's, until both agree or a person closes them.

import { wholeOf } from '../../database/cells/cells.ts'
import type { AnySql, Fragment, Sql } from '../../database/open.ts'
import type { Mode } from '../../kernel/values.ts'
import type { Finding, NewFinding } from '../comparison.ts'
import type { Payment, PaymentKey } from '../payment.ts'

/** There are seldom more than a few. */
const open_max = 1000

/**
 * Saves the findings of these references: new ones, old ones seen again, and the clearing of those that are gone. A finding
 * that a person closed stays closed, unless either side has changed since. Returns the open findings that were not open before.
 */
export async function saveFindings(
  own: Sql,
  { acquirer, references, found, at }: { acquirer: string; references: string[]; found: NewFinding[]; at: Date },
): Promise<Finding[]> {
  const sql = wholeOf(own)
  return sql<Finding[]>`
    with seen as materialized (
      select * from json_to_recordset(${found as never}::json) as found (
        acquirer text, reference text, kind text, mode text, merchant_id text, payment_id text, ours json, theirs json,
        found_at timestamptz, seen_at timestamptz)
    ), meant as materialized (
      select acquirer, reference, kind, cleared_at, resolved_at, ours, theirs from acquirer_findings
      where acquirer = ${acquirer} and reference = any(${references}::text[])
      order by acquirer, reference, kind for update
    ), gone as (
      update acquirer_findings f set cleared_at = ${at} from meant m
      where f.acquirer = m.acquirer and f.reference = m.reference and f.kind = m.kind and m.cleared_at is null
        and m.resolved_at is null
        and not exists (select 1 from seen s where s.reference = m.reference and s.kind = m.kind)
    ), again as materialized (
      select s.acquirer, s.reference, s.kind, m.cleared_at is not null
        or (m.resolved_at is not null and (m.ours::text <> s.ours::text or m.theirs::text <> s.theirs::text)) as is_new
      from seen s join meant m on m.acquirer = s.acquirer and m.reference = s.reference and m.kind = s.kind
    ), changed as (
      insert into acquirer_findings as f
        (acquirer, reference, kind, mode, merchant_id, payment_id, ours, theirs, found_at, seen_at)
      select acquirer, reference, kind, mode, merchant_id, payment_id, ours, theirs, found_at, seen_at from seen
      -- Reads "meant", so that the existing findings are read before they change.
      where (select count(*) from meant) >= 0
      order by acquirer, reference collate "C", kind
      on conflict (acquirer, reference, kind) do update set
        ours = excluded.ours, theirs = excluded.theirs, seen_at = excluded.seen_at,
        found_at = case when ${isNew(sql)} then excluded.found_at else f.found_at end,
        cleared_at = null,
        resolved_at = case when ${isNew(sql)} then null else f.resolved_at end,
        resolved_by = case when ${isNew(sql)} then null else f.resolved_by end,
        resolved_reason = case when ${isNew(sql)} then null else f.resolved_reason end
      returning *
    )
    select c.* from changed c
    where not exists (
      select 1 from again a
      where a.acquirer = c.acquirer and a.reference = c.reference and a.kind = c.kind and not a.is_new)
    order by c.acquirer, c.reference, c.kind`
}

/** Whether the existing row `f` counts as new: it was cleared, or it was closed and has changed. */
function isNew(sql: Sql): Fragment {
  return sql`(f.cleared_at is not null or (f.resolved_at is not null
    and (f.ours::text <> excluded.ours::text or f.theirs::text <> excluded.theirs::text)))`
}

/**
 * The references with an open finding that was not seen since `since`, the longest unseen first. Those of refunds are left out:
 * the comparison looks at charges.
 */
export async function findUnseen(
  sql: Sql,
  { acquirer, since, limit }: { acquirer: string; since: Date; limit: number },
): Promise<string[]> {
  const rows = await sql<{ reference: string }[]>`
    select reference from acquirer_findings
    where acquirer = ${acquirer} and seen_at < ${since} and ${isOpen(sql)} and theirs ->> 'state' <> 'refunded'
    group by reference order by min(seen_at), reference limit ${limit}`
  return rows.map(({ reference }) => reference)
}

/** Open findings, the newest first, then the others on request. `acquirer` null means any. */
export async function listFindings(
  sql: Sql,
  which: { acquirer: string | null; closed_too: boolean; limit: number },
): Promise<Finding[]> {
  const { acquirer, closed_too, limit } = which
  return sql<Finding[]>`
    select * from acquirer_findings
    where ${closed_too ? sql`true` : isOpen(sql)} ${acquirer === null ? sql`` : sql`and acquirer = ${acquirer}`}
    order by coalesce(cleared_at, resolved_at) desc nulls first, found_at desc, acquirer, reference, kind
    limit ${limit}`
}

/** What the acquirer records otherwise of a payment. */
export type Difference = Pick<Finding, 'kind' | 'ours' | 'theirs'>

/** The open findings of a payment, the newest first. Each bears the reference of one of its operations. */
export async function findDifferences(sql: Sql, { merchant_id, payment_id }: PaymentKey): Promise<Difference[]> {
  return sql<Difference[]>`
    select f.kind, f.ours, f.theirs
    from acquirer_operations o join acquirer_findings f on f.acquirer = o.acquirer and f.reference = o.operation_id
    where o.merchant_id = ${merchant_id} and o.payment_id = ${payment_id} and f.merchant_id = ${merchant_id} and ${isOpen(sql)}
    order by f.found_at desc, f.kind limit ${open_max}`
}

export type DifferingPayment = Pick<Payment, 'payment_id' | 'order_reference' | 'amount' | 'currency'> & Difference

/** The newest payments of a merchant with an open finding, each with the newest one. It looks at so many of those that are open. */
export async function listDifferingPayments(
  sql: Sql,
  { merchant_id, mode, limit }: { merchant_id: string; mode: Mode; limit: number },
): Promise<DifferingPayment[]> {
  return sql<DifferingPayment[]>`
    select p.payment_id, p.order_reference, p.amount, p.currency, f.kind, f.ours, f.theirs from (
      select distinct on (payment_id) * from (
        select merchant_id, mode, payment_id, kind, ours, theirs, found_at from acquirer_findings
        where ${isOpen(sql)} order by acquirer desc, seen_at desc limit ${open_max}
      ) newest
      where merchant_id = ${merchant_id} and mode = ${mode} order by payment_id, found_at desc, kind
    ) f
    cross join lateral (
      select payment_id, order_reference, amount, currency from payments
      where merchant_id = ${merchant_id} and payment_id = f.payment_id offset 0) p
    order by f.found_at desc, p.payment_id limit ${limit}`
}

export async function countOpenFindings(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from acquirer_findings where ${isOpen(sql)}`
  return row.count
}

/** Closes the open findings of these references on behalf of a person. Returns the closed ones. */
export async function closeFindings(
  sql: AnySql,
  which: { acquirer: string | null; references: string[] },
  { at, by, reason }: { at: Date; by: string; reason: string },
): Promise<Finding[]> {
  const { acquirer, references } = which
  return sql<Finding[]>`
    with meant as materialized (
      select acquirer, reference, kind from acquirer_findings
      where reference = any(${references}::text[]) and ${isOpen(sql)}
        ${acquirer === null ? sql`` : sql`and acquirer = ${acquirer}`}
      order by acquirer, reference, kind for update
    )
    update acquirer_findings f set resolved_at = ${at}, resolved_by = ${by}, resolved_reason = ${reason} from meant m
    where f.acquirer = m.acquirer and f.reference = m.reference and f.kind = m.kind
    returning f.*`
}

export function isOpen(sql: AnySql): Fragment {
  return sql`(cleared_at is null and resolved_at is null)`
}

/** Keeps it until a person closes it. False if it was open, or closed by a person, before. */
export async function noteFinding({ sql }: { sql: Sql }, finding: NewFinding): Promise<boolean> {
  const { acquirer, reference, found_at: at } = finding
  const rows = { acquirer, references: [reference], found: [finding], at }
  return (await saveFindings(sql, rows)).length > 0
}
