// Checks that all sides have the same payments: clients, sessions, payments, events, the overview, and the acquirer's ledger.

import { setTimeout as pause } from 'node:timers/promises'
import { type Table, whole } from './report.ts'
import { barePool, type Started } from './service.ts'

/** `captured` is how many confirms were answered so. Throws where a payment was lost, invented or told of wrongly. */
export async function compareBooks(
  data_dir: string,
  { merchant_id }: Pick<Started, 'merchant_id'>,
  captured: number,
): Promise<Omit<Table, 'name'>> {
  const sql = await barePool(data_dir, 1)
  const [row] = await sql<Record<string, number>[]>`
    select
      (select count(*) from sessions where merchant_id = ${merchant_id} and status = 'succeeded')::int as "sessions succeeded",
      (select count(*) from payments where merchant_id = ${merchant_id} and status = 'captured')::int as "payments captured",
      (select count(*) from events where merchant_id = ${merchant_id} and type = 'payment.captured')::int as "events payment.captured",
      (select count(*) from simulator.ledger where kind = 'authorise' and captured_at is not null)::int as "captures in the simulator's ledger"`
  const counted = await countedCaptures(sql, merchant_id, captured)
  await sql.end()
  const counts = {
    'confirms answered captured': captured,
    ...row,
    'captures that the overview counts': counted,
  }
  const rows = Object.entries(counts).map(([what, count]) => [what, whole(count)])
  if (new Set(Object.values(counts)).size !== 1) {
    throw new Error(`the books differ: ${JSON.stringify(counts)}`)
  }
  return { headings: ['after all of these checkouts', 'count'], rows }
}

/** The job counts some seconds behind: this waits until it has counted so many, and gives up after two minutes. */
async function countedCaptures(
  sql: Awaited<ReturnType<typeof barePool>>,
  merchant_id: string,
  expected: number,
): Promise<number> {
  for (let tries_left = 240; ; tries_left -= 1) {
    const [row] = await sql<[{ n: number }]>`
      select coalesce(sum(n), 0)::int as n from payment_counts
      where merchant_id = ${merchant_id} and change = 'payment.captured'`
    if (row.n >= expected || tries_left === 0) return row.n
    await pause(500)
  }
}
