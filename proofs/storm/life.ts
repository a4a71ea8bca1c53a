// What every client of a storm does alike: keeps what confirm answered, and decides on a hold under a key.

import type { Chance } from '../simulate/chance.ts'
import { insist, type Street } from './asking.ts'
import type { Diary, DiaryAnswer } from './diary.ts'
import { deciding, type Verb } from './requests.ts'
import type { Shop } from './shops.ts'

export type Life = Street & { chance: Chance; name: string; shop: Shop }

/** What an attempt ended as stays, to the byte. */
export function keepResult({ results, faults }: Diary, { status, body, text }: DiaryAnswer): void {
  if (status === null || status >= 300 || body.status === 'processing') return
  const attempt_id = body.attempt.id
  const known = results.get(attempt_id)
  if (known && known.text !== text)
    faults.push(`${attempt_id} ended as ${known.text}, then ${text}`)
  results.set(attempt_id, { status: body.status, payment_id: body.payment_id, text })
}

export async function decideBy(life: Life, payment_id: string, verb: Verb): Promise<void> {
  const { diary, name, shop } = life
  const key = `storm ${name} ${verb} ${payment_id}`
  const asked = deciding(shop, payment_id, verb, key)
  const promised = diary.promise({ key, asked, kind: 'decision', merchant_id: shop.merchant_id })
  const said = await insist(life, asked)
  if (!said) return
  if (said.status! >= 300) promised.refusal = `${said.status} ${said.text}`
  else diary.keepAnswer(promised, said)
}
