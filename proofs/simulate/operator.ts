// What people do around the service of a simulated world: they change keys, stop processes, and settle what nobody will ever know.

import type { JobContext } from '../../src/jobs.ts'
import { withdrawKey } from '../../src/merchants/manage.ts'
import { settleFoundHold } from '../../src/payments/acquirer-operations/found-hold.ts'
import { resolveOperation } from '../../src/payments/acquirer-operations/resolve.ts'
import type { PaymentKey } from '../../src/payments/payment.ts'
import { findWholePayment } from '../../src/payments/reading/payment-store.ts'
import { isLive } from './bank/authorisation.ts'
import type { Bank } from './bank/bank.ts'
import { actInPortal } from './bank/portal.ts'
import { changeMode, countOrders } from './facts.ts'
import { insist, type Living } from './life.ts'
import { openKey, type Shop } from './shop.ts'
import type { Stage } from './stage.ts'
import { faultsOfNames } from './standings.ts'
import type { HttpCall } from './town.ts'
import { actAtVendors } from './vendor-habits.ts'

/** Goes on beside the lives. */
export async function operate(stage: Stage, during_ms: number): Promise<void> {
  const { chance } = stage
  const some = chance.fork('operator')
  await Promise.all([
    loseKnowledge(stage, some.below(during_ms)),
    actInPortal({ ...stage, chance: chance.fork('portal') }, during_ms, (reference) =>
      settlePartlyCaptured(stage, reference),
    ),
    actAtVendors(stage, during_ms, {
      settle: () => settleByHand(stage),
      mistake: () => nameAnother(stage),
    }),
    ...(some.often(0.4) ? [changeKey(stage, some.below(during_ms))] : []),
    ...(some.often(0.4) ? [stopProcess(stage, some.below(during_ms))] : []),
  ])
}

/** Somebody else charges over the same account: the bank has what nobody here knows of, under another mark or none. */
async function loseKnowledge({ chance, clock, bank }: Stage, after_ms: number): Promise<void> {
  const own = chance.fork('stranger')
  await clock.sleep(after_ms)
  const reference = own.bytes(16).toString('hex')
  await bank.addStranger({ reference, capture: own.often(0.5) })
}

/** Processes that never hear of a change know of it after this, whatever their clocks say. */
const settings_age_ms = 32_000

/** Gives a shop another secret key and withdraws its old one, which must count no more from some time on. */
async function changeKey(stage: Stage, after_ms: number): Promise<void> {
  const { chance, clock, scheduler, outside, office, town, violations, memory, clocks } = stage
  await clock.sleep(after_ms)
  const own = chance.fork('other key')
  const shop = own.pick(stage.shops)
  const old = { ...shop }
  const change = async () => {
    Object.assign(shop, await openKey(office, shop.merchant_id))
    await withdrawKey(office, old.key_id)
  }
  await scheduler.effect(outside, 'a secret key is changed', change)
  memory.keepSecret('a secret key', shop.secret_key)
  for (const process of town.processes()) {
    // A notification may get lost.
    if (own.often(0.3) || !scheduler.isAwake(process)) continue
    await scheduler.effect(outside, 'settings are heard', () => process.hearSettings())
  }
  // By a clock that went back, meanwhile too, they are younger than they are, for as long as they are not of the future.
  const dueMs = () => settings_age_ms + Math.min(clocks.differenceMs(), settings_age_ms)
  for (let waited_ms = 0; waited_ms < dueMs(); ) {
    const more_ms = dueMs() - waited_ms
    await clock.sleep(more_ms)
    waited_ms += more_ms
  }
  for (let tries = 0; tries < 4; tries++) {
    const headers = { 'x-service-api-key': old.secret_key }
    const answer = await town.ask({ method: 'GET', path: '/v1/webhooks/endpoints', headers })
    if (answer && answer.status < 400) violations.add('I13', 'a key that was withdrawn opens')
  }
}

/** One process stops in order, and another takes its place. */
async function stopProcess({ clock, town }: Stage, after_ms: number): Promise<void> {
  await clock.sleep(after_ms)
  town.stopOne()
}

/** What a person gives as the bank's name of something that the bank does not have. */
export const told_id = 'told'

