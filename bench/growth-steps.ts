// What is timed at each size of a grown database: one function a step, each a round of its own at a rate that leaves the
// machine at rest most of the time.

import { randomInt } from 'node:crypto'
import { cursorAfter } from '../src/http/list-cursor.ts'
import { idsFrom } from '../src/kernel/ids.ts'
import { scopeOfDeliveries } from '../src/webhooks/deliveries/list-deliveries.ts'
import type { DeliveryStatus } from '../src/webhooks/delivery.ts'
import { claimsOfAnyAge, claimsOfNewest } from './growth-claims.ts'
import { type Ground, livesOf, own_of } from './growth-fill.ts'
import { keyringOf, listSteps, oldestOf } from './growth-lists.ts'
import { checkOut } from './growth-lives.ts'
import { loaded, requests, type Step } from './growth-load.ts'
import type { Answer, Work } from './load.ts'
import { card, createRequest, nextKey, readRequest, requestBytes } from './requests.ts'

const rate = { requests: 200, lists: 100, checkouts: 20 }
/** A checkout is four requests, and fewer of them tell less. */
const checkout_seconds_factor = 3

export const steps: Step[] = [
  { name: 'a request that reads nothing (`/healthz`)', isControl: true, round: healths },
  { name: 'list of webhook endpoints, of which there is one', isControl: true, round: endpoints },
  { name: 'create', round: (ground) => creates(ground) },
  { name: 'session read, one just created', round: freshReads },
  { name: 'session read, any of them', round: reads },
  { name: 'list of deliveries, the newest', round: (ground) => lists(ground, {}, false) },
  { name: 'the same, a page anywhere', round: (ground) => lists(ground, {}, true) },
  { name: '5 of one event type, anywhere', round: (ground) => lists(ground, declined, true) },
  { name: '5 that were given up, anywhere', round: (ground) => lists(ground, given_up, true) },
  ...listSteps,
  { name: 'confirm', round: confirms },
  // Of the confirms before.
  { name: 'claim of 20 deliveries just made', round: claimsOfNewest },
  { name: 'claim of 20 deliveries of any age', round: claimsOfAnyAge },
]

// At the smallest size there are some thirty of each.
const declined = { event_type: 'webhook.payment.declined', limit: '5' }
const given_up: Query = { status: 'dead_lettered', limit: '5' }

function healths(ground: Ground): Promise<number[]> {
  const request = requestBytes({ method: 'GET', path: '/healthz' })
  return requests(ground, rate.requests, () => ({ request, expected: 200 }))
}

async function endpoints(ground: Ground): Promise<number[]> {
  await forgetRequests(ground)
  const request = readRequest(ground.service.secret_key, '/v1/webhooks/endpoints')
  return requests(ground, rate.lists, () => ({ request, expected: 200 }))
}

function creates(ground: Ground, look?: (answer: Answer) => void): Promise<number[]> {
  const { secret_key } = ground.service
  const next = () => ({ request: createRequest(secret_key, nextKey()), expected: 201 })
  return requests(ground, rate.requests, next, look)
}

/** Each is read once, as by a page that has just opened. */
async function freshReads(ground: Ground): Promise<number[]> {
  const ids: string[] = []
  await creates(ground, ({ body }) => ids.push(JSON.parse(body.toString()).id))
  return readSessions(ground, ids)
}

/** Drawn from all of the merchant's sessions, so that at the larger sizes hardly one is read twice. */
async function reads(ground: Ground): Promise<number[]> {
  const { sql, seconds } = ground
  const numbers = ownNumbers(ground, rate.requests * seconds)
  const rows = await sql.unsafe<{ session_id: string }[]>(
    `select session_id from (${livesOf('unnest($1::bigint[])')}) l`,
    [`{${numbers}}`],
  )
  return readSessions(
    ground,
    rows.map(({ session_id }) => session_id),
  )
}

function readSessions(ground: Ground, ids: string[]): Promise<number[]> {
  return requests(ground, rate.requests, (index) => {
    const path = `/v1/checkout/sessions/${ids[index % ids.length]}`
    return { request: readRequest(ground.service.secret_key, path), expected: 200 }
  })
}

/** Numbers of so many lives of the merchant whose key measures. */
function ownNumbers({ size }: Ground, count: number): number[] {
  return Array.from({ length: count }, () => randomInt(size / own_of) * own_of)
}

type Query = { status?: DeliveryStatus; event_type?: string; limit?: string }

/**
 * The first page, or others, under cursors of any time but the oldest quarter of it: a page is full at every size, so that
 * as much is read for each.
 */
async function lists(ground: Ground, query: Query, isAnywhere: boolean): Promise<number[]> {
  await forgetRequests(ground)
  const { service, span, data_dir } = ground
  const { merchant_id, secret_key } = service
  const keyring = keyringOf(data_dir)
  const { limit: _, ...filters } = query
  const bound = scopeOfDeliveries({
    merchant_id,
    status: undefined,
    event_type: undefined,
    ...filters,
  })
  const cursor = () => {
    const at = new Date(randomInt(oldestOf(span), span.to_ms))
    return { after: cursorAfter(keyring, bound, `${idsFrom(at)}${'0'.repeat(20)}`) }
  }
  return requests(ground, rate.lists, () => {
    const asked = new URLSearchParams({ ...query, ...(isAnywhere ? cursor() : {}) })
    const request = readRequest(secret_key, `/v1/webhooks/deliveries?${asked}`)
    return { request, expected: 200 }
  })
}

/** A merchant may ask for so many lists a minute, and no more. */
async function forgetRequests({ sql }: Ground): Promise<void> {
  await sql`delete from webhook_rate_limits`
}

/** Whole checkouts, of which the confirm alone is timed. */
async function confirms(ground: Ground): Promise<number[]> {
  const times: number[] = []
  const pay: Work = async (client) => {
    const one = { number: card.number, key: nextKey() }
    const { confirm } = await checkOut(client, ground.service, one)
    const started = performance.now()
    const { status } = await confirm()
    times.push(performance.now() - started)
    return status === 'captured'
  }
  const seconds = ground.seconds * checkout_seconds_factor
  return loaded(ground, { per_second: rate.checkouts, seconds }, pay, times)
}
