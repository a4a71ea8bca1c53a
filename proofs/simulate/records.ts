// Compares a world's database with what clients were answered, what receivers got, and what must not be told.

import { type Sealer, sealed_after_ms } from '../../src/audit/seal-journal.ts'
import { verifyChain } from '../../src/audit/verify-chain.ts'
import type { Sql } from '../../src/database/open.ts'
import { verifyPayments } from '../../src/payments/reading/verify-payments.ts'
import { type Memory, payment_edges } from './memory.ts'
import { type Receiver, wants } from './receivers.ts'
import { type Fault, unless } from './violations.ts'

export async function faultsOfAnswers(sql: Sql, memory: Memory): Promise<Fault[]> {
  const sessions = await sql<{ session_id: string }[]>`select session_id from sessions`
  const attempts = await sql<{ attempt_id: string; result: { status: string } | null }[]>`
    select attempt_id, result from attempts`
  const payments = await sql<{ payment_id: string; status: string }[]>`
    select payment_id, status from payments`
  const known = new Set(sessions.map(({ session_id }) => session_id))
  const results = new Map(attempts.map(({ attempt_id, result }) => [attempt_id, result?.status]))
  const statuses = new Map(payments.map(({ payment_id, status }) => [payment_id, status]))
  const lost = [...memory.sessions.keys()].filter((id) => !known.has(id))
  return [
    ...lost.flatMap((id) => unless(false, 'I2', `${id} was answered, and is not there`)),
    ...[...memory.results].flatMap(([attempt_id, { status }]) => {
      const kept = results.get(attempt_id)
      const holds = status === 'processing' || kept === status
      return unless(holds, 'I2', `${attempt_id} was answered ${status}, and is ${kept}`)
    }),
    ...[...memory.statuses].flatMap(([payment_id, status]) => {
      const kept = statuses.get(payment_id) ?? 'not there'
      const holds = kept === status || payment_edges[status]!.includes(kept)
      return unless(holds, 'I2', `${payment_id} was read as ${status}, and is ${kept}`)
    }),
  ]
}

type EventRow = {
  merchant_id: string
  payment_id: string
  type: string
  body: string
  sequence: number
}
type Delivery = { endpoint_id: string; payment_id: string; sequence: number; status: string }

/** Every event came to everybody who asked for it, or was given up on, as the service says. */
export async function faultsOfDeliveries(sql: Sql, receivers: Iterable<Receiver>): Promise<Fault[]> {
  const events = await sql<EventRow[]>`select * from events`
  const rows = await sql<Delivery[]>`
    select endpoint_id, payment_id, sequence, status from webhook_deliveries`
  const waiting = await sql`select 1 from webhook_queue`
  const name = (of: Omit<Delivery, 'status'>) => `${of.endpoint_id} ${of.payment_id} ${of.sequence}`
  const deliveries = Map.groupBy(rows, name)
  const faults: Fault[] = unless(waiting.length === 0, 'I11', `${waiting.length} deliveries wait`)
  for (const receiver of receivers) {
    const { endpoint_id, merchant_id } = receiver
    for (const event of events) {
      if (event.merchant_id !== merchant_id) continue
      if (!wants(receiver, event.type)) continue
      const key = `evt:${event.payment_id}#${event.type}#${endpoint_id}`
      const came = receiver.events.get(key)
      const statuses = (deliveries.get(name({ ...event, endpoint_id })) ?? []).map(({ status }) => status)
      const is_heard = (came?.accepted ?? 0) > 0
      const is_told = is_heard || statuses.includes('dead_lettered')
      faults.push(
        ...unless(is_told, 'I8', `${key} never came, and was not given up on`),
        ...unless(is_heard || !statuses.includes('succeeded'), 'I8', `${key} counts as delivered, and never came`),
        ...unless(statuses.length > 0, 'I8', `${key} has no delivery`),
        ...unless(!came || came.body === event.body, 'I7', `${key} came with another body`),
      )
    }
  }
  return faults
}

