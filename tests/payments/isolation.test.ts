// One merchant's ids, asked with another's key: every route answers byte for byte as for an id that nobody has, and asks
// the database no more and no less.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { refundAddresses } from '../../src/compatible/addresses.ts'
import { countStatements } from '../../src/database/count.ts'
import { pages, routes, streams } from '../../src/routes.ts'
import { deadLetter } from '../conformance/webhook-delivery-rows.ts'
import { order as checkoutOrder, checkouts } from '../support/checkout-sessions.ts'
import { type Answer, purchase, visa } from '../support/client.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { disputeOf } from '../support/disputing.ts'
import { hold } from '../support/holding.ts'
import { type ListHoldings, listHoldingsOf, listRows, nobodysLists } from '../support/list-isolation.ts'
import { insertPayout } from '../support/payouts.ts'
import { type Account, drivenClock, type Service, shop, startService } from '../support/service.ts'

/** What each merchant has. Both have all of it, so that `unknown` alone is nobody's. */
type Holdings = ListHoldings & {
  session: string
  /** A Checkout Session of the other platform. */
  checkout: string
  secret: string
  payment: string
  /** The payment as the other platform names it. */
  intent: string
  charge: string
  refund: string
  dispute: string
  held: string
  card: string
  attempt: string
  payment_link: string
  endpoint: string
  /** One that is told in the other platform's words. */
  compatible_endpoint: string
  delivery: string
  event: string
  cursor: string
  integration: string
  origin: string
  handle: string
  public_key: string
  method_token: string
  challenge_token: string
  transaction: string
}

let database: FreshDatabase
let service: Service
let mine: Account
let theirs: Account
let my: Holdings
let their: Holdings
let unknown: Holdings
const count = countStatements()

beforeAll(async () => {
  database = await freshDatabase()
  const open: FreshDatabase['open'] = (options) => database.open({ ...options, onStatement: count.onStatement })
  // The log of refusals is written some time later, among the statements of whatever is asked then. By a clock that stands still
  // nothing that is kept in memory ages between two answers that are compared.
  const clock = drivenClock()
  service = await startService({ clock, database: { ...database, open }, request_log: 'off' })
  mine = await openMerchant('mine')
  theirs = await openMerchant('theirs')
  my = await holdingsOf(mine)
  their = await holdingsOf(theirs)
  unknown = strangerTo(their)
})
afterAll(async () => {
  await service.close()
  await database.drop()
})

function openMerchant(name: string): Promise<Account> {
  const origin = `https://${name}.example`
  const handle = `shop-of-${name}`
  const rules = {
    name: `of-${name}`,
    allowed_origins: [shop, origin],
    is_hosted_page: true,
    handle,
  }
  return service.newAccount({ integration: rules })
}

