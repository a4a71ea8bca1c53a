// The life of one checkout session: a shop opens it, a shopper pays or does not, the shop decides and reads.

import { refusedNumbers, scenarios } from '../../src/cards/scenarios.ts'
import { publishedNumbers, testCardOf } from '../../src/cards/test-cards.ts'
import { brands } from '../../src/kernel/values.ts'
import type { Clock } from '../../src/kernel/world.ts'
import type { ThreeDsSimulator } from '../../src/three-ds/simulated-issuer/simulator.ts'
import { browser } from '../../tests/support/client.ts'
import { visit } from './browser.ts'
import type { Chance } from './chance.ts'
import { count, type Memory } from './memory.ts'
import { choosePurchase, emails, type Purchase, withBasket } from './purchase.ts'
import type { Shop } from './shop.ts'
import type { Answer, Body, HttpCall, Town } from './town.ts'
import type { Violations } from './violations.ts'

export type Living = {
  chance: Chance
  clock: Clock
  town: Town
  simulator: ThreeDsSimulator
  memory: Memory
  violations: Violations
  shop: Shop
  /** By what a card is to do: how many were used. */
  cards: Map<string, number>
}

type Session = { id: string; client_secret: string }

export const numbers = [
  ...publishedNumbers,
  ...scenarios.flatMap(({ numbers: each }) => brands.map((brand) => each[brand])),
]

const plain_numbers = ['4242424242424242', '5555555555554444', '378282246310005']

/** The session that it left behind, and its payment where there is one. */
export async function liveLife(living: Living): Promise<{ session_id: string; payment_id: string | null } | null> {
  const session = await openSession(living)
  if (!session) return null
  const { chance } = living
  await pause(living, 2)
  let payment_id: string | null = null
  for (let round = 0; round < 5; round++) {
    if (chance.often(0.04)) await living.clock.sleep(31 * 60_000)
    const result = await payWithCard(living, session)
    if (result === 'left') break
    if (result === 'again') continue
    payment_id = result.payment_id
    const goes_on = result.status === 'declined' || result.status === 'failed'
    if (!goes_on || chance.often(0.3)) break
  }
  return { session_id: session.id, payment_id }
}

/** A merchant's act under a key of its own: asked again while the store is away, and now and then long after. */
export async function doOnce(living: Living, asked: HttpCall, key: string): Promise<void> {
  const { chance, shop, memory, town } = living
  const keep = (answer: Answer | null) => answer && memory.keepAnswer(shop.merchant_id, key, answer)
  for (let tries = 0; tries < 6; tries++) {
    const answer = await town.ask(asked)
    keep(answer)
    if (answer && codeOf(answer) !== 'store_unavailable') break
    await pause(living, 4)
  }
  if (chance.often(0.3)) keep(await insist(living, asked, 2))
}

/** Asks again, under the same key where there is one, until there is an answer that says something. Null where it gives up. */
export async function insist(living: Living, asked: HttpCall, tries = 8): Promise<Answer | null> {
  for (let each = 0; each < tries; each++) {
    const answer = await living.town.ask(asked)
    const code = answer && codeOf(answer)
    if (answer && !passing.has(code)) return answer
    await pause(living, 3)
  }
  return null
}

const passing = new Set<string | null>(['store_unavailable', 'idempotency_store_unavailable', 'idempotency_key_in_use'])

export function codeOf({ status, body }: Answer): string | null {
  return status < 300 ? null : (body?.error?.ripper_code ?? body?.error ?? body?.code ?? null)
}

/** Some time in which a person thinks. */
export async function pause({ chance, clock }: Living, seconds: number): Promise<void> {
  await clock.sleep(Math.floor(chance.next() * seconds * 1000))
}

