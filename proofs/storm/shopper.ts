// One client of a storm: opens a session, pays, lets the shop decide, and asks again under the same key whatever fails.

import { testNumber } from '../../src/cards/test-cards.ts'
import { browser, cardOf, visa } from '../../tests/client.ts'
import { realClock } from '../../tests/world.ts'
import type { Chance } from '../simulate/chance.ts'
import type { Asked, Diary, Promised, Said } from './diary.ts'
import type { Shop } from './shops.ts'

export type CreatingKind = Exclude<Promised['kind'], 'decision'>

export type Street = {
  diary: Diary
  /** Where services are at the moment. */
  addresses(): string[]
  /** performance.now() after which nothing new is asked. */
  give_up_ms: number
  /** Cards of which the answer gets lost are among those that are paid with. */
  loses_answers: boolean
  /** Ways to create a session; all where nothing is said. */
  kinds?: readonly CreatingKind[]
  /** How long one waits for an answer before one takes it for lost. */
  timeout_ms: number
}

const retry_ms = { least: 50, more: 400 }

const cards = [
  { number: visa, weight: 10 },
  { number: testNumber('mastercard'), weight: 3 },
  { number: testNumber('amex', { r: '2' }), weight: 2 },
  { number: testNumber('visa', { abc: '051' }), weight: 2 },
  { number: testNumber('visa', { abc: '059' }), weight: 1 },
  { number: testNumber('visa', { abc: '901' }), weight: 1 },
  { number: testNumber('visa', { abc: '907' }), weight: 1 },
  { number: testNumber('visa', { yz: '30' }), weight: 1 },
  { number: testNumber('visa', { abc: '905' }), weight: 1 },
  { number: testNumber('visa', { abc: '906' }), weight: 1 },
]
/** The acquirer may have taken the money, and says so half a minute later or never. */
const lost_cards = ['902', '903', '908'].map((abc) => ({
  number: testNumber('visa', { abc }),
  weight: 1,
}))

type Life = Street & { chance: Chance; name: string; shop: Shop }
type Opened = { id: string; client_secret: string }

/** A whole visit. Returns when it is over, given up, or the time is. */
export async function visit(life: Life): Promise<void> {
  const { chance } = life
  const created = await create(life)
  if (!created) return
  const tries = chance.often(0.2) ? 2 : 1
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const result = await pay(life, created)
    if (result === null) break
    const { status, payment_id } = result
    if (status === 'held') await decide(life, payment_id)
    await readPayment(life, payment_id)
    if (status !== 'declined' && status !== 'failed') break
  }
  await insist(life, {
    method: 'GET',
    path: `/v1/checkout/sessions/${created.id}`,
    headers: { 'x-service-api-key': life.shop.secret_key },
  })
}

/** Asks once, of whoever runs. */
async function askOnce(street: Street, name: string, asked: Asked, chance: Chance) {
  const address = await anAddress(street, chance)
  const begin_ms = performance.now()
  const said = address === null ? unknown : await send(address, asked, street.timeout_ms)
  street.diary.keep(name, asked, said, performance.now() - begin_ms)
  return said
}

const unknown: Said = { status: null, text: '', body: null, replayed: false }

/** Asks until there is an answer that means something; null where the time is over. */
export async function insist(
  client: Street & { chance: Chance; name: string },
  asked: Asked,
): Promise<Said | null> {
  const { chance, name, give_up_ms } = client
  for (;;) {
    const said = await askOnce(client, name, asked, chance)
    if (isDefinite(said)) return said
    if (performance.now() > give_up_ms) return null
    await realClock.sleep(retry_ms.least + chance.below(retry_ms.more))
  }
}

/** Neither silence, nor a database that is away, nor a first request that is still running. */
function isDefinite({ status, body }: Said): boolean {
  if (status === null || status >= 500 || status === 429) return false
  const code = body?.error?.ripper_code ?? body?.code
  return status !== 409 || !running.has(code)
}

const running = new Set(['idempotency_key_reused', 'idempotency_key_in_use', 'session_processing'])

const all_kinds = ['native', 'native', 'browser', 'browser', 'compatible'] as const

