// What every client of a storm does alike: keeps what confirm answered, and decides on a hold under a key.

import type { Chance } from '../simulate/chance.ts'
import { insist, isRunning, type Street } from './asking.ts'
import type { Diary, DiaryAnswer, DiaryPromise } from './diary.ts'
import { deciding, refunding, type Verb } from './requests.ts'
import type { Shop } from './shops.ts'

export type Life = Street & { chance: Chance; name: string; shop: Shop }

/** What an attempt ended as stays, to the byte. */
export function keepResult({ results, faults }: Diary, { status, body, text }: DiaryAnswer): void {
  if (status === null || status >= 300 || body.status === 'processing') return
  const attempt_id = body.attempt.id
  const known = results.get(attempt_id)
  if (known && known.text !== text) faults.push(`${attempt_id} ended as ${known.text}, then ${text}`)
  results.set(attempt_id, { status: body.status, payment_id: body.payment_id, text })
}

/** Refunds all, a part or several, one after the other or two at once. */
export async function refundSome(life: Life, payment_id: string): Promise<void> {
  const { chance } = life
  const rounds = chance.pick([1, 1, 2])
  for (let round = 0; round < rounds; round += 1) {
    const count = chance.often(0.3) ? 2 : 1
    const numbers = Array.from({ length: count }, (_, each) => `${round}.${each}`)
    await Promise.all(numbers.map((number) => refundBy(life, payment_id, number)))
  }
}

async function refundBy(life: Life, payment_id: string, number: string): Promise<void> {
  const { chance, name, shop } = life
  const key = `storm ${name} refund ${number} ${payment_id}`
  // At the fakes an amount that ends in 13 is refused by the issuer, and one that ends in 17 takes longer.
  const amount = chance.pick([null, 13, 17, 40, 1 + chance.below(2_000)])
  await promise(life, 'refund', { key, asked: refunding(shop, payment_id, amount, key) })
}

export async function decideBy(life: Life, payment_id: string, verb: Verb): Promise<void> {
  const key = `storm ${life.name} ${verb} ${payment_id}`
  await promise(life, 'decision', { key, asked: deciding(life.shop, payment_id, verb, key) })
}

/** Asks under a key, and keeps what was answered. */
async function promise(
  life: Life,
  kind: 'decision' | 'refund',
  { key, asked }: Pick<DiaryPromise, 'key' | 'asked'>,
): Promise<void> {
  const { diary, shop } = life
  const promised = diary.promise({ key, asked, kind, merchant_id: shop.merchant_id })
  const said = await insist(life, asked)
  // At rest the key is sent once more.
  if (!said || isRunning(said)) return
  if (said.status! >= 300) promised.refusal = `${said.status} ${said.text}`
  else diary.keepAnswer(promised, said)
}
