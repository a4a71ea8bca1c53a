// Payouts without a report: rows alone, for what only lists and shows them.

import type { Sql } from '../../src/database/open.ts'
import type { Mode } from '../../src/kernel/values.ts'

type Wish = { merchant_id: string; mode: Mode; vendor_id: string }

/** An empty payout, through a connection of its mode that is made with it. */
export async function insertPayout(sql: Sql, { merchant_id, mode, vendor_id }: Wish): Promise<string> {
  const hex = (length: number) => crypto.randomUUID().replaceAll('-', '').slice(0, length)
  const [connection_id, payout_id, at] = [`conn_${hex(24)}`, `po_${hex(24)}`, new Date()]
  const label = `of-${payout_id}`
  await sql`
    insert into connections (merchant_id, connection_id, kind, connector, label, mode, state, sealed_credentials, created_at,
      disabled_at)
    values (${merchant_id}, ${connection_id}, 'acquirer', 'stripe', ${label}, ${mode === 'test' ? 'sandbox' : 'live'},
      'disabled', ${Buffer.from('sealed')}, ${at}, ${at})`
  await sql`
    insert into payouts (merchant_id, payout_id, connection_id, account, vendor_id, mode, currency, created_at)
    values (${merchant_id}, ${payout_id}, ${connection_id}, '', ${vendor_id}, ${mode}, 'GBP', ${at})`
  return payout_id
}
