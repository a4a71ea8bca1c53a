// What people do around the service of a simulated world: they change keys, stop processes, and settle what nobody will ever know.

import type { AuthoriseRequest } from '../../src/acquirers/acquirer.ts'
import { resolveOperation } from '../../src/checkout/operations/resolve-operation.ts'
import { withdrawKey } from '../../src/merchants/manage.ts'
import { insist, type Living } from './life.ts'
import { openKey } from './shop.ts'
import type { Stage } from './stage.ts'
import type { Asked } from './town.ts'

/** Goes on beside the lives. */
export async function operate(stage: Stage, during_ms: number): Promise<void> {
  const { chance } = stage
  const some = chance.fork('operator')
  await Promise.all([
    loseKnowledge(stage, some.below(during_ms)),
    ...(some.often(0.4) ? [changeKey(stage, some.below(during_ms))] : []),
    ...(some.often(0.4) ? [stopProcess(stage, some.below(during_ms))] : []),
  ])
}

/** Another installation charges over the same account: the bank has what nobody here knows of, under another mark. */
async function loseKnowledge({ chance, clock, bank }: Stage, after_ms: number): Promise<void> {
  const own = chance.fork('stranger')
  await clock.sleep(after_ms)
  const reference = own.bytes(16).toString('hex')
  bank.strangers.add(reference)
  await bank.acquirer.authorise(strangersRequest(reference, own.often(0.5)))
}

function strangersRequest(reference: string, capture: boolean): AuthoriseRequest {
  const number = '4242424242424242'
  return {
    ...{ reference, installation: 'lost', capture, amount: 7_700, currency: 'GBP', three_ds: null },
    card: { brand: 'visa', number, exp_month: 1, exp_year: 2031, cvc: null, cardholder_name: null },
    merchant: { descriptor: 'Shop', mcc: null, country: null },
  }
}

/** Processes that never hear of a change know of it after this, whatever their clocks say. */
const settings_age_ms = 32_000

/** Gives a shop another secret key and withdraws its old one, which must count no more from some time on. */
async function changeKey(stage: Stage, after_ms: number): Promise<void> {
  const { chance, clock, scheduler, outside, office, town, violations, memory } = stage
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
    if (own.often(0.3)) continue
    await scheduler.effect(outside, 'settings are heard', () => process.hearSettings())
  }
  await clock.sleep(settings_age_ms)
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

/** A person says what became of what nobody will ever know. Returns how much that was. */
export async function settleByHand(stage: Stage): Promise<number> {
  const { town, database, chance, scheduler, outside } = stage
  const rows = await scheduler.effect(
    outside,
    'a person looks what waits',
    async () =>
      database.sql<{ merchant_id: string; payment_id: string }[]>`
      select merchant_id, payment_id from acquirer_operations
      where waits_for_person_since is not null order by operation_id`,
  )
  for (const row of rows) {
    const outcome = chance.pick(['approved', 'declined', 'failed'] as const)
    const asked = { outcome, acquirer_transaction_id: 'told', reason: 'so they say', by: 'ada' }
    const desk = town.anyProcess()!.context()
    await resolveOperation(desk as never, row, asked).catch(() => {})
  }
  return rows.length
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
      const asked: Asked = {
        method: 'POST',
        path: `/v1/webhooks/deliveries/${delivery_id}/replay`,
        headers: { ...headers, 'rip-idempotency-key': key },
      }
      const answers = await Promise.all([insist(living, asked), insist(living, asked)])
      for (const answer of answers) if (answer) memory.keepAnswer(shop.merchant_id, key, answer)
    }
  }
}