async function holdingsOf(account: Account): Promise<Holdings> {
  const { client, integration } = account
  const { session, payment_id: held } = await hold(account)
  const own = { email: `${integration!.name}@example.com`, order: `order-${integration!.name}` }
  const asked = { ...purchase, customer: { email: own.email }, order_reference: own.order }
  const { body: paid } = await client.pay(visa, asked)
  const { body: refund } = await client.refund(paid.payment_id, { amount: 100 })
  const which = { merchant_id: account.merchant_id, payment_id: paid.payment_id }
  const { dispute_id: dispute } = await disputeOf(service, which)
  const waiting = await client.open()
  const { body: card } = await client.referenceCard(waiting, {
    number: '4000000000003220',
    exp_month: 9,
    exp_year: 2031,
    cvc: '123',
  })
  const { body: authenticated } = await client.authenticate(waiting, card.card_reference)
  const place = { ...service, account }
  const { delivery_id: delivery, endpoint_id: endpoint } = await deadLetter(place)
  await deadLetter(place, { endpoint_id: endpoint })
  const { body: compatible } = await client.createEndpoint({ url: `${shop}/compatible`, event_format: 'stripe' })
  const { body: page } = await client.listDeliveries('limit=1')
  const [event] = await service.sql<{ event_id: string }[]>`
    select event_id from events where merchant_id = ${account.merchant_id} limit 1`
  const [attempt] = await service.sql<{ server_transaction_id: string }[]>`
    select server_transaction_id from attempts where attempt_id = ${authenticated.attempt.id}`
  for (let count = 0; count < 2; count++) await newLink(client)
  const { body: link } = await newLink(client)
  for (const vendor_id of ['po_1', 'po_2']) {
    await insertPayout(service.sql, { merchant_id: account.merchant_id, mode: 'test', vendor_id })
  }
  const { body: checkout } = await client.send('POST', checkouts, {
    headers: { authorization: `Bearer ${account.secret_key}` },
    body: { ...checkoutOrder, success_url: `${shop}/done` },
  })
  return {
    session: session.id,
    checkout: checkout.id,
    secret: session.client_secret,
    held,
    payment: paid.payment_id,
    intent: paid.session_id,
    charge: paid.payment_id.replace('pay_', 'ch_'),
    refund: refund.id,
    dispute,
    card: await client.reference(await client.open(), visa),
    delivery,
    payment_link: link.id,
    endpoint,
    compatible_endpoint: compatible.id,
    attempt: authenticated.attempt.id,
    event: event!.event_id,
    cursor: page.next_cursor,
    ...(await listHoldingsOf(client, own)),
    integration: integration!.name,
    origin: integration!.allowed_origins.at(-1)!,
    handle: integration!.handle!,
    public_key: account.publishable_key!,
    method_token: card.three_ds_method.url.split('/').at(-1),
    challenge_token: authenticated.three_ds.challenge.url.split('/').at(-1),
    transaction: attempt!.server_transaction_id,
  }
}

const newLink = (client: Account['client']) =>
  client.send('POST', '/v1/payment_links', {
    headers: { ...client.withKey, ...fresh() },
    body: { amount: 1, currency: 'GBP' },
  })

/** The same shapes with other letters: every hex digit and the names are changed, all else stays. */
function strangerTo(holdings: Holdings): Holdings {
  const strange = (text: string) => text.replace(/[0-9a-f]{8,}/g, (hex) => hex.replace(/[0-9a-f]/g, changedDigit))
  const entries = Object.entries(holdings).map(([name, text]) => [name, strange(text)])
  return {
    ...(Object.fromEntries(entries) as Holdings),
    integration: 'of-nobody',
    origin: 'https://nobody.example',
    handle: 'shop-of-nobody',
    ...nobodysLists(holdings),
    cursor: holdings.cursor.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
  }
}

const changedDigit = (digit: string) => ((Number.parseInt(digit, 16) + 5) % 16).toString(16)

type Request = { path: string; headers?: Record<string, string>; body?: unknown }

/** A route, what is asked of it, and the request that names it. What `named` gives is another's or nobody's. */
type Row = [route: string, what: string, request: (named: Holdings) => Request]

