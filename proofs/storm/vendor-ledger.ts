// A vendor's books as rows of the ledger that a storm's checks read.

import { type LedgerEntry, noAuthorisation } from '../../src/acquirers/simulated-acquirer/ledger.ts'
import type { Sql } from '../../src/database/open.ts'
import type { BookedAct, BookedCharge } from '../vendors/history.ts'
import { isApproved } from '../vendors/judge.ts'
import { isOurs } from '../vendors/portal.ts'

/** Puts our charges where the checks look for them: into the schema `simulator` of our database, where nobody wrote. */
export async function layBeside(sql: Sql, charges: BookedCharge[], installation: string): Promise<void> {
  const failed = await sql<{ operation_id: string }[]>`
    select o.operation_id from acquirer_operations o join payments p using (merchant_id, payment_id)
    where o.kind = 'authorise' and p.status = 'failed'`
  const failed_here = new Set(failed.map(({ operation_id }) => operation_id))
  const own = charges.filter(
    (charge) =>
      charge.mark === installation && !(failed_here.has(charge.reference) && charge.acts.some(isVoidByPeople)),
  )
  const rows = own.flatMap((charge) => [chargeRow(charge), ...actRows(charge)])
  // A reference that came twice is a fault of its own, which the judge of the vendor's books finds.
  const by_reference = new Map(rows.map((row) => [row.reference, row]))
  await sql`truncate simulator.ledger`
  await sql`insert into simulator.ledger select * from json_populate_recordset(
    null::simulator.ledger, ${JSON.stringify([...by_reference.values()])}::text::json)`
}

/** Of a charge whose answer was not known here yet: it came to nothing on both sides. */
function isVoidByPeople({ kind, is_approved, reference }: BookedAct): boolean {
  return kind === 'void' && is_approved && !isOurs(reference)
}

function chargeRow(charge: BookedCharge): LedgerEntry {
  const { reference, mark, id, amount, currency, asked_at, known_at, capture } = charge
  const done = charge.acts.filter(({ is_approved }) => is_approved)
  const when = (kind: BookedAct['kind']) => done.find((act) => act.kind === kind)?.known_at ?? null
  const given = done.filter(({ kind, reference: own }) => kind === 'refund' && isOurs(own))
  const result = known_at === null ? null : charge.is_approved ? 'approved' : 'declined'
  return {
    ...plain,
    reference,
    kind: 'authorise',
    authorisation_reference: reference,
    installation: mark,
    transaction_id: id,
    amount,
    currency,
    result,
    known_at,
    capture,
    requested_at: asked_at,
    behaviour: charge.behaviour,
    authorised_at: isApproved(charge) ? known_at : null,
    captured_at: charge.taken_at ?? when('capture'),
    voided_at: when('void'),
    reversed_at: when('reverse'),
    refunded_amount: given.reduce((total, act) => total + act.amount, 0),
  }
}

function actRows({ id, reference, currency, acts }: BookedCharge): LedgerEntry[] {
  return acts.flatMap(({ kind, ...act }, index) => {
    // What nobody here asked for has no operation: its charge's standing is judged.
    if (kind === 'expire' || !isOurs(act.reference)) return []
    return {
      ...plain,
      authorisation_reference: reference,
      currency,
      kind,
      reference: act.reference ?? `${id} ${index}`,
      transaction_id: act.id ?? id,
      amount: act.amount,
      result: act.is_approved ? 'approved' : 'refused',
      known_at: act.known_at,
      requested_at: act.asked_at,
    }
  })
}

const plain = { ...noAuthorisation, decline_code: null, decline_category: null, reason: null }
