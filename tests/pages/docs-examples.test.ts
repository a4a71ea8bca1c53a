// Each example of the reference: its line for curl is sent to a real service as it stands, and its answer fits the schema.

import { beforeAll, describe, expect, test } from 'vitest'
import { namedSchemas } from '../../src/documents/openapi/named-schemas.ts'
import { inlineDocument } from '../../src/documents/openapi/openapi.ts'
import {
  answerExample,
  answerText,
  curlOf,
  type DocumentedOperation,
  eventExample,
  operationsOf,
  requestExample,
  successStatus,
} from '../../src/documents/site/operation-example.ts'
import { fieldsOf, valuesOf } from '../../src/documents/site/schema.ts'
import { operationSection, typeSection } from '../../src/documents/site/sections.ts'
import { createIntegration } from '../../src/merchants/manage.ts'
import { events, routes, streams } from '../../src/routes.ts'
import { deadLetter } from '../conformance/webhook-delivery-rows.ts'
import { order as checkoutOrder, checkouts } from '../support/checkout-sessions.ts'
import { type Json, type SessionSecret, visa } from '../support/client.ts'
import { disputeOf } from '../support/disputing.ts'
import { faultOf, type Schema } from '../support/schema.ts'
import { type Account, shop } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const document = inlineDocument(routes, events, streams)
const operations = operationsOf(document)
const types = namedSchemas(document).map(typeSection).join('')
const named = operations.map((listed): [string, DocumentedOperation] => [listed.operation.operationId, listed])
/** The body that the examples begin with. */
const [order] = named
  .filter(([id]) => id === 'create_a_checkout_session')
  .map(([, listed]) => requestExample(listed).body as object)

const service = await useService()
let account: Account

beforeAll(async () => {
  const pot = {
    sku: 'pot',
    name: 'Stoneware teapot',
    unit_amount: 4200,
    currency: 'GBP',
    tax_rate: null,
    image_url: null,
  }
  const integration = { default_amount: 4200, default_currency: 'GBP', price_list: [pot] }
  account = await service.newAccount({ integration })
  await createIntegration(service.operator, account.merchant_id, {
    ...integration,
    name: 'page',
    is_hosted_page: true,
    handle: 'tea-and-pots',
  })
})

type ExampleRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
}

/** What curl would send. */
function parsed(line: string): ExampleRequest {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)]
    .map(([, double, single, plain]) => double ?? single ?? plain!)
    .filter((word) => word !== '\\')
  const sent: ExampleRequest = { method: 'GET', url: '', headers: {}, body: null }
  expect(words.shift()).toBe('curl')
  const data: string[] = []
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === '-X') sent.method = words.shift()!
    else if (word === '-d') data.push(words.shift()!)
    else if (word === '-H') {
      const [, name, value] = /^([\w-]+): (.*)$/.exec(words.shift()!)!
      sent.headers[name!.toLowerCase()] = value!
    } else if (word !== '-N') sent.url = word
  }
  if (data.length > 0) {
    sent.method = 'POST'
    sent.body = data.join('&')
    sent.headers['content-type'] ??= 'application/x-www-form-urlencoded'
  }
  return sent
}

/** Its bank asks for a code. */
const challenged = '4000000000003220'

