// All that is known of each payment of a world: its rows, its lines in the journal, and what the bank has of it.

import type { Hold } from '../../src/checkout/hold.ts'
import type { Operation } from '../../src/checkout/operation.ts'
import type { Payment } from '../../src/checkout/payment.ts'
import type { Session } from '../../src/checkout/session.ts'
import type { Sql } from '../../src/database/open.ts'
import type { Authorisation } from './bank/authorisation.ts'
import type { Bank } from './bank/bank.ts'

type Line = { session_id: string | null; subject: string; change: string; at: Date }
type Event = { sequence: number; type: string; body: string }

type KnownOperation = Operation & {
  waits_for_person_since: Date | null
  /** `found` where a look said so, instead of an answer. */
  answer: { found?: string } | null
}

/** All that is known of one payment. Times of its first rows are texts. */
export type KnownPayment = {
  payment: Payment
  session: Session
  result: { status: string } | null
  hold: Hold | null
  operations: KnownOperation[]
  authorisations: Authorisation[]
  captures: number
  voids: number
  events: Event[]
  lines: Line[]
}

export async function readPayments(sql: Sql, bank: Bank): Promise<KnownPayment[]> {
  const rows = await sql<Pick<KnownPayment, 'payment' | 'session' | 'result' | 'hold'>[]>`
    select row_to_json(p) as payment, row_to_json(s) as session, row_to_json(h) as hold, a.result
    from payments p
    join sessions s on s.merchant_id = p.merchant_id and s.session_id = p.session_id
    join attempts a on a.merchant_id = p.merchant_id and a.attempt_id = p.attempt_id
    left join holds h on h.merchant_id = p.merchant_id and h.payment_id = p.payment_id
    order by p.payment_id`
  const found = await sql<Operation[]>`select * from acquirer_operations order by sent_at`
  const operations = Map.groupBy(found, ({ payment_id }) => payment_id)
  const told = await sql<(Event & { payment_id: string })[]>`
    select * from events order by sequence`
  const events = Map.groupBy(told, ({ payment_id }) => payment_id)
  const written = await sql<Line[]>`select * from journal order by entry_id`
  const lines = Map.groupBy(written, ({ session_id }) => session_id ?? '')
  const authorised = Map.groupBy(bank.authorisations.values(), ({ reference }) => reference)
  return rows.map((row) => {
    const own = (operations.get(row.payment.payment_id) ?? []) as KnownPayment['operations']
    const references = new Set(own.map(({ operation_id }) => operation_id))
    const authorisations = [...references].flatMap((each) => authorised.get(each) ?? [])
    const done = (kind: string) =>
      bank.settlements.filter(
        (each) =>
          each.kind === kind && each.answer.result === 'approved' && references.has(each.of),
      ).length
    const at_once = authorisations.filter((each) => each.capture && each.authorised_ms !== null)
    const session_lines = lines.get(row.session.session_id) ?? []
    return {
      ...row,
      operations: own,
      authorisations,
      captures: at_once.length + done('capture'),
      voids: done('void'),
      events: events.get(row.payment.payment_id) ?? [],
      lines: session_lines.filter(
        ({ subject, change }) =>
          subject === row.payment.payment_id || change.startsWith('attempt.'),
      ),
    }
  })
}
