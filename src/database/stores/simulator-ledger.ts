// Keeps the simulated acquirer's books in the database, in a schema of their own.

import type { LiveAuthorisation } from '../../acquirers/acquirer.ts'
import type { Ledger, LedgerEntry } from '../../acquirers/simulated-acquirer/ledger.ts'
import { assignments, rowIf, rowValues } from '../driver/rows.ts'
import type { Sql } from '../open.ts'

export function openLedger(sql: Sql): Ledger {
  const find = async (reference: string) => {
    const [row] = await sql<LedgerEntry[]>`select * from simulator.ledger where reference = ${reference}`
    return row ?? null
  }
  return {
    find,
    async insert(entry) {
      const [row] = await sql<LedgerEntry[]>`
        insert into simulator.ledger ${rowValues(sql, entry)} on conflict do nothing returning *`
      return row ?? (await find(entry.reference))!
    },
    async settle(operation, authorisation) {
      const rows = await sql`
        with authorisation as (
          update simulator.ledger set ${assignments(
            sql,
            authorisation,
            'captured_at',
            'captured_amount',
            'voided_at',
            'reversed_at',
            'refunded_amount',
            'refused_before',
            'version',
          )}
          where reference = ${authorisation.reference} and version = ${authorisation.version - 1}
            and not exists (select 1 from simulator.ledger where reference = ${operation.reference})
          returning 1
        )
        insert into simulator.ledger ${rowIf(sql, operation, 'authorisation')} returning 1`
      return rows.length > 0
    },
    async listLive({ since, until }) {
      return await sql<LiveAuthorisation[]>`
        select reference, transaction_id as acquirer_transaction_id, installation,
          coalesce(captured_amount, amount) as amount, currency, refunded_amount,
          captured_at is not null as captured, authorised_at
        from simulator.ledger
        where authorised_at between ${since} and ${until} and voided_at is null and reversed_at is null
        order by authorised_at`
    },
  }
}
