// What the API's description says of the compatible routes, and what a request of them costs.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApiDocument } from '../../src/documents/openapi/openapi.ts'
import { routes } from '../../src/routes.ts'
import { addresses, described, openCompatible, tea } from '../support/compatible.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { resolve } from '../support/schema.ts'
import { type Service, startService } from '../support/service.ts'

const document = openApiDocument(routes)
const create = document.paths[described]!.post!
const read = document.paths[`${described}/{session_id}`]!.get!

test('one address is described, and the others are named', () => {
  const paths = Object.keys(document.paths).filter((path) => /compat|payment_intents/.test(path))
  const refunds = '/v1/compat/partner/refunds'
  expect(paths).toEqual([
    ...['', '/{session_id}', '/{session_id}/line_items', '/{session_id}/expire'].map(
      (rest) => `/v1/compat/partner/checkout/sessions${rest}`,
    ),
    ...['', '/{session_id}', '/{session_id}/capture', '/{session_id}/cancel'].map((rest) => described + rest),
    ...[refunds, `${refunds}/{refund_id}`],
    ...['charges', 'charges/{charge_id}', 'prices', 'prices/{sku}', 'products', 'products/{sku}'].map(
      (path) => `/v1/compat/partner/${path}`,
    ),
    ...['events', 'events/{event_id}', 'webhook_endpoints', 'webhook_endpoints/{webhook_endpoint_id}'].map(
      (path) => `/v1/compat/partner/${path}`,
    ),
  ])
  expect(document.paths[refunds]!.post!.description).toContain('/v1/refunds')
  for (const address of addresses.slice(1)) {
    expect(create.description).toContain(address)
    expect(read.description).toContain(`${address}/{session_id}`)
  }
})

test('an address that both ways of sending the key share is described with both answers', () => {
  const { security, description, responses } = document.paths['/v1/refunds/{refund_id}']!.get!
  expect(security).toEqual([{ secret_key: [] }, { bearer_key: [] }])
  expect(description).toContain('/v1/compat/partner/refunds/{refund_id}')
  const refOf = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  expect(responses[200]!.content!['application/json'].schema).toMatchObject({
    anyOf: [refOf('Refund'), refOf('CompatibleRefund')],
  })
  const missing = JSON.stringify(responses[404]!.content)
  for (const name of ['Refusal', 'CompatibleRefusal']) expect(missing).toContain(`/${name}"`)
})

test('both encodings, the key, and the parameters', () => {
  expect(Object.keys(create.requestBody!.content)).toEqual(['application/json', 'application/x-www-form-urlencoded'])
  const named = { schema: { $ref: '#/components/schemas/PaymentIntentCreate' } }
  for (const each of Object.values(create.requestBody!.content)) expect(each).toMatchObject(named)
  const schema = resolve(named.schema.$ref, document)
  expect(schema).toMatchObject({ required: ['amount', 'currency'], additionalProperties: false })
  expect(Object.keys(schema.properties!)).toEqual([
    ...['amount', 'currency', 'metadata', 'receipt_email', 'description'],
    ...['statement_descriptor_suffix', 'capture_method', 'expand'],
  ])
  expect(create.requestBody!.required).toBe(true)
  expect(create.parameters.map(({ name, required }) => [name, required])).toEqual([
    ['Idempotency-Key', false],
    ['Rip-Idempotency-Key', false],
  ])
  expect([create.security, read.security]).toEqual([[{ bearer_key: [] }], [{ bearer_key: [] }]])
  expect(document.components).toMatchObject({
    securitySchemes: { bearer_key: { type: 'http', scheme: 'bearer' } },
  })
})

test.each([
  ['create', create],
  ['read', read],
])('%s: every refusal is in the compatible shape', (_name, { responses }) => {
  const { 200: success, ...refusals } = responses
  expect(success!.headers).toHaveProperty('Request-Id')
  expect(success!.headers).toHaveProperty('Service-Compat-Version')
  for (const { content } of Object.values(refusals)) {
    const names = JSON.stringify(content).match(/schemas\/\w+/g)
    expect(new Set(names)).toEqual(new Set(['schemas/CompatibleRefusal']))
  }
  expect(Object.keys(refusals)).toContain('429')
  expect(JSON.stringify(refusals)).not.toContain('"idempotency_key_in_use"')
})

let database: FreshDatabase
let service: Service
const told: string[] = []
beforeAll(async () => {
  database = await freshDatabase()
  // One connection: a statement that a connection meets for the first time is sent twice.
  const counted = { connections_max: 1, onStatement: (text: string) => told.push(text) }
  const open: FreshDatabase['open'] = (options) => database.open({ ...options, ...counted })
  service = await startService({ database: { ...database, open } })
})
afterAll(async () => {
  await service.close()
  await database.drop()
})

test('a create and a read are one statement each, as the API’s own are', async () => {
  const { client, account } = service
  const compatible = openCompatible(client, account)
  const headers = { 'idempotency-key': 'first' }
  // The first of each also fills what is kept in memory.
  const { body } = await compatible.create(tea, { headers })
  await compatible.read(body.id)
  await compatible.create(tea)
  const cost = async (ask: () => Promise<unknown>) => {
    told.length = 0
    await ask()
    return told.length
  }
  expect(await cost(() => compatible.create(tea, { headers: { 'idempotency-key': 'second' } }))).toBe(1)
  expect(await cost(() => compatible.create(tea))).toBe(1)
  expect(await cost(() => client.create())).toBe(1)
  expect(await cost(() => compatible.read(body.id))).toBe(1)
})
