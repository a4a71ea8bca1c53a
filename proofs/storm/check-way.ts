// What must not have been so on the way, though it came right in the end: money taken twice, or for what had failed.

import type { Sql } from '../../src/database/open.ts'

/** Clocks of processes that are right differ by less. */
const slack = '2 seconds'

export async function faultsOfWay(sql: Sql): Promise<string[]> {
  return [...(await chargedTwice(sql)), ...(await takenThough(sql))]
}

/** Two authorisations of one session that were live at once. */
async function chargedTwice(sql: Sql): Promise<string[]> {
  const rows = await sql<{ session_id: string; one: string; other: string }[]>`
    with live as (
      select p.session_id, p.payment_id, l.reference, l.authorised_at as from_at,
        least(coalesce(l.voided_at, 'infinity'), coalesce(l.reversed_at, 'infinity')) as to_at
      from simulator.ledger l
      join acquirer_operations o on o.operation_id = l.reference
      join payments p on p.merchant_id = o.merchant_id and p.payment_id = o.payment_id
      where l.kind = 'authorise' and l.authorised_at is not null)
    select one.session_id, one.payment_id as one, other.payment_id as other
    from live one join live other on other.session_id = one.session_id
      and other.reference > one.reference and other.from_at < one.to_at and one.from_at < other.to_at`
  return rows.map(
    ({ session_id, one, other }) =>
      `a shopper who was charged twice: ${one} and ${other} of ${session_id} were live at once`,
  )
}

/** What was authorised there after it had failed or been declined here, and what nobody here took back in order. */
async function takenThough(sql: Sql): Promise<string[]> {
  const rows = await sql<{ payment_id: string; status: string; captured: boolean; is_late: boolean }[]>`
    select p.payment_id, p.status, l.captured_at is not null as captured,
      l.authorised_at > p.settled_at + ${slack}::interval as is_late
    from simulator.ledger l
    join acquirer_operations o on o.operation_id = l.reference
    join (select p.*, a.settled_at from payments p join attempts a
      on a.merchant_id = p.merchant_id and a.attempt_id = p.attempt_id) p
      on p.merchant_id = o.merchant_id and p.payment_id = o.payment_id
    where l.kind = 'authorise' and l.authorised_at is not null and p.status in ('failed', 'declined')
      and (l.authorised_at > p.settled_at + ${slack}::interval or not exists (
        select 1 from acquirer_operations r where r.merchant_id = o.merchant_id
          and r.payment_id = o.payment_id and r.kind = 'reverse' and r.state = 'approved'))`
  return rows.map(
    ({ payment_id, status, captured, is_late }) =>
      `${payment_id}: ${status} here, ${captured ? 'captured' : 'authorised'} there${is_late ? ', and later' : ''}`,
  )
}
