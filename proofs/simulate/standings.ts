// Whether each charge at a vendor holds and took what our books say, once all has come to rest. Where it does not, something has to
// name it to a person; and where it does, and nothing odd befell it, nobody may be alarmed.

import type { Sql } from '../../src/database/open.ts'
import type { BookedAct, BookedCharge } from '../vendors/history.ts'
import { type Fault, unless } from './violations.ts'

/** In minor units. */
type Standing = { reserved: number; taken: number }

type Row = {
  operation_id: string
  payment_id: string
  state: string
  status: string
  amount: number
  refunded: number
  /** Something of the payment waits for a person. */
  waits: boolean
}
type Alarm = {
  reference: string
  acquirer_transaction_id: string | null
  payment_id: string | null
  /** A charge that may still be approved late. Nobody is asked about it, and none may come. */
  is_watched: boolean
  words: string
}

const nothing: Standing = { reserved: 0, taken: 0 }

/** `touched`: the references of charges that a vendor, or a person there, treated otherwise than it was asked. */
export async function faultsOfStandings(
  sql: Sql,
  { charges, touched }: { charges: BookedCharge[]; touched: Set<string> },
): Promise<Fault[]> {
  const [mark] = await sql<{ installation_id: string }[]>`select installation_id from installation`
  const own = charges.filter((charge) => charge.mark === mark?.installation_id)
  const rows = new Map((await readRows(sql)).map((row) => [row.operation_id, row]))
  const alarms = await readAlarms(sql)
  const right = new Set<string>()
  const faults = own.flatMap((charge) => {
    const row = rows.get(charge.reference)
    const [theirs, ours] = [standingOf(charge), charge.is_unasked ? nothing : bookedAs(row)]
    if (same(theirs, ours)) {
      // The vendor may never decide it, and what is asked of it until then is refused.
      const is_odd = touched.has(charge.reference) || charge.known_at === null
      if (!is_odd) right.add(row?.payment_id ?? charge.reference)
      return []
    }
    const is_named = row?.waits || alarms.some((alarm) => isAbout(alarm, charge, row))
    const words = `${JSON.stringify(theirs)} there, ${JSON.stringify(ours)} here, and nobody is told`
    const which = charge.is_unasked ? 'a second charge' : `${row?.status ?? 'unknown'} here`
    return unless(
      Boolean(is_named),
      'I18',
      `${row?.payment_id ?? ''} ${charge.reference}, ${charge.id}, ${which}: ${words}; ${deedsOf(charge)}`,
    )
  })
  const vain = alarms.filter(
    ({ payment_id, reference, is_watched }) => !is_watched && right.has(payment_id ?? reference),
  )
  return [...faults, ...vain.map(({ words }): Fault => ['I18', `an alarm where both agree: ${words}`])]
}

/** A payment stands on its own charge, whatever a person said. */
export async function faultsOfNames(sql: Sql, charges: BookedCharge[]): Promise<Fault[]> {
  const rows = await sql<{ payment_id: string; id: string; references: string[] }[]>`
    select p.payment_id, p.acquirer_transaction_id as id, array_agg(o.operation_id) as references
    from payments p join acquirer_operations o using (merchant_id, payment_id)
    where p.acquirer_transaction_id is not null group by p.payment_id, p.acquirer_transaction_id`
  const references = new Map(charges.map(({ id, reference }) => [id, reference]))
  return rows.flatMap(({ payment_id, id, references: own }) => {
    const reference = references.get(id)
    const is_own = reference === undefined || own.includes(reference)
    return unless(is_own, 'I4', `${payment_id} stands on ${id}, which is the charge ${reference}`)
  })
}

function standingOf({ amount, is_approved, known_at, taken_at, acts }: BookedCharge): Standing {
  if (!is_approved || known_at === null) return nothing
  const done = acts.filter((act) => act.is_approved)
  const sum = (...kinds: BookedAct['kind'][]) =>
    done.filter(({ kind }) => kinds.includes(kind)).reduce((total, act) => total + act.amount, 0)
  if (done.some(({ kind }) => kind === 'expire')) return nothing
  const captured = sum('capture') + (taken_at === null ? 0 : amount)
  if (captured > 0) return { reserved: 0, taken: captured - sum('refund', 'reverse') }
  return sum('void', 'reverse') > 0 ? nothing : { reserved: amount, taken: 0 }
}

/** A charge that is not approved here claims nothing, nor does what a payment that came to nothing has. */
function bookedAs(row: Row | undefined): Standing {
  if (row?.state !== 'approved') return nothing
  if (row.status === 'captured') return { reserved: 0, taken: row.amount - row.refunded }
  return row.status === 'held' ? { reserved: row.amount, taken: 0 } : nothing
}

/** An open finding, an orphan that is due, waits or was left by a person, or a notice that nobody could place. */
async function readAlarms(sql: Sql): Promise<Alarm[]> {
  return sql<Alarm[]>`
    select reference, null as acquirer_transaction_id, payment_id, false as is_watched,
      kind || ' of ' || payment_id || ', ' || reference as words
    from acquirer_findings where cleared_at is null and resolved_at is null
    union all
    select reference, acquirer_transaction_id, payment_id,
      state = 'found' and coalesce(next_try_at <= watched_until, false), 'the orphan ' || reference
    from orphan_authorisations where state in ('found', 'left')`
}

async function readRows(sql: Sql): Promise<Row[]> {
  return sql<Row[]>`
    select o.operation_id, o.payment_id, o.state, p.status, p.amount::float8 as amount,
      (select coalesce(sum(amount), 0)::float8 from refunds r where r.merchant_id = o.merchant_id
        and r.payment_id = o.payment_id and r.status = 'succeeded') as refunded,
      exists (select 1 from acquirer_operations w where w.merchant_id = o.merchant_id
        and w.payment_id = o.payment_id and w.waits_for_person_since is not null
        and w.state in ('sent', 'unknown', 'accepted', 'reversing')) as waits
    from acquirer_operations o join payments p using (merchant_id, payment_id) where o.kind = 'authorise'`
}

function isAbout(alarm: Alarm, charge: BookedCharge, row: Row | undefined): boolean {
  if (alarm.reference === charge.reference) return true
  if (alarm.acquirer_transaction_id === charge.id) return true
  return row !== undefined && alarm.payment_id === row.payment_id
}

function same(one: Standing, other: Standing): boolean {
  return one.reserved === other.reserved && one.taken === other.taken
}

/** What was done to it there, for whoever looks for the reason. */
function deedsOf({ acts }: BookedCharge): string {
  const told = acts.map(
    ({ kind, amount, known_at, is_approved, reference }) =>
      `${kind} ${amount} ${is_approved ? 'done' : 'refused'} ${known_at.toISOString()} ${reference ?? 'unnamed'}`,
  )
  return told.join(', ') || 'nothing done'
}
