// Compares what a world's sessions and payments say with who may say it: the shop's server, its price list, the shopper's bank.

import type { Sql } from '../../src/database/open.ts'
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

/** Each captured payment of a shop that has an order reference, and how many were captured for it in the same mode. */
export async function countOrders(
  sql: Sql,
  merchant_id: string,
): Promise<{ payment_id: string; others: number }[]> {
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
