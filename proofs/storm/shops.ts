// The merchants of a storm and their receivers, which are real HTTP servers in the proof's own process.

import { openIds } from '../../src/kernel/ids.ts'
import type { MerchantId } from '../../src/kernel/values.ts'
import type { ServiceResources } from '../../src/service/resources.ts'
import { newEndpoint } from '../../src/webhooks/endpoints/create-endpoint.ts'
import { insertEndpoint } from '../../src/webhooks/endpoints/endpoint-store.ts'
import { signatureOf } from '../../src/webhooks/sending/signature.ts'
import { openWebhookReceiver, type ReceivedEvent, type WebhookReceiver } from '../../tests/support/webhook-receiver.ts'
import type { Chance } from '../simulate/chance.ts'
import type { Receiver } from '../simulate/receivers.ts'
import { type Shop as Merchant, openShop } from '../simulate/shop.ts'

export type Shop = Merchant

export type Market = {
  shops: Shop[]
  receivers: Receiver[]
  /** What was wrong with a delivery as it came. */
  faults: string[]
  /** What came, and at which performance.now(). */
  heard: { key: string; at_ms: number }[]
  close(): Promise<void>
}

const shop_count = 3
const filters = [[], ['payment.captured', 'payment.held']]

/**
 * Opens the merchants, each with two endpoints. `through` gives the port by which a receiver's is reached, `connect` makes a
 * merchant's connection to an acquirer.
 */
export async function openMarket(
  opened: ServiceResources,
  chance: Chance,
  {
    through = async (port) => port,
    connect,
  }: {
    through?: (port: number) => Promise<number>
    connect?: (merchant_id: string) => Promise<string>
  } = {},
): Promise<Market> {
  const { database, keyring, world } = opened
  const ids = openIds(world.random, keyring)
  const office = { sql: database.sql, ids, clock: world.clock, actor: 'operator' } as const
  const heard: Market['heard'] = []
  const faults: string[] = []
  const market = { shops: [] as Shop[], receivers: [] as Receiver[], faults, heard }
  const servers: WebhookReceiver[] = []
  for (let number = 1; number <= shop_count; number += 1) {
    const shop = await openShop(office, chance.fork(`shop ${number}`), number, connect)
    market.shops.push(shop)
    for (const event_filter of filters) {
      const seen: Receiver['events'] = new Map()
      const server = await openWebhookReceiver((one, response) =>
        hear({ receiver, chance, faults, heard }, one, response),
      )
      servers.push(server)
      const url = `http://127.0.0.1:${await through(server.port)}/hooks`
      const merchant_id = shop.merchant_id as MerchantId
      const { signing_secret, ...made } = newEndpoint(
        { ids, keyring },
        { merchant_id, url, event_filter: event_filter as never, now: new Date() },
        { ids, actor: 'operator' },
      )
      await insertEndpoint(database.sql, made, null)
      const receiver: Receiver = {
        url,
        merchant_id,
        endpoint_id: made.endpoint.endpoint_id,
        events: seen,
        secret: signing_secret,
        filter: event_filter,
        extensions: [],
        is_broken: false,
      }
      market.receivers.push(receiver)
    }
  }
  return {
    ...market,
    async close() {
      for (const server of servers) await server.close()
    },
  }
}

type ReceiverParts = { receiver: Receiver; chance: Chance } & Pick<Market, 'faults' | 'heard'>

/** Writes a delivery down, with what is wrong with it, and answers as a receiver does that has its bad moments. */
export function hear(
  { receiver, chance, faults, heard }: ReceiverParts,
  one: ReceivedEvent,
  response: { destroy(): void },
): number | undefined {
  heard.push({ key: one.headers['rip-idempotency-key'] ?? '', at_ms: performance.now() })
  const fault = take(receiver, one)
  if (fault) faults.push(fault)
  return answer(receiver, one, chance, response)
}

/** Writes a delivery down. Returns what is wrong with it, or null. */
function take(receiver: Receiver, { headers, body }: ReceivedEvent): string | null {
  const key = headers['rip-idempotency-key'] ?? ''
  const known = receiver.events.get(key) ?? { body, came: 0, accepted: 0 }
  receiver.events.set(key, known)
  known.came += 1
  if (known.body !== body) return `${key} came with another body`
  if (!key.endsWith(`#${receiver.endpoint_id}`)) return `${key} came to ${receiver.endpoint_id}`
  const signature = headers['rip-signature'] ?? ''
  const t = Number(/^t=(\d+),/.exec(signature)?.[1])
  const at = new Date(t * 1000)
  if (!t || signature !== signatureOf(body, [receiver.secret], at)) {
    return `${key} came with the signature ${signature}`
  }
  return null
}

/** Some fail, some break off, and one event in fifty is never accepted. */
function answer(
  receiver: Receiver,
  { headers }: ReceivedEvent,
  chance: Chance,
  response: { destroy(): void },
): number | undefined {
  const key = headers['rip-idempotency-key']!
  if (chance.fork(`refused ${key}`).often(0.02)) return 500
  if (chance.often(0.03)) {
    response.destroy()
    return undefined
  }
  if (chance.often(0.05)) return 503
  receiver.events.get(key)!.accepted += 1
  return 200
}
