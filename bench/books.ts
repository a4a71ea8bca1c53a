// Whether all sides tell of the same payments: clients, sessions, payments, events, and the acquirer's ledger.

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
  await sql.end()
  const counts = { 'confirms answered captured': captured, ...row }
  const rows = Object.entries(counts).map(([what, count]) => [what, whole(count)])
  if (new Set(Object.values(counts)).size !== 1) {
    throw new Error(`the books differ: ${JSON.stringify(counts)}`)
  }
  return { headings: ['after all of these checkouts', 'count'], rows }
}