const fresh = () => ({ 'rip-idempotency-key': crypto.randomUUID() })
const withKey = () => ({ ...mine.client.withKey, ...fresh() })
const bearer = () => ({ authorization: `Bearer ${mine.secret_key}`, ...fresh() })
const fromShop = () => ({ ...fresh(), origin: shop })
const holdRow = (verb: string, what: 'held' | 'payment'): Row => [
  `POST /v1/payments/{payment_id}/hold/${verb}`,
  what,
  (named) => ({ path: `/v1/payments/${named[what]}/hold/${verb}`, headers: withKey() }),
]
const bodies = {
  state: undefined,
  card_references: { number: visa, exp_month: 9, exp_year: 2031, cvc: '123' },
  authenticate: { card_reference: 'card_000000000000000000000000' },
  confirm: {},
}
/** Routes that a client secret opens: another's session, under my secret and a guessed one, and another's secret. */
const sessionRows = (verb: keyof typeof bodies): Row[] => {
  const route = `${verb === 'state' ? 'GET' : 'POST'} /v1/checkout/sessions/{session_id}/${verb}`
  const ask = (session: string, secret: string): Request => ({
    path: `/v1/checkout/sessions/${session}/${verb}`,
    headers: { 'rip-client-secret': secret },
    body: bodies[verb],
  })
  const guessed = (session: string) => `${session}_secret_${'0'.repeat(64)}`
  return [
    [route, 'session, with my secret', ({ session }) => ask(session, my.secret)],
    [route, 'session, with a guessed secret', ({ session }) => ask(session, guessed(session))],
    [route, 'secret, for my session', ({ secret }) => ask(my.session, secret)],
  ]
}
const refundPath = '/v1/refunds/{refund_id}'
/** What an id in a path names, or what a list is of; sessions where nothing is said. */
const compatibleWhat: Record<string, keyof Holdings> = {
  '{refund_id}': 'refund',
  '{charge_id}': 'charge',
  '{event_id}': 'event',
  refunds: 'refund',
  charges: 'charge',
  events: 'event',
  '{webhook_endpoint_id}': 'compatible_endpoint',
  webhook_endpoints: 'compatible_endpoint',
}
/** The other platform's routes. The one for a refund shares its path with ours, and has two more of its own. */
const compatibleRows = routes
  .filter(
    ({ dialect, path, method }) =>
      dialect === 'compatible' && path !== refundPath && !(path.endsWith('/refunds') && method === 'POST'),
  )
  .map(({ method, path }): Row => {
    const body = { amount: 1, currency: 'GBP' }
    const is_checkout = path.includes('/checkout/sessions')
    const what = is_checkout ? 'checkout' : (compatibleWhat[path.split('/').at(-1)!] ?? 'session')
    if (method === 'GET' && !path.includes('{')) {
      const list = (named: Holdings) => ({ path: `${path}?starting_after=${named[what]}`, headers: bearer() })
      return [`${method} ${path}`, `${what} to go on at`, list]
    }
    if (path.endsWith('}') || (is_checkout && path.includes('{'))) {
      if (path.endsWith('/{sku}')) {
        const read = ({ session }: Holdings) => ({ path: path.replace('{sku}', session), headers: bearer() })
        return [`${method} ${path}`, 'sku', read]
      }
      const read = (named: Holdings) => ({
        path: path.replace(/\{\w+\}/, named[what]),
        headers: bearer(),
        ...(method === 'POST' && { body: {} }),
      })
      return [`${method} ${path}`, what, read]
    }
    const [, act] = /\/(capture|cancel)$/.exec(path) ?? []
    if (act) {
      const decide = ({ session }: Holdings) => ({
        path: path.replace(/\{\w+\}/, session),
        headers: bearer(),
        body: {},
      })
      return [`${method} ${path}`, 'session', decide]
    }
    const create = ({ card }: Holdings) => ({ path, headers: bearer(), body: { ...body, payment_method: card } })
    return [`${method} ${path}`, 'card', create]
  })
const refundRows: Row[] = [
  ...refundAddresses.flatMap(({ path }): Row[] => [
    [`POST ${path}`, 'intent', ({ intent }) => ({ path, headers: bearer(), body: { payment_intent: intent } })],
    [`POST ${path}`, 'charge', ({ charge }) => ({ path, headers: bearer(), body: { charge } })],
  ]),
  [`GET ${refundPath}`, 'refund', ({ refund }) => ({ path: `/v1/refunds/${refund}`, headers: withKey() })],
  ...['GET', 'POST'].map(
    (method): Row => [
      `${method} /v1/payments/{payment_id}/refunds`,
      'payment',
      ({ payment }) => ({
        path: `/v1/payments/${payment}/refunds`,
        headers: withKey(),
        ...(method === 'POST' && { body: {} }),
      }),
    ],
  ),
]
const disputeRows: Row[] = [
  [
    'GET /v1/disputes/{dispute_id}',
    'dispute',
    ({ dispute }) => ({ path: `/v1/disputes/${dispute}`, headers: withKey() }),
  ],
]
const pageRow = (method: string, path: string, token: 'method_token' | 'challenge_token'): Row => [
  `${method} ${path}`,
  `${token} with a guessed proof`,
  (named) => ({ path: path.replace('{token}', named[token].replace(/.{32}$/, '0'.repeat(32))) }),
]
const configRow = (what: 'config' | 'methods'): Row => [
  `GET /v1/checkout/${what}/{public_key}`,
  'integration',
  (named) => ({ path: `/v1/checkout/${what}/${my.public_key}?integration=${named.integration}` }),
]