/** A person says what became of what waits for one, as the bank's portal tells it, or as they please. Returns how much that was. */
export async function settleByHand(stage: Stage): Promise<number> {
  const { town, database, scheduler, outside, bank, clock } = stage
  const chance = stage.chance.fork(`by hand ${scheduler.steps()}`)
  const rows = await scheduler.effect(
    outside,
    'a person looks what waits',
    async () =>
      database.sql<Waiting[]>`
      select merchant_id, payment_id, operation_id, kind from acquirer_operations
      where waits_for_person_since is not null order by operation_id`,
  )
  for (const row of rows) {
    const outcome = inPortal(bank, row, clock.now().getTime()) ?? chance.pick(guesses(bank))
    const { operation_id } = row
    // An id that the acquirer does not know is refused, and what is not there needs none.
    const acquirer_transaction_id = idInPortal(bank, row) ?? (outcome === 'approved' ? told_id : null)
    const told = { acquirer_transaction_id, reason: 'so they say', by: 'ada' }
    const asked = { operation_id, outcome, ...told, author: chance.pick(doors) }
    const process = town.anyProcess()
    // It may die while it is asked.
    const settling = process && resolveOperation(process.context() as never, row, asked)
    await Promise.race([settling, process?.died]).catch(() => {})
  }
  for (const { reference, captured_ms, captured_amount } of bank.authorisations.values()) {
    const is_lost = bank.traits.forgets && captured_ms !== null
    if (is_lost || captured_amount !== null) await settlePartlyCaptured(stage, reference)
  }
  return rows.length
}

type Mistaken = PaymentKey & { operation_id: string; acquirer_transaction_id: string }

/** Of charges whose answer is missing: each is said to be the transaction that another payment has. All of it has to be refused. */
async function nameAnother(stage: Stage): Promise<void> {
  const { town, database, scheduler, outside, bank, violations } = stage
  const chance = stage.chance.fork(`mistaken ${scheduler.steps()}`)
  const rows = await scheduler.effect(
    outside,
    'a person mistakes a transaction',
    () =>
      database.sql<Mistaken[]>`
      select o.merchant_id, o.payment_id, o.operation_id, other.acquirer_transaction_id
      from acquirer_operations o join lateral (
        select acquirer_transaction_id from payments
        where payment_id <> o.payment_id and acquirer = o.acquirer and acquirer_transaction_id is not null
        order by payment_id limit 1) other on true
      where o.kind = 'authorise' and o.state = 'unknown' order by o.operation_id`,
  )
  for (const row of rows) {
    const words = { outcome: 'approved', reason: 'so they say', by: 'ada' } as const
    const process = town.anyProcess()
    const request = { ...row, ...words, author: chance.pick(doors) }
    const settling = process && resolveOperation(process.context() as never, row, request)
    await Promise.race([settling, process?.died]).catch(() => {})
  }
  const charges = bank.accounts.flatMap((account) => account.charges())
  const faults = await scheduler.effect(outside, 'names are compared', () => faultsOfNames(database.sql, charges))
  for (const [invariant, fault] of faults) violations.add(invariant, fault)
}

/** At the command line, and at the dashboard. */
const doors = [
  { actor: 'operator', request_id: null },
  { actor: 'user usr_0123456789abcdef01234567', request_id: null, judge: null },
] as const

/** Another amount than was held is no capture for the service: whoever took it says that it is one. */
async function settlePartlyCaptured(stage: Stage, reference: string): Promise<void> {
  const { town, database, scheduler, outside, clock } = stage
  const [key] = await scheduler.effect(
    outside,
    'a person looks for a hold',
    () =>
      database.sql<PaymentKey[]>`
      select merchant_id, payment_id from acquirer_operations join holds using (merchant_id, payment_id)
      where acquirer_operations.operation_id = ${reference} and decided_at is null`,
  )
  // A void or capture of the hold may be unknown for three days, and the next that the rules begin for as long.
  for (let tries = 0; key && tries < 400; tries++) {
    const process = town.anyProcess()
    // The database may be away, and the process die.
    const settling = process && settleAsCaptured(process.context(), key)
    if (await Promise.race([settling, process?.died]).catch(() => false)) return
    await clock.sleep(tries < 20 ? 60_000 : 3_600_000)
  }
}

