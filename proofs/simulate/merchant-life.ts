// What a shop does with a session of its own afterwards: reads it, decides on a held payment, and looks where it must not.

import { codeOf, doOnce, insist, type Living, pause } from './life.ts'
import { refundSome } from './refunding.ts'
import type { Shop } from './shop.ts'
import type { Answer, HttpCall } from './town.ts'
import type { Violations } from './violations.ts'

export type Left = { session_id: string; payment_id: string | null }

export async function lookAfter(
  living: Living,
  left: Left,
  others: { shop: Shop; violations: Violations },
): Promise<void> {
  const { chance } = living
  await pause(living, 5)
  const session = await insist(living, get(living.shop, `/v1/checkout/sessions/${left.session_id}`))
  const payment_id = left.payment_id ?? session?.body?.payment_id ?? null
  if (payment_id !== null) {
    await readPayment(living, payment_id)
    if (session?.body?.hold || chance.often(0.02)) await decide(living, payment_id)
    if (chance.often(0.4)) await readPayment(living, payment_id)
    if (chance.often(0.35)) await refundSome(living, { ...left, payment_id })
  }
  if (chance.often(0.1)) await intrude(living, { ...left, payment_id }, others)
}

async function readPayment(living: Living, payment_id: string): Promise<void> {
  const answer = await insist(living, get(living.shop, `/v1/payments/${payment_id}`))
  if (answer?.status === 200) living.memory.keepStatus(payment_id, answer.body.status)
}

/** Decides on a held payment once, twice, twice at once, or leaves it to the rules. */
async function decide(living: Living, payment_id: string): Promise<void> {
  const { chance } = living
  const rounds = chance.pick([0, 1, 1, 2])
  for (let round = 0; round < rounds; round++) {
    await pause(living, 60)
    const at_once = chance.often(0.3) ? 2 : 1
    await Promise.all(Array.from({ length: at_once }, () => decideOnce(living, payment_id)))
  }
}

async function decideOnce(living: Living, payment_id: string): Promise<void> {
  const { chance, shop } = living
  const verb = chance.pick(['capture', 'capture', 'void', 'escalate'])
  const key = chance.bytes(8).toString('hex')
  const asked: HttpCall = {
    method: 'POST',
    path: `/v1/payments/${payment_id}/hold/${verb}`,
    headers: { 'x-service-api-key': shop.secret_key, 'rip-idempotency-key': key },
  }
  await doOnce(living, asked, key)
}

/** Another shop asks for what is not its own: it must hear what it hears of nothing. */
async function intrude(
  living: Living,
  { session_id, payment_id }: Left,
  { shop, violations }: { shop: Shop; violations: Violations },
): Promise<void> {
  const nothing = living.chance.bytes(12).toString('hex')
  const pairs: [HttpCall, HttpCall][] = [
    [get(shop, `/v1/checkout/sessions/${session_id}`), get(shop, `/v1/checkout/sessions/cs_${nothing}`)],
    ...(payment_id === null ? [] : pairsOf(shop, payment_id, `pay_${nothing}`)),
  ]
  for (const [theirs, nobodys] of pairs) {
    const [one, other] = [await insist(living, theirs), await insist(living, nobodys)]
    if (!one || !other) continue
    // The shop's key was withdrawn before or between: this says nothing of either.
    if ([one, other].some((answer) => codeOf(answer) === 'key_revoked')) continue
    if (bytes(one) !== bytes(other)) {
      violations.add('I13', `${theirs.path}: ${bytes(one)}, while nothing is ${bytes(other)}`)
    }
  }
}

function pairsOf(shop: Shop, theirs: string, nobodys: string): [HttpCall, HttpCall][] {
  const capture = (id: string): HttpCall => ({
    method: 'POST',
    path: `/v1/payments/${id}/hold/capture`,
    headers: { 'x-service-api-key': shop.secret_key, 'rip-idempotency-key': `of ${id}` },
  })
  return [
    [get(shop, `/v1/payments/${theirs}`), get(shop, `/v1/payments/${nobodys}`)],
    [capture(theirs), capture(nobodys)],
  ]
}

function bytes({ status, text }: Answer): string {
  return `${status} ${text.replace(/req_[0-9a-f]{24}/, 'req_')}`
}

function get(shop: Shop, path: string): HttpCall {
  return { method: 'GET', path, headers: { 'x-service-api-key': shop.secret_key } }
}