const rows: Row[] = [
  [
    'GET /v1/checkout/sessions/{session_id}',
    'session',
    ({ session }) => ({ path: `/v1/checkout/sessions/${session}`, headers: withKey() }),
  ],
  [
    'POST /v1/checkout/sessions/{session_id}/expire',
    'session',
    ({ session }) => ({ path: `/v1/checkout/sessions/${session}/expire`, headers: withKey() }),
  ],
  ...(['payment', 'held'] as const).map(
    (what): Row => [
      'GET /v1/payments/{payment_id}',
      what,
      (named) => ({ path: `/v1/payments/${named[what]}`, headers: withKey() }),
    ],
  ),
  ...['capture', 'void', 'escalate'].flatMap((verb) => [holdRow(verb, 'held'), holdRow(verb, 'payment')]),
  [
    'POST /v1/checkout/sessions',
    'origin of a confirmation_url',
    ({ origin }) => ({
      path: '/v1/checkout/sessions',
      headers: withKey(),
      body: { ...purchase, confirmation_url: `${origin}/thanks` },
    }),
  ],
  ...(['GET', 'POST'] as const).map((method): Row => {
    const path = `/v1/payment_links/{payment_link_id}${method === 'POST' ? '/disable' : ''}`
    const ask = ({ payment_link }: Holdings) => ({
      path: path.replace('{payment_link_id}', payment_link),
      headers: withKey(),
    })
    return [`${method} ${path}`, 'payment_link', ask]
  }),
  [
    'DELETE /v1/webhooks/endpoints/{endpoint_id}',
    'endpoint',
    ({ endpoint }) => ({ path: `/v1/webhooks/endpoints/${endpoint}`, headers: withKey() }),
  ],
  ...listRows(() => withKey()),
  [
    'GET /v1/webhooks/deliveries',
    'cursor',
    ({ cursor }) => ({ path: `/v1/webhooks/deliveries?after=${cursor}`, headers: withKey() }),
  ],
  ...(['delivery', 'event', 'attempt'] as const).map(
    (what): Row => [
      'POST /v1/webhooks/deliveries/{delivery_id}/replay',
      what,
      (named) => ({ path: `/v1/webhooks/deliveries/${named[what]}/replay`, headers: withKey() }),
    ],
  ),
  configRow('config'),
  configRow('methods'),
  [
    'POST /v1/checkout/public/sessions',
    'integration',
    ({ integration }) => ({
      path: '/v1/checkout/public/sessions',
      headers: fromShop(),
      body: { ...purchase, public_key: my.public_key, integration },
    }),
  ],
  [
    'POST /v1/checkout/public/sessions',
    'origin',
    ({ origin }) => ({
      path: '/v1/checkout/public/sessions',
      headers: { ...fresh(), origin },
      body: { ...purchase, public_key: my.public_key },
    }),
  ],
  [
    'POST /v1/checkout/handles/{handle}/sessions',
    'origin',
    ({ origin }) => ({
      path: `/v1/checkout/handles/${my.handle}/sessions`,
      headers: { ...fresh(), origin },
      body: purchase,
    }),
  ],
  ...(['state', 'card_references', 'authenticate', 'confirm'] as const).flatMap(sessionRows),
  ...compatibleRows,
  ...refundRows,
  ...disputeRows,
  pageRow('GET', '/3ds/method/{token}', 'method_token'),
  pageRow('POST', '/3ds/method/{token}/done', 'method_token'),
  pageRow('GET', '/3ds/challenge/{token}', 'challenge_token'),
  pageRow('POST', '/3ds/challenge/{token}/result', 'challenge_token'),
]

/** Routes that take nothing which is another's, and why; what they show is looked at below. */
const without_ids: Record<string, string> = {
  'POST /v1/payment_links': 'takes amounts and texts only',
  'POST /v1/webhooks/endpoints': 'takes an address and types only',
  'GET /v1/webhooks/endpoints': 'lists',
  'GET /v1/checkout/handles/{handle}': 'a handle is public, as is all that it shows',
  'POST /3ds/results': 'a test of its own, below',
  'GET /v1/events/stream': 'a test of its own, below',
  'GET /v1/logs/stream': 'a test of its own, below',
}