async function openSession(living: Living): Promise<Session | null> {
  const { chance, town, shop, memory } = living
  const purchase = choosePurchase(chance)
  const key = chance.bytes(8).toString('hex')
  const way = chance.pick(ways)
  const { asked, scope, email } = way(living, purchase, key)
  for (let tries = 0; tries < 20; tries++) {
    const at_once = chance.often(0.1) ? 2 : 1
    const answers = await Promise.all(Array.from({ length: at_once }, () => town.ask(asked)))
    for (const answer of answers) if (answer) memory.keepAnswer(scope, key, answer)
    const made = answers.find((answer) => (answer?.status ?? 500) < 300)
    if (made) {
      const { id, client_secret } = made.body
      memory.keepSession({ merchant_id: shop.merchant_id, id, client_secret, email })
      if (chance.often(0.05)) await reuseKey(living, { ...asked, body: { ...asked.body, amount: 1 } })
      return { id, client_secret }
    }
    await pause(living, 2)
  }
  return null
}

/** How a session is opened; `scope` is whose keys are used, `email` what is named by it. */
type Way = (living: Living, purchase: Purchase, key: string) => { asked: HttpCall; scope: string; email: string | null }

const byServer: Way = ({ shop }, body, key) => ({
  scope: shop.merchant_id,
  email: body.customer?.email ?? null,
  asked: {
    method: 'POST',
    path: '/v1/checkout/sessions',
    body,
    headers: { 'rip-idempotency-key': key, 'x-service-api-key': shop.secret_key },
  },
})

const byPage: Way = ({ shop, chance }, purchase, key) => ({
  scope: shop.publishable_key,
  email: purchase.customer?.email ?? null,
  asked: {
    method: 'POST',
    path: '/v1/checkout/public/sessions',
    headers: { 'rip-idempotency-key': key, origin: shop.origin },
    body: { ...withBasket(purchase, chance), public_key: shop.publishable_key },
  },
})

/** As an official client of the other platform does. */
const byCompatibleServer: Way = ({ shop }, { amount, currency }, key) => ({
  scope: shop.merchant_id,
  email: emails.named,
  asked: {
    method: 'POST',
    path: '/v1/payment_intents',
    headers: { 'idempotency-key': key, authorization: `Bearer ${shop.secret_key}` },
    body: { amount, currency: currency.toLowerCase(), receipt_email: emails.named },
  },
})

const ways = [byServer, byServer, byServer, byPage, byPage, byCompatibleServer]

/** Another request under the same key must be refused. Its shop may have another secret key by then. */
async function reuseKey(living: Living, asked: HttpCall): Promise<void> {
  const answer = await insist(living, asked)
  const refusals = ['idempotency_key_reused', 'key_revoked']
  if (answer && !refusals.includes(codeOf(answer) ?? '')) {
    const told = `${answer.status} ${answer.text}`
    const { 'rip-idempotency-key': native, 'idempotency-key': key = native } = asked.headers!
    living.violations.add('I1', `key ${key} took another body: ${told}`)
  }
}

function chooseNumber({ chance, cards }: Living): string {
  let number = chance.often(0.35) ? chance.pick(plain_numbers) : chance.pick(numbers)
  // Looked for during days, so fewer of these.
  if (testCardOf(number)!.acquirer === 'lost_for_ever' && chance.often(0.7)) number = plain_numbers[0]!
  const does = testCardOf(number)!
  count(cards, `${does.ranges}, ${does.three_ds}, ${does.acquirer}`)
  return number
}

type Ended = { status: string; payment_id: string }

async function payWithCard(living: Living, session: Session): Promise<Ended | 'left' | 'again'> {
  const { chance, town, memory, simulator } = living
  const headers = { 'rip-client-secret': session.client_secret }
  const at = (verb: string) => `/v1/checkout/sessions/${session.id}/${verb}`
  if (chance.often(0.03)) await typeWrongNumber(living, session)
  const number = chooseNumber(living)
  memory.keepSecret('a card number', number)
  const card = {
    number,
    exp_month: 9,
    exp_year: 2031,
    cvc: number.startsWith('3') ? '1234' : '123',
  }
  const referenced = await insist(living, { method: 'POST', path: at('card_references'), headers, body: card })
  if (referenced?.status !== 201) return 'left'
  const { card_reference, three_ds_method } = referenced.body
  const opens_method = three_ds_method && chance.often(0.5)
  if (opens_method) await visit({ town, simulator }, three_ds_method.url, null)
  await pause(living, 3)
  if (chance.often(0.05)) return chance.often(0.5) ? 'again' : 'left'
  const authenticated = await authenticate(living, session, card_reference)
  if (authenticated === null) return 'left'
  if (authenticated.status !== 200) {
    return codeOf(authenticated) === 'three_ds_provider_unavailable' ? 'again' : 'left'
  }
  const { challenge } = authenticated.body.three_ds
  if (challenge && chance.often(0.9)) await faceChallenge(living, challenge.url)
  if (chance.often(0.05)) return chance.often(0.5) ? 'again' : 'left'
  await pause(living, 2)
  return confirm(living, session)
}

