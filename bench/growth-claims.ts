// What the delivery loop's claim costs in a grown database: of what was told a moment ago, and of any age.

import { randomInt } from 'node:crypto'
import { claimAll, openClaimer, orderOf } from './deliver-claims.ts'
import { type Ground, livesOf, own_merchant } from './growth-fill.ts'

const claimed_at_once = 20
const claims_per_second = 50
/** Fewer than a round's checkouts make. They are queued more than once, for the sake of their number. */
const newest = { count: 200, passes: 5 }

/** What the loop claims nearly always. */
export async function claimsOfNewest(ground: Ground): Promise<number[]> {
  const payments = `
    select merchant_id, endpoint_id, payment_id from webhook_deliveries
    where merchant_id = ${own_merchant} order by delivery_id desc limit ${newest.count}`
  const times: number[] = []
  for (let pass = 0; pass < newest.passes; pass += 1) {
    times.push(...(await claims(ground, { payments, values: [] })))
  }
  return times
}

/** None of the deliveries is nearer at hand than another. */
export async function claimsOfAnyAge(ground: Ground): Promise<number[]> {
  const { size, seconds } = ground
  const count = Math.ceil(claims_per_second * seconds) * claimed_at_once
  // Three of ten have a payment.
  const numbers = Array.from({ length: count * 4 }, () => randomInt(size))
  const payments = `
    select merchant_id, endpoint_id, payment_id from (${livesOf('unnest($2::bigint[])')}) l
    where payment_id is not null limit ${count}`
  return claims(ground, { payments, values: [`{${numbers}}`] })
}

/**
 * Queues a delivery for each of these payments' first events, due in a time that only the claims here are told has come: the
 * service lets them lie. `$2` and on are the values.
 */
async function claims(
  { data_dir, sql }: Ground,
  { payments, values }: { payments: string; values: string[] },
): Promise<number[]> {
  const then = new Date(Date.now() + 365 * 24 * 3_600_000)
  await sql.unsafe(
    `insert into webhook_queue
      (merchant_id, delivery_id, endpoint_id, class, due_at, attempt_number, payment_id, sequence, root_id,
       root_created_at, created_at)
    select merchant_id, id, endpoint_id, 0, $1::timestamptz, 0, payment_id, 1, id, $1, $1
    from (${payments}) p, lateral (select webhook_id($1::timestamptz, payment_id) as id) d
    on conflict do nothing`,
    [then, ...values],
  )
  const claimer = await openClaimer(data_dir)
  try {
    const times = await claimAll(claimer.sql, await orderOf(claimer.sql, claimed_at_once, then))
    // The first one opens the connection.
    return times.slice(1)
  } finally {
    await claimer.close()
    await sql`delete from webhook_queue where created_at = ${then}`
    await sql`vacuum webhook_queue`
  }
}
