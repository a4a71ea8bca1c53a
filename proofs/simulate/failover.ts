// A failover that loses the last commits: the database goes back, all processes die, and people look at what was lost.

import type { Sql } from '../../src/database/open.ts'
import { millisecondsOf } from '../../src/kernel/ids.ts'
import { service_actor } from '../../src/payments/orphan.ts'
import { leaveUnreversed, reverseHeldBack } from '../../src/payments/orphans/decide-orphans.ts'
import { listBrakes, releaseBrakes } from '../../src/payments/orphans/orphan-brake-store.ts'
import { isHeldBack } from '../../src/payments/orphans/orphan-store.ts'
import { hasPersonActed, isLive } from './bank/authorisation.ts'
import type { Bank } from './bank/bank.ts'
import { goBack, keepAside, namesOfSessions } from './going-back.ts'
import type { Memory } from './memory.ts'
import type { Receivers } from './receivers.ts'
import type { Stage } from './stage.ts'
import { type Fault, unless } from './violations.ts'

const minute_ms = 60_000

/** Goes on beside the lives. What shops do with their settings must be over. */
export async function failOver(stage: Stage, during_ms: number): Promise<void> {
  const { clock, scheduler, outside, database, town, violations, faults } = stage
  const chance = stage.chance.fork('failover')
  if (!chance.often(stage.failovers)) return
  await clock.sleep(chance.below(during_ms))
  const { sql } = database
  await scheduler.effect(outside, 'the standby falls behind', () => keepAside(sql))
  // As often as the service looks at its database.
  for (let left = chance.pick([0, 1, 1, 4]); left > 0; left--) {
    town.anyProcess()?.run('watch_database')
    await clock.sleep(5_000)
  }
  await clock.sleep(chance.below(4_000))
  await scheduler.effect(outside, 'the database goes back', async () => {
    stage.lost = await goBack(sql)
    violations.lose(stage.lost.names)
    faults.note('database: went back')
    town.killAll()
  })
  for (let round = 0; round < 4; round++) {
    await clock.sleep(minute_ms * (5 + chance.below(20)))
    await decideAboutLost(stage)
  }
}

/** A person leaves what a shop was told is paid, decides on the rest as they please, and lets go of the brakes. */
export async function decideAboutLost(stage: Stage): Promise<void> {
  const { scheduler, outside, database, office, clock, town, lost, bank } = stage
  if (!lost && bank.lost.size === 0) return
  const { sql } = database
  const chance = stage.chance.fork(`held back ${scheduler.steps()}`)
  const told = toldCaptured(stage)
  const charges = lost?.charges ?? []
  const payments = new Map(charges.map((each) => [each.reference, each.payment_id]))
  const room = { sql, ids: office.ids, world: { clock } }
  await scheduler.effect(outside, 'a person looks at what is held back', async () => {
    const rows = await sql<{ reference: string }[]>`
      select reference from orphan_authorisations where ${isHeldBack(sql)} order by reference`
    for (const { reference } of rows) {
      const which = { references: [reference], acquirer: null }
      const is_paid = told.has(payments.get(reference) ?? '')
      if (is_paid || chance.often(0.5)) {
        await leaveUnreversed(room, which, { by: 'ada', reason: 'the shop has its order' })
      } else await reverseHeldBack(room, which, { by: 'ada' })
    }
    const brakes = await listBrakes(sql, { acquirer: null, released_too: false })
    await releaseBrakes(sql, { brakes, at: clock.now(), by: 'ada' })
    town.changedDue()
  })
}

type Recipients = { memory: Memory; receivers: Receivers }

const despair_ms = 8 * 24 * 3_600_000

/** A person gives up on what a vendor has refused to take back for days, and pays it back in another way. */
export async function leaveRefused({ scheduler, outside, database, office, clock, town }: Stage) {
  const { sql } = database
  const room = { sql, ids: office.ids, world: { clock } }
  const before = new Date(clock.now().getTime() - despair_ms)
  await scheduler.effect(outside, 'a person looks at what is refused', async () => {
    const rows = await sql<{ reference: string }[]>`
      select reference from orphan_authorisations
      where state = 'found' and tries > 0 and found_at < ${before} order by reference`
    const references = rows.map(({ reference }) => reference)
    if (references.length === 0) return
    await leaveUnreversed(room, { references, acquirer: null }, { by: 'ada', reason: 'by hand' })
    town.changedDue()
  })
}