/** What the example's ids stand for here, once what they name has been made. */
async function ready(operationId: string): Promise<Record<string, string>> {
  const { client } = account
  const ids = { handle: 'tea-and-pots', public_key: account.publishable_key! }
  const ofSession = ({ id, client_secret }: SessionSecret) => ({ ...ids, session_id: id, secret: client_secret })
  if (operationId === 'capture_a_held_payment_intent') return { ...ids, session_id: (await heldSession()).id }
  if (/held_payment/.test(operationId)) return { ...ids, payment_id: await heldPayment() }
  // Of a list the first row is compared, which is the newest.
  if (/^(read_a_payment|read_a_charge|list_payments|list_events|list_checkout_sessions)$/.test(operationId)) {
    return { ...ids, payment_id: (await client.pay(visa, order)).body.payment_id }
  }
  if (/dispute/.test(operationId)) {
    const { payment_id } = (await client.pay(visa, order)).body
    const { dispute_id } = await disputeOf(
      service,
      { merchant_id: account.merchant_id, payment_id },
      { respond_by: new Date() },
    )
    return { ...ids, payment_id, dispute_id }
  }
  if (/refund/.test(operationId)) {
    const { payment_id, session_id } = (await client.pay(visa, order)).body
    const asked = { amount: 1, reason: 'duplicate' }
    const { body } = await client.refund(payment_id, asked)
    return { ...ids, payment_id, session_id, refund_id: body.id }
  }
  if (/_payment_links?$/.test(operationId)) {
    const headers = { ...client.withKey, 'rip-idempotency-key': crypto.randomUUID() }
    const sent = { ...order, customer: undefined, description: 'One teapot', max_payments: 1 }
    return { ...ids, link_id: (await client.send('POST', '/v1/payment_links', { headers, body: sent })).body.id }
  }
  if (operationId === 'read_a_compatible_event') {
    const { payment_id } = (await client.pay(visa, order)).body
    const [event] = await service.sql<
      { event_id: string }[]
    >`select event_id from events where payment_id = ${payment_id}`
    return { ...ids, event_id: event!.event_id }
  }
  if (/_a_compatible_webhook_endpoint$/.test(operationId)) {
    const { body } = await client.createEndpoint({ url: 'https://shop.example/hooks', event_format: 'stripe' })
    return { ...ids, endpoint_id: body.id }
  }
  if (/_compatible_checkout_session$/.test(operationId)) {
    const headers = { authorization: `Bearer ${account.secret_key}` }
    const body = { ...checkoutOrder, success_url: `${shop}/done`, cancel_url: shop, client_reference_id: 'order-1001' }
    return { ...ids, checkout_id: (await client.send('POST', checkouts, { headers, body })).body.id }
  }
  if (operationId === 'delete_a_webhook_endpoint') {
    const { body } = await client.createEndpoint({ url: 'https://shop.example/gone' })
    return { ...ids, endpoint_id: body.id }
  }
  if (operationId === 'replay_a_dead_lettered_delivery') {
    return { ...ids, delivery_id: (await deadLetter({ ...service, account })).delivery_id }
  }
  const session = await client.open(order)
  if (operationId === 'open_an_attempt_and_start_3_d_secure') {
    return { ...ofSession(session), card_reference: await client.reference(session) }
  }
  if (operationId === 'charge_the_authenticated_attempt') await client.present(session)
  if (operationId === 'resume_a_session') await client.present(session, challenged)
  return ofSession(session)
}

async function heldPayment(): Promise<string> {
  return (await heldSession()).payment_id
}

async function heldSession(): Promise<{ id: string; payment_id: string }> {
  const { client } = account
  const body = { ...order, amount: 1234, items: null, public_key: account.publishable_key }
  const session = (await client.createFrom(shop, body)).body
  await client.present(session)
  return { id: session.id, payment_id: (await client.confirm(session)).body.payment_id }
}

/** The line with the ids of things that are there. */
async function lineFor(listed: DocumentedOperation): Promise<string> {
  const ids = await ready(listed.operation.operationId)
  const names: [RegExp, string | undefined][] = [
    [/\$API/g, service.base_url],
    [/\$KEY/g, account.secret_key],
    [/\$SECRET/g, ids.secret],
    [/\bcs_(?:test_)?[0-9a-f]{24,56}\b/g, ids.checkout_id],
    [/\bcs_[0-9a-f]{24}\b/g, ids.session_id],
    [/\bpay_[0-9a-f]{24}\b/g, ids.payment_id],
    [/\bref_[0-9a-f]{24}\b/g, ids.refund_id],
    [/\bdsp_[0-9a-f]{24}\b/g, ids.dispute_id],
    [/\bplink_[0-9a-f]{24}\b/g, ids.link_id],
    [/\bch_[0-9a-f]{24}\b/g, ids.payment_id?.replace('pay_', 'ch_')],
    [/\bwhep_[0-9a-f]{24}\b/g, ids.endpoint_id],
    [/\bevt_[0-9a-f]{24}\b/g, ids.event_id],
    [/\bcard_[0-9a-f]{24}\b/g, ids.card_reference],
    [/\b[0-9a-f]{12}7[0-9a-f]{19}\b/g, ids.delivery_id],
    [/\brip_pk_[0-9a-f]{48}\b/g, ids.public_key],
  ]
  return names.reduce((line, [pattern, id]) => (id ? line.replace(pattern, id) : line), curlOf(requestExample(listed)))
}

