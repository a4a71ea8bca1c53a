// The accounts of an episode: keys of every kind, integrations of every rule, and sessions in every state to begin with.

import { randomUUID } from 'node:crypto'
import { testNumber } from '../../src/cards/test-cards.ts'
import { rowValues } from '../../src/database/driver/rows.ts'
import { changeMerchant, createIntegration, withdrawKey } from '../../src/merchants/manage.ts'
import { deadLetter } from '../../tests/conformance/webhook-delivery-rows.ts'
import { browser } from '../../tests/support/client.ts'
import { type Account, type AccountOptions, newKey, type Service, shop } from '../../tests/support/service.ts'
import { type Ids, noIds, type Pool, type SessionNote } from './pool.ts'

/** Kinds of keys besides the one that may do everything. */
export const callers = [
  'reader',
  'creator',
  'revoked',
  'expired',
  'elsewhere',
  'from_a_page',
  'live_only',
  'unpaired',
  'foreign',
  'suspended',
  'live',
  'spent',
] as const

export type Caller = 'main' | (typeof callers)[number]

export type Stage = {
  /** The merchants whose rows an episode may change. */
  merchant_ids: string[]
  secret_keys: Record<Caller, string>
  pool: Pool
}

const day_ms = 24 * 3_600_000

/** Each episode has one of its own, so that what a request meets does not depend on earlier episodes. */
export async function openStage(service: Service): Promise<Stage> {
  const { operator } = service
  const main = await service.newAccount({ integration: { order_reference_metadata_key: 'order' } })
  const foreign = await openHosted(service)
  // The newest publishable key is the hosted page's, and may make live sessions alone.
  await newKey(operator, foreign.merchant_id, { mode: 'live_only', pair: 'own' })
  const suspended = await openHosted(service)
  const live = await openHosted(service, { merchant: { live: true, live_enabled: true } })
  const spent = await openHosted(service, { integration: { require_verified_amount: true } })
  await spendLimits(service, spent)
  const { merchant_id } = main
  const hosted = handle()
  await integrate(service, merchant_id, hosted)
  const key = (asked: Parameters<typeof newKey>[2]) => newKey(operator, merchant_id, asked)
  const revoked = await key({})
  await withdrawKey(operator, revoked.key.key_id)
  const live_only = await key({ mode: 'live_only', pair: 'own' })
  const own = await fill(service, main)
  await addDeliveries(service, main, own)
  await suspend(service, suspended, own)
  const past = new Date(operator.clock.now().getTime() - day_ms)
  const keys = [main, main, main, suspended, live].map((each) => each.publishable_key!)
  return {
    merchant_ids: [main, foreign, suspended, live, spent].map((account) => account.merchant_id),
    secret_keys: {
      main: main.secret_key,
      reader: (await key({ permissions: ['read_transactions'] })).secret_key,
      creator: (await key({ permissions: ['create_payments'] })).secret_key,
      revoked: revoked.secret_key,
      expired: (await key({ expires_at: past })).secret_key,
      elsewhere: (await key({ allowed_addresses: ['203.0.113.0/24'] })).secret_key,
      from_a_page: (await key({ allowed_origins: ['https://operator.example'] })).secret_key,
      live_only: live_only.secret_key,
      unpaired: (await key({ pair: false })).secret_key,
      foreign: foreign.secret_key,
      suspended: suspended.secret_key,
      live: live.secret_key,
      spent: spent.secret_key,
    },
    pool: {
      own,
      foreign: await fillOther(service, foreign),
      cursors: [],
      tags: [],
      keys: [],
      tokens: [],
      public_keys: [...keys, live_only.key.publishable_key!],
      handles: [
        ...[suspended, live, spent, foreign].map((each) => each.integration!.handle!),
        hosted,
        hosted,
        hosted,
        hosted,
      ],
    },
  }
}

/** A merchant with a hosted page as its default integration. */
function openHosted(service: Service, { merchant = {}, integration = {} }: AccountOptions = {}): Promise<Account> {
  const rules = { is_hosted_page: true, handle: handle(), ...integration }
  return service.newAccount({ merchant, integration: rules })
}

/** Suspends a merchant that has a session at each step of its payment. */
async function suspend(service: Service, account: Account, ids: Ids): Promise<void> {
  const shopper = openShopper(service, account, ids)
  const card = testNumber('visa')
  await shopper.open({})
  await shopper.reference(await shopper.open({}), card)
  await shopper.pay([card], { without_email: true })
  await changeMerchant(service.operator, account.merchant_id, { status: 'suspended' })
}

/** As if all that is allowed in this minute had been asked for. */
async function spendLimits({ sql, operator }: Service, { merchant_id }: Account): Promise<void> {
  const this_minute = Math.floor(operator.clock.now().getTime() / 60_000)
  for (const kind of ['read', 'write', 'replay']) {
    const minute = new Date(this_minute * 60_000)
    await sql`insert into webhook_rate_limits ${rowValues(sql, { merchant_id, kind, minute, used: 500 })}`
  }
}

const handle = () => `shop-${randomUUID().slice(0, 13)}`

async function integrate(service: Service, merchant_id: string, hosted: string): Promise<void> {
  const price = { name: 'Tea', currency: 'GBP', tax_rate: null, image_url: null }
  const price_list = [{ ...price, sku: 'tea', unit_amount: 1250 }]
  const base = { allowed_origins: [shop] }
  const rules = [
    { name: 'priced', price_list },
    { name: 'fixed', default_amount: 4200, default_currency: 'GBP' },
    { name: 'strict', require_verified_amount: true },
    { name: 'hosted', is_hosted_page: true, handle: hosted },
  ]
  for (const rule of rules) await createIntegration(service.operator, merchant_id, { ...base, ...rule })
}