/** The payments that a shop or a shopper was told to be captured. */
function toldCaptured({ memory, receivers }: Recipients): Set<string> {
  const events = [...receivers.all.values()].flatMap((each) => [...each.events.keys()])
  return new Set([
    ...[...memory.results.values()].flatMap((each) => (each.status === 'captured' ? [each.payment_id] : [])),
    ...[...memory.statuses].flatMap(([id, status]) => (status === 'captured' ? [id] : [])),
    ...events.flatMap((key) => /^evt:(.*)#payment\.captured#/.exec(key)?.[1] ?? []),
  ])
}

/** What is never excused by a loss. */
export async function faultsOfLost(stage: Stage): Promise<Fault[]> {
  const { database, bank, lost, scheduler } = stage
  if (!lost) return []
  const { sql } = database
  const told = toldCaptured(stage)
  const before = new Set(lost.names)
  const now_ms = scheduler.now().getTime()
  const charges = new Map(lost.charges.map((each) => [each.reference, each.payment_id]))
  for (const { operation_id, payment_id } of await chargesIn(sql)) charges.set(operation_id, payment_id)
  const known = new Set((await chargesIn(sql)).map(({ operation_id }) => operation_id))
  const orphans = await sql<{ reference: string; released_by: string | null }[]>`
    select reference, released_by from orphan_authorisations`
  const found = new Map(orphans.map((each) => [each.reference, each]))
  const seen = await sql`select 1 from orphan_brakes where pulled_by = ${service_actor}`
  const is_seen = seen.length > 0
  return [...bank.authorisations.values()].flatMap((entry) => {
    const { reference } = entry
    const payment_id = charges.get(reference)
    if (payment_id === undefined || hasPersonActed(entry)) return []
    const reversed = wasReversed(bank, reference, before)
    const is_unknown = !known.has(reference)
    const orphan = found.get(reference)
    const name = `${payment_id}, ${reference}`
    const is_beyond_knowing = !is_seen && wasForgotten(bank, reference)
    return [
      ...unless(
        !(reversed && told.has(payment_id)) || is_beyond_knowing,
        'I14',
        `${name}: told captured, and reversed`,
      ),
      ...unless(
        !is_unknown || !isLive(entry, now_ms) || orphan !== undefined,
        'I5',
        `${name}: lost, and never found at the bank`,
      ),
      ...unless(
        !is_unknown || !reversed || Boolean(orphan?.released_by),
        'I14',
        `${name}: lost, and reversed though nobody said so`,
      ),
    ]
  })
}

/**
 * A charge that nobody looked for while the bank knew its reference, as a wrong clock may bring about. If no mark of the database shows
 * that it went back, which its timeline would show outside of the simulation, then nothing says that it was paid.
 */
function wasForgotten({ settlements, traits, acquirer }: Bank, charge: string): boolean {
  const reversal = settlements.find(({ kind, of }) => kind === 'reverse' && of === charge)
  if (!traits.forgets || reversal === undefined) return false
  return reversal.asked_ms - millisecondsOf(charge) > acquirer.reference_life_ms
}

/** By the service, as it decided when it had lost what it knew; `before` is what it had begun until then. */
function wasReversed({ settlements }: Bank, charge: string, before: Set<string>): boolean {
  return settlements.some(
    ({ kind, of, reference, answer }) =>
      kind === 'reverse' && of === charge && answer.result === 'approved' && !before.has(reference),
  )
}

function chargesIn(sql: Sql) {
  return sql<{ operation_id: string; payment_id: string }[]>`
    select operation_id, payment_id from acquirer_operations where kind = 'authorise'`
}

/** What later came of sessions that lost something is lost with them. */
export async function nameLost({ database, violations, lost }: Stage): Promise<void> {
  if (lost) violations.lose(await namesOfSessions(database.sql, lost.session_ids))
}

/** For so long brakes were pulled, one after the other, milliseconds. A wrong clock may have one released before it was pulled. */
export async function brakedMs(sql: Sql): Promise<number> {
  const [row] = await sql<{ ms: number }[]>`
    select coalesce(sum(greatest(extract(epoch from released_at - pulled_at), 0)), 0)::float8 * 1000 as ms
    from orphan_brakes`
  return row!.ms
}