test('every route has a row, or a reason why it has none', () => {
  const all = [...routes, ...streams, ...pages].map(({ method, path }) => `${method} ${path}`)
  const told = new Set([...rows.map(([route]) => route), ...Object.keys(without_ids)])
  expect([...told].sort()).toEqual([...new Set(all)].sort())
})

test.each(rows)('%s: %s', async (route, _what, request) => {
  const [method] = route.split(' ')
  const ask = async (named: Holdings) => {
    const { path, ...sent } = request(named)
    count.reset()
    const answer = await mine.client.send(method!, path, sent)
    return { told: told(answer), statements: count.texts() }
  }
  // Replays are limited to ten a minute, and a refusal of that would say nothing.
  await service.sql`delete from webhook_rate_limits`
  // What is kept in memory is there from the second time on.
  await ask(their)
  await ask(unknown)
  const [foreign, none] = [await ask(their), await ask(unknown)]
  expect(foreign).toEqual(none)
})

test('a row can fail: what is mine is answered otherwise', async () => {
  const told_otherwise = rows.filter(([, what]) =>
    ['session', 'checkout', 'payment', 'held', 'refund', 'dispute', 'charge', 'event', 'compatible_endpoint'].includes(
      what,
    ),
  )
  for (const [route, , request] of told_otherwise.filter(([route]) => route.startsWith('GET'))) {
    const { path, ...sent } = request(my)
    const answer = await mine.client.send('GET', path, sent)
    expect([route, answer.status]).toEqual([route, 200])
  }
})

/** All of an answer but what differs between any two. */
function told({ status, headers, text }: Answer) {
  const changing = /^(date|rip-request-id|request-id|idempotency-key|x-ratelimit-(remaining|reset))$/
  const kept = [...headers].filter(([name]) => !changing.test(name))
  return { status, headers: kept, text: text.replace(/req_[0-9a-f]{24}/g, 'req_') }
}

test.each<[string, (key: string) => Request]>([
  ['a session', (key) => ({ path: '/v1/checkout/sessions', headers: keyed(key), body: purchase })],
  [
    'a session of a page',
    (key) => ({
      path: '/v1/checkout/public/sessions',
      headers: { 'rip-idempotency-key': key, origin: shop },
      body: { ...purchase, public_key: mine.publishable_key },
    }),
  ],
  ['an endpoint', (key) => ({ path: '/v1/webhooks/endpoints', headers: keyed(key), body: { url: `${shop}/x` } })],
  [
    'a payment intent',
    (key) => ({
      path: '/v1/payment_intents',
      headers: { authorization: `Bearer ${mine.secret_key}`, 'idempotency-key': key },
      body: { amount: 1, currency: 'gbp' },
    }),
  ],
])('an idempotency key that another merchant used makes %s like a new one', async (_, request) => {
  const key = crypto.randomUUID()
  const asked = request(key)
  const as = (secret: string, text: string) => text.replaceAll(mine.secret_key, secret)
  const sent = JSON.parse(
    as(theirs.secret_key, JSON.stringify(asked)).replaceAll(mine.publishable_key!, theirs.publishable_key!),
  ) as Request
  const { path: _path, ...first } = sent
  const used = await theirs.client.send('POST', asked.path, first)
  expect(used.status).toBeLessThan(300)
  const { path, ...again } = asked
  // What is kept in memory is there from the second request on.
  const { path: _first, ...warming } = request(crypto.randomUUID())
  await mine.client.send('POST', path, warming)
  count.reset()
  const made = await mine.client.send('POST', path, again)
  const statements = count.texts()
  const { path: _other, ...new_key } = request(crypto.randomUUID())
  count.reset()
  const other = await mine.client.send('POST', path, new_key)
  expect([made.status, made.headers.get('rip-idempotent-replayed')]).toEqual([other.status, 'false'])
  expect(statements).toEqual(count.texts())
  expect(made.body.id).not.toBe(used.body.id)
})

