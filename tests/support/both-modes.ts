// A live merchant with objects of both modes, and its keys for both and for each alone.

import { z } from 'zod'
import type { Acquirer } from '../../src/acquirers/acquirer.ts'
import type { KnownConnector } from '../../src/connections/connectors.ts'
import type { Mode } from '../../src/kernel/values.ts'
import { deadLetter } from '../conformance/webhook-delivery-rows.ts'
import { checkouts, order } from './checkout-sessions.ts'
import { openClient, visa } from './client.ts'
import { disputeOf } from './disputing.ts'
import { hold } from './holding.ts'
import { insertPayout } from './payouts.ts'
import { type Account, newKey, type Service, type ServiceOptions, shop } from './service.ts'

const never = async () => {
  throw new Error('not asked for here')
}
const bank: Acquirer = {
  name: 'bank',
  learned_by: 'reference',
  lists: true,
  reverse: never,
  lookUp: never,
  listAuthorisations: never,
  safe_window_ms: 300_000,
  reference_life_ms: 24 * 3_600_000,
  late_approval_ms: 0,
  authorise: async ({ amount, currency, capture, reference }) => ({
    result: 'approved',
    captured: capture,
    amount,
    currency,
    acquirer_transaction_id: `t_${reference}`,
  }),
  capture: async ({ reference }) => ({ result: 'approved', acquirer_transaction_id: reference }),
  void: async ({ reference }) => ({ result: 'approved', acquirer_transaction_id: reference }),
  refund: async ({ reference }) => ({ result: 'approved', acquirer_transaction_id: reference }),
}
const bankConnector: KnownConnector = {
  name: 'bank',
  kind: 'acquirer',
  credentials: z.object({}),
  open: ({ name }) => ({ ...bank, name }),
}

/** What the service needs, so that payments of both modes are approved. */
export const bothModes: ServiceOptions = {
  connectors: [bankConnector],
  // No card is enrolled in live mode, and each is charged without 3-D Secure.
  three_ds: {
    server_reference_number: 'R',
    operator_id: 'O',
    requestor_id: 'I',
    requestor_name: 'N',
    requestor_url: 'https://ripper.example',
    directory_servers: [],
  },
}

const profile = { acquirer: 'bank', descriptor_name: 'TEA', mcc: '5499', country: 'GB' }
export const liveMerchant = { live: true, live_enabled: true, acquiring_profile: profile }

export const keyModes = ['any', 'test_only', 'live_only'] as const
export type KeyMode = (typeof keyModes)[number]
export const modes: Mode[] = ['test', 'live']

export const sees = (key: KeyMode, mode: Mode) => key === 'any' || key === `${mode}_only`

/** The merchant, as the key of each kind has it. */
export async function openBothModes(service: Service) {
  const tea = { sku: 'tea', name: 'Tea', unit_amount: 4200, currency: 'GBP', tax_rate: null, image_url: null }
  const account = await service.newAccount({ merchant: liveMerchant, integration: { price_list: [tea] } })
  async function accountWith(mode: KeyMode): Promise<Account> {
    const pair = mode === 'test_only' ? 'own' : true
    const { secret_key, key } = await newKey(service.operator, account.merchant_id, { mode, pair })
    const client = openClient({ base_url: service.base_url, secret_key })
    return { ...account, secret_key, client, publishable_key: key.publishable_key }
  }
  const test_only = await accountWith('test_only')
  const live_only = await accountWith('live_only')
  return {
    accounts: { any: account, test_only, live_only } as Record<KeyMode, Account>,
    ...openMakers(service, { test: test_only, live: live_only }),
  }
}

const cards: Record<Mode, string> = { test: visa, live: '4539578763621486' }

function openMakers(service: Service, makers: Record<Mode, Account>) {
  /** Makes an object of a mode, by the name that paths give its id. */
  const makes: Record<string, (mode: Mode) => Promise<string>> = {
    payment_id: async (mode) => (await makers[mode].client.pay(cards[mode])).body.payment_id,
    charge_id: async (mode) => (await idOf('payment_id', mode)).replace('pay_', 'ch_'),
    held_id: async (mode) => (await hold(makers[mode], cards[mode])).payment_id,
    held_session_id: async (mode) => (await hold(makers[mode], cards[mode])).session.id,
    unpaid_session_id: async (mode) => (await makers[mode].client.create()).body.id,
    session_id: async (mode) => (await makers[mode].client.pay(cards[mode])).body.session_id,
    async checkout_id(mode) {
      const { client } = makers[mode]
      const headers = { authorization: `Bearer ${client.secret_key}` }
      const body = { ...order, success_url: `${shop}/done` }
      return (await client.send('POST', checkouts, { headers, body })).body.id
    },
    async payment_link_id(mode) {
      const { client } = makers[mode]
      const headers = { ...client.withKey, 'rip-idempotency-key': crypto.randomUUID() }
      return (await client.send('POST', '/v1/payment_links', { headers, body: { amount: 1, currency: 'GBP' } })).body.id
    },
    async refund_id(mode) {
      const { client } = makers[mode]
      return (await client.refund(await idOf('payment_id', mode), { amount: 1 })).body.id
    },
    async dispute_id(mode) {
      const key = { merchant_id: makers[mode].merchant_id, payment_id: await makes.payment_id!(mode) }
      return (await disputeOf(service, key)).dispute_id
    },
    async endpoint_id(mode) {
      const url = `https://shop.example/${mode}`
      return (await makers[mode].client.createEndpoint({ url })).body.id
    },
    async webhook_endpoint_id(mode) {
      const url = `https://shop.example/${mode}`
      return (await makers[mode].client.createEndpoint({ url, event_format: 'stripe' })).body.id
    },
    async event_id(mode) {
      const payment_id = await makes.payment_id!(mode)
      const [event] = await service.sql<{ event_id: string }[]>`
        select event_id from events where payment_id = ${payment_id}`
      return event!.event_id
    },
    // Its row does not tell its mode, but the vendor's id here does.
    payout: (mode) => insertPayout(service.sql, { merchant_id: makers[mode].merchant_id, mode, vendor_id: mode }),
    async delivery_id(mode) {
      const place = { ...service, account: makers[mode] }
      const endpoint_id = await idOf('endpoint_id', mode)
      const payment_id = await idOf('payment_id', mode)
      return (await deadLetter(place, { endpoint_id, payment_id })).delivery_id
    },
  }
  const made = new Map<string, Promise<string>>()
  /** One that was made before, for what leaves it as it is. */
  function idOf(name: string, mode: Mode): Promise<string> {
    const id = made.get(name + mode) ?? makes[name]!(mode)
    made.set(name + mode, id)
    return id
  }
  return { makers, makes, idOf }
}
