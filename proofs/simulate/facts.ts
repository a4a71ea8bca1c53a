// Compares what a world's sessions and payments say with who may say it: the shop's server, its price list, the shopper's bank, the
// vendor.

import type { Sql } from '../../src/database/open.ts'
import type { KnownPayment } from './known-payment.ts'
import type { Memory } from './memory.ts'
import { emails, price_list } from './purchase.ts'
import { type Fault, unless } from './violations.ts'

type Line = { sku: string; name: string | null; tax_rate: number | null; tax_amount: number | null }
type Row = {
  session_id: string
  email: string | null
  source: string
  items: Line[] | null
  bodies: string | null
}

/** Of sessions: an address that was named is not replaced, and what counts as verified is the list's in words and taxes. */
export async function faultsOfPurchases(sql: Sql, { sessions }: Memory): Promise<Fault[]> {
  const rows = await sql<Row[]>`
    select session_id, customer->>'email' as email, amount_verification_source as source, items,
      (select string_agg(e.body, ' ') from payments p join events e using (merchant_id, payment_id)
       where p.merchant_id = s.merchant_id and p.session_id = s.session_id) as bodies
    from sessions s order by session_id`
  return rows.flatMap(({ session_id, email, source, items, bodies }) => {
    const named = sessions.get(session_id)?.email ?? null
    const is_told = named !== null && (bodies?.includes(emails.typed) ?? false)
    const lines = source === 'price_list' ? (items ?? []) : []
    const wrong = lines.find((line) => !isOnList(line))
    return [
      ...unless(named === null || email === named, 'I15', `${session_id}: its email is ${email}`),
      ...unless(!is_told, 'I15', `${session_id}: its events name another email`),
      ...unless(!wrong, 'I15', `${session_id}: verified as ${JSON.stringify(wrong)}`),
    ]
  })
}

function isOnList({ sku, name, tax_rate, tax_amount }: Line): boolean {
  const item = price_list.find((each) => each.sku === sku)
  const is_named = name === null || name === item?.name
  return is_named && tax_amount === null && tax_rate === (item?.tax_rate ?? null)
}

/** Nobody claims an indicator that the shopper's bank has not given, nor what only that would give. */
export function faultsOfAuthentication({ payment, authorisations }: KnownPayment, without_eci: Set<string>): Fault[] {
  const { payment_id, authentication } = payment
  return authorisations.flatMap(({ three_ds }) => {
    if (!three_ds || !without_eci.has(three_ds.ds_transaction_id ?? '')) return []
    const told = authentication?.eci ?? null
    const is_shifted = authentication?.liability_shifted ?? false
    return [
      ...unless(three_ds.eci === null, 'I15', `${payment_id}: sent with ECI ${three_ds.eci}`),
      ...unless(told === null && !is_shifted, 'I15', `${payment_id}: told with ECI ${told}`),
    ]
  })
}

/** What a vendor says of liability is what a shop is told. A person's word says nothing of it. */
export function faultsOfShift({ payment, operations, authorisations }: KnownPayment): Fault[] {
  const { payment_id, authentication } = payment
  const approvals = operations.filter(({ state, answer }) => state === 'approved' && !answer?.by_person)
  const is_refused = authorisations.some(
    ({ reference, refuses_shift }) => refuses_shift && approvals.some(({ operation_id }) => operation_id === reference),
  )
  const is_told = authentication?.liability_shifted ?? false
  return unless(!(is_refused && is_told), 'I15', `${payment_id}: a refused shift is told as one`)
}

/** Each captured payment of a shop that has an order reference, and how many were captured for it in the same mode. */
export async function countOrders(sql: Sql, merchant_id: string): Promise<{ payment_id: string; others: number }[]> {
  return sql<{ payment_id: string; others: number }[]>`
    select p.payment_id, (
      select count(*)::int from payments o where o.merchant_id = p.merchant_id
        and o.order_reference = p.order_reference and o.mode = p.mode and o.status = 'captured') as others
    from payments p
    where p.merchant_id = ${merchant_id} and p.order_reference is not null and p.status = 'captured'
    order by p.order_reference, p.payment_id`
}

export async function changeMode(
  sql: Sql,
  { merchant_id, payment_id, mode }: { merchant_id: string; payment_id: string; mode: string },
): Promise<void> {
  await sql`
    update payments set mode = ${mode}
    where merchant_id = ${merchant_id} and payment_id = ${payment_id}`
}