/**
 * The chain of every merchant's journal holds all its lines. Those of a process whose clock was further behind than lines are
 * looked for are named by the verification, and in no chain.
 */
export async function faultsOfJournal(sealer: Sealer, merchant_ids: string[], skew_ms = 0): Promise<Fault[]> {
  const excused = skew_ms > sealed_after_ms ? 'line_not_sealed' : null
  const later = new Date(sealer.world.clock.now().getTime() + 2 * sealed_after_ms)
  const clock = { ...sealer.world.clock, now: () => later }
  const faults: Fault[] = []
  for (const merchant_id of merchant_ids) {
    const verified = await verifyChain({ sql: sealer.sql, world: { clock } }, merchant_id, new Set())
    const kinds = verified.faults.map(({ kind }) => kind).filter((kind) => kind !== excused)
    faults.push(...unless(kinds.length === 0, 'I10', `${merchant_id}'s journal: ${kinds}`))
  }
  return faults
}

/**
 * Rows say of money what the journal says. To be asked last: whoever changes an amount wherever it stands is told of, which is
 * tried with the first captured payment.
 */
export async function faultsOfBinding(sql: Sql, merchant_ids: string[]): Promise<Fault[]> {
  const faults: Fault[] = []
  const verify = async (merchant_id: string) => {
    const { fault_count, not_bound, faults } = await verifyPayments(sql, merchant_id)
    return { count: fault_count + not_bound, told: JSON.stringify(faults[0]) }
  }
  for (const merchant_id of merchant_ids) {
    const { count, told } = await verify(merchant_id)
    faults.push(...unless(count === 0, 'I10', `${merchant_id}'s payments: ${count}, ${told}`))
  }
  const [one] = await sql<{ merchant_id: string; payment_id: string; amount: string }[]>`
    select merchant_id, payment_id, amount::text from payments where status = 'captured'
    order by payment_id limit 1`
  if (!one) return faults
  const { merchant_id, payment_id, amount } = one
  const own = sql`where merchant_id = ${merchant_id} and payment_id = ${payment_id}`
  await sql`update payments set amount = 1, refunded_amount = least(refunded_amount, 1) ${own}`
  await sql`update acquirer_operations set amount = 1 ${own}`
  const [said, claimed] = [`"amount":${amount}`, '"amount":1']
  await sql`update events set body = replace(body, ${said}, ${claimed}) ${own}`
  const { count } = await verify(merchant_id)
  return [...faults, ...unless(count > 0, 'I10', `${payment_id}: another amount is not noticed`)]
}

/** Cards whose attempt has ended are gone at once. To be asked at any time. */
export async function faultsOfVault(sql: Sql): Promise<Fault[]> {
  const rows = await sql<{ attempt_id: string }[]>`
    select attempt_id from attempts a join vault.cards c using (merchant_id, card_reference)
    where a.phase = 'settled'`
  return rows.flatMap(({ attempt_id }) =>
    unless(false, 'I12', `the card of ${attempt_id} is kept although it has ended`),
  )
}

/** Looks for what must not be told in everything that is kept, logged or sent. */
export async function faultsOfSecrets(
  sql: Sql,
  { secrets }: Memory,
  told: { log: string[]; receivers: Iterable<Receiver> },
): Promise<Fault[]> {
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname in ('public', 'vault', 'simulator') and tablename <> 'page_assets' order by 1`
  const places: [string, string][] = [['the log', told.log.join('\n')]]
  for (const { name } of tables) {
    const [row] = await sql.unsafe<{ text: string | null }[]>(`select string_agg(t::text, ' ') as text from ${name} t`)
    places.push([name, row?.text ?? ''])
  }
  for (const { events } of told.receivers) {
    for (const { body } of events.values()) places.push(['a webhook', body])
  }
  const everywhere = places.map(([, text]) => text).join('\n')
  return [...secrets].flatMap(([secret, name]) => {
    if (!everywhere.includes(secret)) return []
    const [place] = places.find(([, text]) => text.includes(secret))!
    return unless(false, 'I12', `${name} stands in ${place}`)
  })
}