/** The kind of each member; of what is free, like metadata, only that it is an object. */
function outline(value: Json, other: Json): Json {
  if (value === null) return null
  if (other === null || typeof value !== 'object') return typeof value
  if (Array.isArray(value)) return value.slice(0, 1).map((each) => outline(each, other[0] ?? null))
  const is_free = Object.keys(value).length === 0 || Object.keys(other).length === 0
  if (is_free) return 'object'
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, outline(value[name], other[name] ?? null)]),
  )
}

function successOf({ operation }: DocumentedOperation): Schema | undefined {
  const { content } = operation.responses[successStatus(operation)]!
  const [first] = Object.values(content ?? {}) as { schema: Schema }[]
  return first?.schema
}

describe.each(named)('%s', (_, listed) => {
  const example = answerExample(listed)

  test('the answer is one that the schema allows', () => {
    const schema = successOf(listed)
    if (example.type === 'none') expect(schema).toBeUndefined()
    else expect(example.bodies.length).toBeGreaterThan(0)
    for (const body of example.bodies) expect(faultOf(schema!, body, document)).toBeNull()
    expect(answerText(example)).not.toContain('undefined')
  })

  test('the request is one that the service takes', async () => {
    const { url, method, headers, body } = parsed(await lineFor(listed))
    if (example.type === 'stream') {
      expect(await firstMessage(url, headers)).toEqual(['200', 'ready'])
      return
    }
    const path = url.slice(service.base_url.length)
    const raw = body === null ? {} : { raw: body }
    const answer = await account.client.send(method, path, { headers, ...raw })
    expect([String(answer.status), answer.text]).toEqual([example.status, expect.anything()])
    const [shown = null] = example.bodies as Json[]
    const comes_empty = JSON.stringify(answer.body)?.includes('[]')
    if (!comes_empty) expect(outline(shown, answer.body)).toEqual(outline(answer.body, shown))
  })

  test('every value of an enumeration is on the page', () => {
    const html = operationSection(listed, undefined) + types
    const body = listed.operation.requestBody?.content['application/json'].schema
    const schemas = [body, successOf(listed)].filter((each) => each !== undefined) as Schema[]
    const values = schemas.flatMap((each) => fieldsOf(each).flatMap(({ schema }) => valuesOf(schema)))
    expect(values.filter((value) => !html.includes(`<code>${value}</code>`))).toEqual([])
  })
})

async function firstMessage(url: string, headers: Record<string, string>): Promise<string[]> {
  const ending = new AbortController()
  const answer = await fetch(url, { headers, signal: ending.signal })
  const { value } = await answer.body!.getReader().read()
  ending.abort()
  const [, event] = /^event: (\w+)$/m.exec(new TextDecoder().decode(value))!
  return [String(answer.status), event!]
}

test('requests show fields that the schema has, and nothing else', () => {
  for (const [, listed] of named) {
    const { body, is_form } = requestExample(listed)
    const schema = listed.operation.requestBody?.content['application/json'].schema
    if (body !== null && !is_form) expect(faultOf(schema as Schema, body, document)).toBeNull()
  }
})

test.each(Object.entries(document.webhooks))('%s: the body is one that the schema allows', (_, hook) => {
  const { operationId, requestBody } = hook.post
  const schema = requestBody!.content['application/json'].schema as Schema
  expect(faultOf(schema, eventExample(operationId, schema), document)).toBeNull()
})