async function create(life: Life): Promise<Opened | null> {
  const { diary, chance, name, shop } = life
  const kind = chance.pick(life.kinds ?? all_kinds)
  const key = `storm ${name}`
  const asked = creating(kind, { key, shop, amount: 100 + chance.below(100_000) })
  const promised = diary.promise({ key, kind, asked, merchant_id: shop.merchant_id })
  const keep = (said: Said | null) => said && diary.keepAnswer(promised, said)
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

function creating(
  kind: CreatingKind,
  { key, shop, amount }: { key: string; shop: Shop; amount: number },
): Asked {
  const headers = { 'rip-idempotency-key': key }
  const metadata = { key }
  const bought = { amount, currency: 'GBP', customer: { email: 'ada@example.com' }, metadata }
  switch (kind) {
    case 'native':
      return {
        method: 'POST',
        path: '/v1/checkout/sessions',
        headers: { ...headers, 'x-service-api-key': shop.secret_key },
        body: bought,
      }
    case 'browser':
      return {
        method: 'POST',
        path: '/v1/checkout/public/sessions',
        headers: { ...headers, origin: shop.origin },
        body: { ...bought, public_key: shop.publishable_key },
      }
    case 'compatible':
      return {
        method: 'POST',
        path: '/v1/payment_intents',
        headers: { 'idempotency-key': key, authorization: `Bearer ${shop.secret_key}` },
        body: { amount, currency: 'gbp', receipt_email: 'ada@example.com', metadata },
      }
  }
}

/** One card, as far as it comes. Null where the session takes no more, or the shopper leaves. */
async function pay(
  life: Life,
  { id, client_secret }: Opened,
): Promise<{ status: string; payment_id: string } | null> {
  const { diary, chance } = life
  const at = (verb: string, body: unknown): Asked => ({
    method: 'POST',
    path: `/v1/checkout/sessions/${id}/${verb}`,
    headers: { 'rip-client-secret': client_secret },
    body,
  })
  const number = cardFrom(life)
  const referenced = await insist(life, at('card_references', cardOf(number)))
  if (referenced?.status !== 201) return null
  const { card_reference } = referenced.body
  const authenticated = await insist(life, at('authenticate', { card_reference, browser }))
  if (authenticated?.status !== 200 || chance.often(0.05)) return null
  const confirming = at('confirm', {})
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

/** What an attempt ended as stays, to the byte. */
function keepResult({ results, faults }: Diary, { status, body, text }: Said): void {
  if (status === null || status >= 300 || body.status === 'processing') return
  const attempt_id = body.attempt.id
  const known = results.get(attempt_id)
  if (known && known.text !== text)
    faults.push(`${attempt_id} ended as ${known.text}, then ${text}`)
  results.set(attempt_id, { status: body.status, payment_id: body.payment_id, text })
}

function cardFrom({ chance, loses_answers }: Life): string {
  const all = loses_answers ? [...cards, ...lost_cards] : cards
  return chance.pick(all.flatMap(({ number, weight }) => Array(weight).fill(number)))
}

/** The shop decides, now and then both ways at once. */
async function decide(life: Life, payment_id: string): Promise<void> {
  const { chance } = life
  if (chance.often(0.1)) return
  const verb = chance.pick(['capture', 'void'] as const)
  const other = verb === 'capture' ? 'void' : 'capture'
  const verbs: ('capture' | 'void')[] = chance.often(0.2) ? [verb, other] : [verb]
  await Promise.all(verbs.map((each) => decideBy(life, payment_id, each)))
}

async function decideBy(life: Life, payment_id: string, verb: 'capture' | 'void'): Promise<void> {
  const { diary, name, shop } = life
  const key = `storm ${name} ${verb} ${payment_id}`
  const asked: Asked = {
    method: 'POST',
    path: `/v1/payments/${payment_id}/hold/${verb}`,
    headers: { 'x-service-api-key': shop.secret_key, 'rip-idempotency-key': key },
  }
  const promised = diary.promise({ key, asked, kind: 'decision', merchant_id: shop.merchant_id })
  const said = await insist(life, asked)
  if (!said) return
  if (said.status! >= 300) promised.refusal = `${said.status} ${said.text}`
  else diary.keepAnswer(promised, said)
}

async function readPayment(life: Life, payment_id: string): Promise<void> {
  const headers = { 'x-service-api-key': life.shop.secret_key }
  const path = `/v1/payments/${payment_id}`
  const said = await insist(life, { method: 'GET', path, headers })
  if (said?.status !== 200) return
  const before = life.diary.statuses.get(payment_id) ?? []
  life.diary.statuses.set(payment_id, [...before, said.body.status])
}

async function anAddress(street: Street, chance: Chance): Promise<string | null> {
  for (;;) {
    const able = street.addresses()
    if (able.length > 0) return chance.pick(able)
    if (performance.now() > street.give_up_ms) return null
    await realClock.sleep(50)
  }
}

async function send(
  address: string,
  { method, path, headers, body }: Asked,
  timeout_ms: number,
): Promise<Said> {
  try {
    const response = await fetch(address + path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(timeout_ms),
    })
    const text = await response.text()
    const replayed = response.headers.get('rip-idempotent-replayed') === 'true'
    return { status: response.status, text, body: JSON.parse(text), replayed }
  } catch {
    // Refused, reset, silent, or cut in the middle: all the same to a client.
    return unknown
  }
}