async function typeWrongNumber(living: Living, session: Session): Promise<void> {
  const { number } = living.chance.pick(refusedNumbers)
  living.memory.keepSecret('a card number', number)
  await living.town.ask({
    method: 'POST',
    path: `/v1/checkout/sessions/${session.id}/card_references`,
    headers: { 'rip-client-secret': session.client_secret },
    body: { number, exp_month: 9, exp_year: 2031, cvc: '123' },
  })
}

async function authenticate(living: Living, session: Session, card_reference: string) {
  const asked: HttpCall = {
    method: 'POST',
    path: `/v1/checkout/sessions/${session.id}/authenticate`,
    headers: { 'rip-client-secret': session.client_secret },
    body: { card_reference, browser },
  }
  const [answer] = await Promise.all([
    insist(living, asked),
    ...(living.chance.often(0.15) ? [living.town.ask(asked)] : []),
  ])
  return answer
}

async function faceChallenge(living: Living, url: string): Promise<void> {
  const { chance, town, simulator } = living
  const choice = chance.pick(['1234', '1234', '1234', '9999', 'cancel', 'leave'])
  const typed = choice === 'cancel' ? '' : choice
  const action = choice === 'cancel' ? ('cancel' as const) : ('submit' as const)
  const atCode = choice === 'leave' ? null : { code: typed, action }
  await visit({ town, simulator }, url, atCode)
  if (chance.often(0.2)) await visit({ town, simulator }, url, atCode)
}

/** Presses Pay until it is known how it ended, or patience does. */
async function confirm(living: Living, session: Session): Promise<Ended | 'left' | 'again'> {
  const { chance, town, memory } = living
  const asked: HttpCall = {
    method: 'POST',
    path: `/v1/checkout/sessions/${session.id}/confirm`,
    headers: { 'rip-client-secret': session.client_secret },
    body: { customer: { email: emails.typed } },
  }
  let ended: Ended | 'again' = 'again'
  for (let tries = 0; tries < 12; tries++) {
    const at_once = chance.often(0.15) ? 2 : 1
    const answers = await Promise.all(Array.from({ length: at_once }, () => town.ask(asked)))
    const results = answers.flatMap((answer) => (answer?.status === 200 ? [answer.body] : []))
    // Of two at once the one that was asked while the other went on says so.
    for (const body of results.toSorted((a) => (a.status === 'processing' ? -1 : 1))) {
      memory.keepResult(body)
      ended = body as Ended
    }
    if (ended !== 'again' && ended.status !== 'processing') return ended
    const refused = answers.find((answer): answer is Answer => (answer?.status ?? 0) >= 400)
    if (refused && !waits.has(codeOf(refused) ?? '')) return 'left'
    if (refused && chance.often(0.1)) return 'again'
    await readState(living, session)
    await pause(living, tries < 4 ? 3 : 40)
  }
  return ended
}

const waits = new Set(['authentication_incomplete', 'store_unavailable'])

async function readState({ town, chance }: Living, session: Session): Promise<Body> {
  if (chance.often(0.5)) return null
  const answer = await town.ask({
    method: 'GET',
    path: `/v1/checkout/sessions/${session.id}/state`,
    headers: { 'rip-client-secret': session.client_secret },
  })
  return answer?.body
}