/** Whether there is nothing left to settle. */
async function settleAsCaptured(context: JobContext, key: PaymentKey): Promise<boolean> {
  const found = await findWholePayment(context.sql, key)
  if (!found?.hold || found.hold.decided_at) return true
  if (found.hold.operation_id !== null) return false
  const cause = { actor: 'operator', request_id: null } as const
  const asked = { asked_by: 'merchant', cause, as: 'captured', key: null } as const
  const settled = await settleFoundHold(context as never, { ...found, hold: found.hold }, asked)
  return settled.ends !== null
}

type Waiting = { merchant_id: string; payment_id: string; operation_id: string; kind: string }

/** Null where the bank does not know either. Other money than was asked for is taken back there, and counts as none. */
function inPortal(bank: Bank, { operation_id, kind }: Waiting, now_ms: number) {
  if (kind === 'reverse') return 'approved' as const
  if (kind === 'authorise') {
    const charges = [...bank.authorisations.values()]
    const charge = charges.findLast(({ reference }) => reference === operation_id)
    if (!charge) return 'failed' as const
    const { asked_for } = charge
    const is_right = charge.amount === asked_for.amount && charge.currency === asked_for.currency
    if (charge.result !== 'approved' || is_right) return charge.result
    if (isLive(charge, now_ms)) charge.reversed_ms = now_ms
    return 'failed' as const
  }
  const settlement = bank.settlements.findLast(({ reference }) => reference === operation_id)
  const is_done = settlement?.answer.result === 'approved'
  return is_done ? ('approved' as const) : ('refused' as const)
}

/** What a person may say where the bank does not know. No vendor captures or voids what it does not call approved. */
function guesses({ accounts }: Bank) {
  const refusals = ['declined', 'failed'] as const
  return accounts.length > 0 ? refusals : (['approved', ...refusals] as const)
}

/** Under what the bank keeps it: a vendor is later asked for that again. Null for what it does not have. */
function idInPortal(bank: Bank, { operation_id }: Waiting): string | null {
  const kept = [...bank.authorisations.values(), ...bank.settlements]
  return kept.findLast(({ reference }) => reference === operation_id)?.transaction_id ?? null
}

/** Receivers are mended, and some of what was given up on is sent again. */
export async function replayDeliveries(stage: Stage): Promise<void> {
  const { chance, shops, receivers, memory } = stage
  for (const receiver of receivers.all.values()) receiver.is_broken = false
  for (const shop of shops) {
    const living = { ...stage, shop } as unknown as Living
    const headers = { 'x-service-api-key': shop.secret_key }
    const path = '/v1/webhooks/deliveries?status=dead_lettered&limit=100'
    const listed = await insist(living, { method: 'GET', path, headers })
    const rows: { delivery_id: string; replayable: boolean }[] = listed?.body?.items ?? []
    for (const { delivery_id } of rows.filter(({ replayable }) => replayable).slice(0, 4)) {
      const key = chance.bytes(8).toString('hex')
      const asked: HttpCall = {
        method: 'POST',
        path: `/v1/webhooks/deliveries/${delivery_id}/replay`,
        headers: { ...headers, 'rip-idempotency-key': key },
      }
      const answers = await Promise.all([insist(living, asked), insist(living, asked)])
      for (const answer of answers) if (answer) memory.keepAnswer(shop.merchant_id, key, answer)
    }
  }
}

/** A trial of an order is not its payment: of two that bear its name, one becomes a live one for as long as both are read. */
export async function compareOrders(stage: Stage): Promise<void> {
  const { shops, database, scheduler, outside } = stage
  const look = <T>(act: () => Promise<T>) => scheduler.effect(outside, 'orders are looked at', act)
  for (const shop of shops) {
    const counts = () => countOrders(database.sql, shop.merchant_id)
    const one = (await look(counts)).find(({ others }) => others > 1)
    if (!one) continue
    const change = (mode: string) => look(() => changeMode(database.sql, { ...shop, ...one, mode }))
    await change('live')
    for (const count of await look(counts)) await compareOrder(stage, shop, count)
    await change('test')
  }
}

async function compareOrder(
  { town, violations }: Stage,
  { secret_key }: Shop,
  { payment_id, others }: { payment_id: string; others: number },
): Promise<void> {
  const headers = { 'x-service-api-key': secret_key }
  const answer = await town.ask({ method: 'GET', path: `/v1/payments/${payment_id}`, headers })
  const told = answer?.body?.order_reference_captured_payments
  if (told !== others) violations.add('I15', `${payment_id}: ${told} of its order, not ${others}`)
}