type CallOptions = { headers?: Record<string, string>; body?: unknown }

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape.
type Json = any

/** Sessions in each state that a payment goes through. */
async function fill(service: Service, account: Account): Promise<Ids> {
  const ids = noIds()
  const shopper = openShopper(service, account, ids)
  const visa = (codes: object) => testNumber('visa', codes)
  const decliner = visa({ abc: '005' })
  await shopper.pay([visa({})])
  await shopper.pay([visa({ abc: '059' })])
  await shopper.pay([decliner, decliner, decliner])
  await shopper.pay([visa({ abc: '904' })])
  await shopper.pay([visa({ yz: '72' })])
  await shopper.pay([visa({})], { unverified: true })
  await shopper.pay([visa({ abc: '905' })], { unverified: true })
  await shopper.pay([visa({ abc: '906' })], { unverified: true })
  await shopper.pay([visa({})], { without_email: true })
  await shopper.reference(await shopper.open({}), visa({}))
  const tried = await shopper.open({})
  for (const abc of ['000', '005', '041', '043', '051']) await shopper.reference(tried, visa({ abc }))
  const expired = await shopper.pay([visa({})], { without_email: true })
  await service.sql`
    update sessions set created_at = created_at - interval '1 hour', expires_at = expires_at - interval '1 hour'
    where merchant_id = ${account.merchant_id} and session_id = ${expired.id}`
  return ids
}

async function fillOther(service: Service, account: Account): Promise<Ids> {
  const ids = noIds()
  const shopper = openShopper(service, account, ids)
  await shopper.pay([testNumber('visa')], { unverified: true })
  ids.endpoints.push(await shopper.endpoint())
  const delivery = { endpoint_id: ids.endpoints[0]!, payment_id: ids.payments[0]! }
  ids.deliveries.push((await deadLetter({ ...service, account }, delivery)).delivery_id)
  return ids
}

/** Deliveries that were given up on: to be replayed, too old, without their forebears, to a deleted endpoint. */
async function addDeliveries(service: Service, account: Account, ids: Ids): Promise<void> {
  const shopper = openShopper(service, account, ids)
  const now_ms = service.operator.clock.now().getTime()
  const endpoint_id = await shopper.endpoint()
  const given = { endpoint_id, payment_id: ids.payments[0]! }
  const old = new Date(now_ms - 31 * day_ms)
  const rows = [
    ...Array(6).fill({}),
    { created_at: old, root_created_at: old },
    { replay_of: '0'.repeat(32), root_id: '0'.repeat(32) },
    { endpoint_id: 'whep_000000000000000000000000' },
    { status: 'succeeded' },
  ]
  for (const row of rows) {
    const made = await deadLetter({ ...service, account }, { ...given, ...row })
    ids.deliveries.push(made.delivery_id)
  }
  ids.endpoints.push(endpoint_id, await shopper.endpoint())
}

function openShopper({ base_url }: Service, account: Account, ids: Ids) {
  async function ask(method: string, path: string, { headers = {}, body }: CallOptions): Promise<Json> {
    const response = await fetch(base_url + path, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
    const told = await response.text()
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${told}`)
    return JSON.parse(told)
  }
  const secret = { 'x-service-api-key': account.secret_key }
  const keyed = () => ({ 'rip-idempotency-key': randomUUID() })
  const purchase = { amount: 4200, currency: 'GBP' }
  const customer = { email: 'ada@example.com' }

  async function open({ unverified = false, without_email = false }): Promise<SessionNote> {
    const body = { ...purchase, ...(!without_email && { customer }) }
    const made = unverified
      ? await ask('POST', '/v1/checkout/public/sessions', {
          headers: { ...keyed(), origin: shop },
          body: { ...body, public_key: account.publishable_key },
        })
      : await ask('POST', '/v1/checkout/sessions', { headers: { ...keyed(), ...secret }, body })
    const note: SessionNote = { ...made, cards: [], reached: 'created' }
    ids.sessions.push({
      id: note.id,
      client_secret: note.client_secret,
      cards: note.cards,
      reached: 'created',
    })
    return ids.sessions.at(-1)!
  }

  const at = (session: SessionNote, step: string, body: unknown) =>
    ask('POST', `/v1/checkout/sessions/${session.id}/${step}`, {
      headers: { 'rip-client-secret': session.client_secret },
      body,
    })

  async function reference(session: SessionNote, number: string): Promise<string> {
    const card = { number, exp_month: 9, exp_year: 2031, cvc: '123' }
    const { card_reference } = await at(session, 'card_references', card)
    session.cards.push(card_reference)
    session.reached = 'card'
    return card_reference
  }

  return {
    open,
    reference,
    async endpoint(): Promise<string> {
      const body = { url: `${shop}/hooks`, event_filter: ['payment.voided'] }
      return (await ask('POST', '/v1/webhooks/endpoints', { headers: secret, body })).id
    },
    /** Pays with one card after the other, as far as each of them comes. */
    async pay(numbers: string[], how: { unverified?: boolean; without_email?: boolean } = {}) {
      const session = await open(how)
      for (const number of numbers) {
        const card_reference = await reference(session, number)
        const { three_ds } = await at(session, 'authenticate', { card_reference, browser })
        session.reached = 'attempt'
        if (three_ds.challenge || how.without_email) break
        const { payment_id, status } = await at(session, 'confirm', {})
        session.reached = 'confirmed'
        ids.payments.push(payment_id)
        if (status === 'held') ids.held.push(payment_id)
      }
      return session
    },
  }
}