const keyed = (key: string) => ({ ...mine.client.withKey, 'rip-idempotency-key': key })

test('a card reference of another merchant, and of another session, is an unknown one', async () => {
  const session = await mine.client.open()
  const ask = async ({ card }: Holdings) => {
    count.reset()
    return { told: told(await mine.client.authenticate(session, card)), statements: count.texts() }
  }
  await ask(their)
  const none = await ask(unknown)
  expect(none.told.status).toBe(400)
  expect(await ask(their)).toEqual(none)
  expect(await ask(my)).toEqual(none)
})

test('lists show nothing of another merchant', async () => {
  const paths: [path: string, shown: string][] = [
    ['/v1/webhooks/endpoints', 'whep_'],
    ['/v1/webhooks/deliveries?limit=100', 'whep_'],
    ['/v1/payments?limit=100', my.payment],
    ['/v1/payments?limit=100&mode=test', my.email],
    ['/v1/checkout/sessions?limit=100', my.session],
    ['/v1/events?limit=100', my.refund],
    ['/v1/disputes?limit=100', my.dispute],
    ['/v1/payment_intents?limit=100', my.session],
    ['/v1/refunds?limit=100', my.refund],
    ['/v1/charges?limit=100', my.charge],
  ]
  for (const [path, shown] of paths) {
    const headers = /^\/v1\/(payment_intents|refunds|charges)/.test(path) ? bearer() : mine.client.withKey
    const { text } = await mine.client.send('GET', path, { headers })
    expect(text).toContain(shown)
    for (const [what, each] of Object.entries(their)) {
      expect([what, text.includes(each)]).toEqual([what, false])
    }
  }
})

test('a result whose ids do not all agree is answered like one for an unknown transaction', async () => {
  const post = async ({ transaction }: Holdings) => {
    const body = JSON.stringify({
      messageType: 'RReq',
      messageVersion: '2.2.0',
      messageCategory: '01',
      threeDSServerTransID: transaction,
      transStatus: 'N',
      transStatusReason: '01',
      acsTransID: stranger,
      dsTransID: stranger,
      authenticationType: '02',
      interactionCounter: '01',
    })
    const answer = await mine.client.send('POST', '/3ds/results', { raw: body })
    const { text, ...rest } = told(answer)
    return { ...rest, text: text.replace(transaction, 'transaction') }
  }
  const none = await post(unknown)
  expect(none.text).toContain('Erro')
  expect(await post(their)).toEqual(none)
})

const stranger = 'e8db9820-63b7-43ce-8831-36ce81a2e313'

test('streams reveal no other merchant, wherever they are asked to go on from', async () => {
  const first = async (path: string, secret_key: string) => {
    const leave = new AbortController()
    const headers = { 'x-service-api-key': secret_key }
    const response = await fetch(service.base_url + path, { signal: leave.signal, headers })
    const { value } = (await response.body!.getReader().read()) as { value: Uint8Array }
    leave.abort()
    const said = Buffer.from(value).toString()
    const [, id] = /^id: (.*)$/m.exec(said) ?? []
    return { status: response.status, id, said: said.replace(/^id: .*\n/m, '') }
  }
  const told = async (path: string) => {
    const { status, said } = await first(path, mine.secret_key)
    return { status, said }
  }
  const { id: their_place } = await first('/v1/events/stream', theirs.secret_key)
  const { id: my_place } = await first('/v1/events/stream', mine.secret_key)
  const events = await told(`/v1/events/stream?after=${their_place}`)
  expect(events).toEqual(await told(`/v1/events/stream?after=${my_place}`))
  expect(events.said).toContain(mine.merchant_id)
  const read = await theirs.client.readSession(their.session)
  const request_id = read.headers.get('rip-request-id')!
  const requests = await told(`/v1/logs/stream?request_id=${request_id}`)
  expect(requests).toEqual(await told(`/v1/logs/stream?request_id=req_${'0'.repeat(24)}`))
  for (const { said } of [events, requests]) {
    for (const each of [...Object.values(their), theirs.merchant_id, request_id]) {
      expect(said).not.toContain(each)
    }
  }
})
