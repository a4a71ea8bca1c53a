// The table of wire faults: each link, each fault on it, and what has to hold while it lasts and after it.

import { realClock } from '../../tests/support/world.ts'
import type { Chance } from '../simulate/chance.ts'
import { insist } from '../storm/asking.ts'
import { visit } from '../storm/shopper.ts'
import type { Fault } from './link.ts'
import type { LinkName, Stage } from './stage.ts'

/** By name; on an HTTP link a request is some hundred bytes long, on the database's a statement some thousand. */
export const faults = {
  delay: { kind: 'delay', ms: 40, jitter_ms: 80 },
  drip: { kind: 'drip', bytes: 64, every_ms: 5 },
  stall: { kind: 'stall' },
  half_open: { kind: 'half_open' },
  reset: { kind: 'reset' },
  'cut on the way there': { kind: 'cut', direction: 'there', after_bytes: 700 },
  'cut on the way back': { kind: 'cut', direction: 'back', after_bytes: 100 },
  'cut after the effect': { kind: 'lose_answers' },
} satisfies Record<string, Fault>

export type FaultName = keyof typeof faults

export type Limits = {
  /** The longest that anybody may wait for an answer: the service's own time limits, and a little. */
  answer_ms: number
  /** After the fault is over. */
  recovery_ms: number
  /** The refusals by which the service may say that this link is down. */
  allowed: RegExp
}

export const limits: Record<LinkName, Limits> = {
  database: {
    // A server that lives answers within 15 s, so a silence is noticed after 20 s to 22.5 s, and what must not be lost is
    // written then.
    answer_ms: 35_000,
    recovery_ms: 25_000,
    allowed: /^503 (idempotency_)?store_unavailable$/,
  },
  // The message to a Directory Server has 10 s, and an answer that is slow at the acquirer 8 s.
  directory_server: { answer_ms: 15_000, recovery_ms: 5_000, allowed: /^503 three_ds_provider_unavailable$/ },
  // Nobody who pays may notice that a receiver is away.
  receivers: { answer_ms: 12_000, recovery_ms: 5_000, allowed: /^$/ },
}

export type Row = {
  link: LinkName
  fault: FaultName
  acked: number
  unavailable: number
  slowest_ms: number
  recovery_ms: number
  broken: string[]
}

type Breaking = {
  link: LinkName
  fault: FaultName
  lasts_ms: number
}

/** Puts the fault on its link while shoppers pay, takes it off, and says how the service took it. */
export async function breakLink(stage: Stage, chance: Chance, { link, fault, lasts_ms }: Breaking): Promise<Row> {
  const { diary } = stage.street
  diary.slowest_ms = 0
  const before = { ...diary.counts, refusals: new Map(diary.refusals) }
  const until_ms = performance.now() + 500 + lasts_ms
  const visiting = shopUntil(stage, chance.fork(`${link} ${fault}`), until_ms)
  await realClock.sleep(500)
  for (const each of stage.links[link]) each.break(faults[fault])
  await realClock.sleep(lasts_ms)
  for (const each of stage.links[link]) each.heal()
  const healed_ms = performance.now()
  await createOne(stage, chance)
  const recovery_ms = performance.now() - healed_ms
  await visiting

  const limit = limits[link]
  const unavailable = [...diary.refusals].flatMap(([code, count]) => {
    const more = count - (before.refusals.get(code) ?? 0)
    return code.startsWith('503') && more > 0 ? [code] : []
  })
  const unknown = diary.counts.unknown - before.unknown
  const { slowest_ms } = diary
  const broken = [
    ...unless(unknown === 0, `${unknown} requests had no answer at all`),
    ...unless(slowest_ms <= limit.answer_ms, `an answer took ${Math.round(slowest_ms)} ms`),
    ...unless(recovery_ms <= limit.recovery_ms, `back after ${Math.round(recovery_ms)} ms`),
    ...unavailable.flatMap((code) => unless(limit.allowed.test(code), `it answered ${code}`)),
  ]
  return {
    link,
    fault,
    slowest_ms,
    recovery_ms,
    broken,
    acked: diary.counts.acked - before.acked,
    unavailable: diary.counts.unavailable - before.unavailable,
  }
}

const shoppers = 4

/** Shoppers pay until then; all their visits come to an end. */
export async function shopUntil(stage: Stage, chance: Chance, until_ms: number): Promise<void> {
  const shopping = Array.from({ length: shoppers }, async (_, number) => {
    const own = chance.fork(`shopper ${number}`)
    do {
      const name = own.bytes(8).toString('hex')
      await visit({
        ...stage.street,
        chance: own,
        name,
        shop: own.pick(stage.checked.market.shops),
      })
    } while (performance.now() < until_ms)
  })
  await Promise.all(shopping)
}

/** Somebody who comes now and asks until it is done. */
async function createOne({ street, checked }: Stage, chance: Chance): Promise<void> {
  const shop = checked.market.shops[0]!
  const key = chance.bytes(8).toString('hex')
  const asked = {
    method: 'POST' as const,
    path: '/v1/checkout/sessions',
    headers: { 'x-service-api-key': shop.secret_key, 'rip-idempotency-key': key },
    body: { amount: 4200, currency: 'GBP', metadata: { key } },
  }
  const { merchant_id } = shop
  const promised = street.diary.promise({ key, asked, kind: 'native', merchant_id })
  const said = await insist({ ...street, chance, name: 'prober' }, asked)
  if (said?.status === 201) street.diary.keepAnswer(promised, said)
  else street.diary.faults.push(`a shop that asked on was answered ${said?.status} ${said?.text}`)
}

function unless(holds: boolean, fault: string): string[] {
  return holds ? [] : [fault]
}
