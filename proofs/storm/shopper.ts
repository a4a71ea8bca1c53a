// One client of a storm: opens a session, pays, lets the shop decide, and asks again under the same key whatever fails.

import { browser, cardOf } from '../../tests/support/client.ts'
import { realClock } from '../../tests/support/world.ts'
import { askOnce, insist } from './asking.ts'
import { crowd } from './crowd.ts'
import type { DiaryAnswer } from './diary.ts'
import { decideBy, keepResult, type Life, refundSome } from './life.ts'
import {
  cardFrom,
  creating,
  type Opened,
  readingPayment,
  readingSession,
  readingState,
  stepOf,
  type Verb,
} from './requests.ts'

/** A whole visit. Returns when it is over, given up, or the time is. */
export async function visit(life: Life): Promise<void> {
  const { chance } = life
  const created = await create(life)
  if (!created) return
  let tries = chance.often(0.2) ? 2 : 1
  const is_crowded = chance.often(0.3)
  for (let attempt = 0; attempt < tries; attempt += 1) {
    if (is_crowded && (await authenticate(life, created))) {
      await crowd(life, created)
      continue
    }
    const result = await pay(life, created)
    if (result === null) break
    const { status, payment_id } = await outcomeOf(life, created, result)
    // Who waited for it and hears that it failed takes another card.
    if (result.status === 'processing' && status === 'failed') tries = 2
    if (status === 'held') await decide(life, payment_id)
    const read = await readPayment(life, payment_id)
    if (life.refunds && read === 'captured' && chance.often(0.4)) await refundSome(life, payment_id)
    if (status !== 'declined' && status !== 'failed') break
  }
  await insist(life, readingSession(life.shop, created))
}

/** So long somebody stays on a page that says that the payment is being confirmed. */
const patience_ms = 90_000
const looks_every_ms = 2_000

/** Some wait until it is known, and pay again where it failed. */
async function outcomeOf(life: Life, opened: Opened, result: Paid): Promise<Paid> {
  const is_patient = life.loses_answers && life.chance.often(0.7)
  const until_ms = performance.now() + patience_ms
  let known = result
  while (known.status === 'processing' && is_patient && performance.now() < until_ms) {
    await realClock.sleep(looks_every_ms)
    const read = await insist(life, readingState(opened))
    if (read?.status !== 200) break
    known = read.body.result ?? known
  }
  return known
}

const all_kinds = ['native', 'native', 'browser', 'browser', 'compatible'] as const

async function create(life: Life): Promise<Opened | null> {
  const { diary, chance, name, shop } = life
  const kind = chance.pick(life.kinds ?? all_kinds)
  const key = `storm ${name}`
  const asked = creating(kind, { key, shop, amount: 100 + chance.below(100_000) })
  const promised = diary.promise({ key, kind, asked, merchant_id: shop.merchant_id })
  const keep = (said: DiaryAnswer | null) => said && diary.keepAnswer(promised, said)
  if (chance.often(0.15)) {
    // A double click: both at once, of two services perhaps.
    const both = [askOnce(life, name, asked, chance), askOnce(life, name, asked, chance)]
    for (const said of await Promise.all(both)) keep(said)
  }
  if (chance.often(0.05)) {
    // Somebody who asks once and never again.
    keep(await askOnce(life, name, asked, chance))
    return null
  }
  const said = await insist(life, asked)
  keep(said)
  if (said === null || said.status! >= 300) {
    promised.refusal = said && `${said.status} ${said.text}`
    return null
  }
  if (chance.often(0.1)) keep(await insist(life, asked))
  const { id, client_secret } = said.body
  const session_id = kind === 'compatible' ? client_secret.split('_secret_')[0] : id
  diary.sessions.set(session_id, promised)
  return { id: session_id, client_secret }
}

type Paid = { status: string; payment_id: string }

/** A card entered and its bank asked. False where the session takes no more. */
async function authenticate(life: Life, opened: Opened): Promise<boolean> {
  const number = cardFrom(life.chance, life.loses_answers)
  const referenced = await insist(life, stepOf(opened, 'card_references', cardOf(number)))
  if (referenced?.status !== 201) return false
  const { card_reference } = referenced.body
  const authenticating = stepOf(opened, 'authenticate', { card_reference, browser })
  return (await insist(life, authenticating))?.status === 200
}

/** One card, as far as it comes. Null where the session takes no more, or the shopper leaves. */
async function pay(life: Life, opened: Opened): Promise<Paid | null> {
  const { diary, chance } = life
  if (!(await authenticate(life, opened)) || chance.often(0.05)) return null
  const confirming = stepOf(opened, 'confirm', {})
  if (chance.often(0.1)) {
    // Pay is pressed twice.
    const both = [1, 2].map(() => askOnce(life, life.name, confirming, chance))
    for (const said of await Promise.all(both)) keepResult(diary, said)
  }
  const confirmed = await insist(life, confirming)
  if (!confirmed || confirmed.status! >= 300) return null
  keepResult(diary, confirmed)
  return confirmed.body
}

/** The shop decides, now and then both ways at once. */
async function decide(life: Life, payment_id: string): Promise<void> {
  const { chance } = life
  if (chance.often(0.1)) return
  const verb = chance.pick(['capture', 'void'] as const)
  const other = verb === 'capture' ? 'void' : 'capture'
  const verbs: Verb[] = chance.often(0.2) ? [verb, other] : [verb]
  await Promise.all(verbs.map((each) => decideBy(life, payment_id, each)))
}

/** Null where nobody says. */
async function readPayment(life: Life, payment_id: string): Promise<string | null> {
  const said = await insist(life, readingPayment(life.shop, payment_id))
  if (said?.status !== 200) return null
  const before = life.diary.statuses.get(payment_id) ?? []
  life.diary.statuses.set(payment_id, [...before, said.body.status])
  return said.body.status
}
