// A node dies under load and comes back: what the merchants of each node are answered meanwhile.

import { closedLoad, openClients } from '../../bench/load.ts'
import { createRequest, nextKey } from '../../bench/requests.ts'
import { openTill } from '../../bench/work.ts'
import { realClock } from '../../tests/support/world.ts'
import { waitFor } from '../storm/rest.ts'
import type { Server } from './cluster.ts'
import type { Merchant, Service } from './stand.ts'

/** What a merchant's server was answered, by status; 0 where nothing came. */
export type Answers = Record<number, number>

export type Outage = {
  killed: string
  /** While the node was away, of its merchants and of the others. */
  own: Answers
  others: Answers
  /** What `/readyz` said. */
  ready: string
  /** Milliseconds from when the node answered again until its merchants were served. */
  back_ms: number
  /** Sessions that were acknowledged, and those of them that are gone. */
  acknowledged: number
  lost: string[]
}

const before_ms = 2_000
const away_ms = 8_000
const after_ms = 4_000
/** A request to a node that is away fails at once; more would only be more of the same. */
const pause_ms = 25

/** One client for each merchant creates sessions all the time; some pay. */
export async function withoutNode(
  killed: Server,
  { service, merchants }: { service: Service; merchants: Merchant[] },
): Promise<Outage> {
  const kept: { merchant: Merchant; id: string }[] = []
  const [own, others]: [Answers, Answers] = [{}, {}]
  let phase: 'before' | 'away' | 'after' = 'before'
  let served_ms = 0
  let is_over = false
  const shopping = merchants.map(async (merchant) => {
    const is_own = merchant.node === killed.name
    while (!is_over) {
      const { status, id } = await create(service.base_url, merchant)
      if (status === 201) kept.push({ merchant, id: id! })
      if (status === 201 && is_own && phase === 'after') served_ms ||= performance.now()
      if (phase === 'away') {
        const answers = is_own ? own : others
        answers[status] = (answers[status] ?? 0) + 1
      }
      await realClock.sleep(pause_ms)
    }
  })
  let ready = ''
  let started_ms = 0
  try {
    await realClock.sleep(before_ms)
    killed.kill()
    phase = 'away'
    await realClock.sleep(away_ms / 2)
    ready = await (await fetch(`${service.base_url}/readyz`)).text()
    await payAtAll(
      service,
      merchants.filter(({ node }) => node !== killed.name),
    )
    await realClock.sleep(away_ms / 2)
    phase = 'after'
    await killed.start()
    started_ms = performance.now()
    await waitFor(async () => served_ms > 0, 'the merchants of the node are not served again')
    await realClock.sleep(after_ms)
  } finally {
    is_over = true
    await Promise.all(shopping)
  }
  const lost: string[] = []
  for (const { merchant, id } of kept) if (!(await isThere(service, merchant, id))) lost.push(id)
  return {
    killed: killed.name,
    own,
    others,
    ready: ready.trim(),
    back_ms: Math.max(0, served_ms - started_ms),
    acknowledged: kept.length,
    lost,
  }
}

/** Throws where a merchant whose node is there cannot take a payment. */
async function payAtAll({ base_url }: Service, merchants: Merchant[]): Promise<void> {
  const clients = await openClients(base_url, 1)
  for (const merchant of merchants) {
    const { failed } = await closedLoad(clients, { count: 1 }, openTill(merchant).pay)
    if (failed > 0) throw new Error(`${merchant.merchant_id} on ${merchant.node} could not be paid`)
  }
  for (const client of clients) client.close()
}

export async function create(base_url: string, { secret_key }: Merchant) {
  const [client] = await openClients(base_url, 1)
  try {
    const { status, body } = await client!.send(createRequest(secret_key, nextKey()))
    const { id } = status === 201 ? (JSON.parse(body.toString()) as { id: string }) : {}
    return { status, id }
  } catch {
    return { status: 0 }
  } finally {
    client!.close()
  }
}

export async function isThere({ base_url }: Service, { secret_key }: Merchant, id: string) {
  const headers = { 'x-service-api-key': secret_key }
  const { status } = await fetch(`${base_url}/v1/checkout/sessions/${id}`, { headers })
  return status === 200
}
