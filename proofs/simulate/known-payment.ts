// All that is known of each payment of a world: its rows, its lines in the journal, and what the bank has of it.

import type { Sql } from '../../src/database/open.ts'
import { connectionNamed } from '../../src/merchants/account-connection.ts'
import type { Hold } from '../../src/payments/hold.ts'
import type { Operation } from '../../src/payments/operation.ts'
import type { Payment } from '../../src/payments/payment.ts'
import type { Session } from '../../src/payments/session.ts'
import type { Authorisation } from './bank/authorisation.ts'
import type { Bank } from './bank/bank.ts'

type Line = { session_id: string | null; subject: string; change: string; at: Date }
type Event = { sequence: number; type: string; body: string }

export type KnownOperation = Operation & {
  waits_for_person_since: Date | null
  answered_at: Date | null
  /** When the first notice about it came; null for none. */
  noticed_at: Date | null
  /** `found` where a look said so, instead of an answer. */
  answer: { found?: string; acquirer_transaction_id?: string | null; by_person?: true } | null
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
  const found = await sql<Operation[]>`
    select o.*, (select min(n.received_at) from acquirer_notices n
      where n.merchant_id = o.merchant_id and n.reference = o.operation_id and n.about = o.kind) as noticed_at
    from acquirer_operations o order by o.sent_at`
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
    const session_lines = lines.get(row.session.session_id) ?? []
    const authorisations = own.flatMap((operation) =>
      (authorised.get(operation.operation_id) ?? []).map((entry) =>
        withPeople(withNotice(entry, operation), { ...row, lines: session_lines, bank }),
      ),
    )
    const done = (kind: string) =>
      bank.settlements.filter(
        (each) => each.kind === kind && each.answer.result === 'approved' && references.has(each.of),
      ).length
    const at_once = authorisations.filter((each) => each.capture && each.authorised_ms !== null)
    return {
      ...row,
      operations: own,
      authorisations,
      captures: at_once.length + done('capture'),
      voids: done('void'),
      events: events.get(row.payment.payment_id) ?? [],
      lines: session_lines.filter(
        ({ subject, change }) => subject === row.payment.payment_id || change.startsWith('attempt.'),
      ),
    }
  })
}

/** A notice that was taken in may wait for its job, and for the lease of a process that died. */
export const handled_within_ms = 120_000

/** Nobody can ask Adyen. Where its notice was not handled before a charge was given up, its approval counts as late. */
export function withNotice(
  entry: Authorisation,
  { acquirer, state, answered_at, noticed_at }: KnownOperation,
): Authorisation {
  const is_told = connectionNamed(acquirer)?.connector === 'adyen' && state === 'failed'
  if (!is_told || !answered_at || !noticed_at) return entry
  if (noticed_at.getTime() + handled_within_ms <= answered_at.getTime()) return entry
  const late = { what: 'late' as const, at_ms: noticed_at.getTime() }
  return {
    ...entry,
    surprises: [...entry.surprises, ...(entry.result === 'approved' ? [late] : [])],
  }
}

type Outcome = {
  payment: Pick<Payment, 'payment_id' | 'status'>
  lines: Line[]
  bank: Pick<Bank, 'settlements'>
}

/** A reversal that is refused is asked for again at least so often. */
const asked_again_ms = 24 * 3_600_000

/** What people do about a charge of a payment that came to nothing: they refund all of it, or leave what no reversal takes back. */
export function withPeople(entry: Authorisation, { payment, lines, bank }: Outcome): Authorisation {
  if (payment.status !== 'failed' && payment.status !== 'declined') return entry
  const left = lines.find(({ subject, change }) => subject === payment.payment_id && change === 'orphan.left')
  const at_ms = left?.at.getTime() ?? Number.NEGATIVE_INFINITY
  const is_refused = bank.settlements.some(
    ({ kind, of, answer, known_ms }) =>
      kind === 'reverse' &&
      of === entry.reference &&
      answer.result === 'refused' &&
      Math.abs(at_ms - known_ms) < asked_again_ms,
  )
  return {
    ...entry,
    reversed_ms: entry.reversed_ms ?? entry.refunded_ms,
    surprises: [...entry.surprises, ...(is_refused ? [{ what: 'left' as const, at_ms }] : [])],
  }
}
