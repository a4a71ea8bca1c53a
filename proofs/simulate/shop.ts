// A merchant of a simulated world: its rules, keys and endpoints.

import { permissions } from '../../src/http/access.ts'
import type { Clock } from '../../src/kernel/world.ts'
import type { Integration } from '../../src/merchants/integration.ts'
import { createIntegration, createKey, createMerchant, type ManageContext } from '../../src/merchants/manage.ts'
import type { Chance } from './chance.ts'
import type { Memory } from './memory.ts'
import { price_list } from './purchase.ts'
import type { Receivers } from './receivers.ts'
import type { Town } from './town.ts'

export type Shop = {
  merchant_id: string
  secret_key: string
  key_id: string
  publishable_key: string
  origin: string
}

/** Opens a merchant whose rules the seed decides. `connect` makes a connection for it, which its test sessions are paid over. */
export async function openShop(
  office: ManageContext,
  chance: Chance,
  number: number,
  connect?: (merchant_id: string) => Promise<string>,
): Promise<Shop> {
  const { merchant_id } = await createMerchant(office, {
    name: `Shop ${number}`,
    live: false,
    live_enabled: false,
    acquiring_profile: null,
  })
  const origin = `https://shop-${number}.example`
  const rules: Partial<Integration> = {
    is_default: true,
    allowed_origins: [origin],
    on_3ds_unavailable: chance.pick(['proceed', 'proceed', 'decline']),
    review_window_seconds: chance.pick([60, 600, 7_200, 86_400]),
    at_deadline: chance.pick(['void', 'capture']),
    escalate_after_seconds: chance.pick([null, 30, 3_600]),
    capture_below: chance.pick([null, null, 5_000]),
    price_list: chance.pick([null, price_list]),
    ...(connect && { test_connections: [await connect(merchant_id)] }),
  }
  await createIntegration(office, merchant_id, { name: 'default', ...rules })
  return { merchant_id, origin, ...(await openKey(office, merchant_id)) }
}

/** A key that may do everything. */
export async function openKey(
  office: ManageContext,
  merchant_id: string,
): Promise<Pick<Shop, 'secret_key' | 'key_id' | 'publishable_key'>> {
  const { secret_key, key } = await createKey(office, merchant_id, {
    permissions: [...permissions],
    mode: 'any',
    allowed_addresses: [],
    allowed_origins: [],
    expires_at: null,
    pair: true,
  })
  return { secret_key, key_id: key.key_id, publishable_key: key.publishable_key! }
}

/** Registers where a shop is told of its payments. */
export async function registerReceivers(
  { town, receivers, memory, chance, clock }: Registering,
  shop: Shop,
): Promise<void> {
  const count = chance.pick([0, 1, 1, 2])
  for (let each = 0; each < count; each++) {
    const url = `https://hooks-${each}.${shop.origin.slice('https://'.length)}/told`
    const event_filter = chance.pick([[], [], ['payment.captured', 'payment.held'], ['payment.failed']])
    const extensions = chance.pick([[], ['refund.failed'], ['refund.succeeded', 'refund.failed']])
    const key = chance.bytes(8).toString('hex')
    const body = { url, event_filter, ...(extensions.length > 0 && { extension_events: extensions }) }
    for (;;) {
      const answer = await town.ask({
        method: 'POST',
        path: '/v1/webhooks/endpoints',
        // The key may be another by now.
        headers: { 'x-service-api-key': shop.secret_key, 'rip-idempotency-key': key },
        body,
      })
      if (answer) memory.keepAnswer(shop.merchant_id, key, answer)
      if (answer?.status === 201) {
        const { id, signing_secret } = answer.body
        memory.keepSecret('a signing secret', signing_secret)
        receivers.add({
          url,
          merchant_id: shop.merchant_id,
          endpoint_id: id,
          secret: signing_secret,
          filter: event_filter,
          extensions,
          is_broken: chance.often(0.12),
        })
        break
      }
      await clock.sleep(500)
    }
  }
}

type Registering = {
  town: Town
  receivers: Receivers
  memory: Memory
  chance: Chance
  clock: Clock
}
