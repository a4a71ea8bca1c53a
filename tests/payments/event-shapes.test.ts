// Events as they are sent, compared with what the API's description says of them.

import { expect, test } from 'vitest'
import { openApiDocument } from '../../src/documents/openapi/openapi.ts'
import { type AnyEventType, anyEventTypes } from '../../src/kernel/values.ts'
import type { DisputeStatus } from '../../src/payments/dispute.ts'
import { events, routes } from '../../src/routes.ts'
import { purchase } from '../support/client.ts'
import { disputeOf } from '../support/disputing.ts'
import { eventsOf, hold } from '../support/holding.ts'
import { faultOf, type Schema } from '../support/schema.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { account } = service

const described = openApiDocument(routes, events)
const declined = '4000000000000002'
const failed = '4000000000000119'

const basket = {
  ...purchase,
  items: [{ name: 'Tea', quantity: 2, unit_amount: 2100, tax_amount: 700 }],
  metadata: { cart: '7' },
  customer: { ...purchase.customer, name: 'Ada', metadata: { tier: 'gold' } },
  order_reference: 'order-1001',
}

async function decided(verb: 'capture' | 'void'): Promise<string> {
  const { payment_id } = await hold(account)
  expect((await account.client.decideHold(verb, payment_id)).status).toBe(200)
  return payment_id
}

async function paid(number?: string, body?: object): Promise<string> {
  return (await account.client.pay(number, body)).body.payment_id
}

/** Returns the refund's id, under which its events stand. A refund whose amount ends in 13 fails. */
async function refunded(amount: number): Promise<string> {
  return (await account.client.refund(await paid(), { amount })).body.id
}

/** Returns the dispute's id. */
async function disputed(...statuses: DisputeStatus[]): Promise<string> {
  const key = { merchant_id: account.merchant_id, payment_id: await paid() }
  let dispute_id = ''
  for (const status of statuses) ({ dispute_id } = await disputeOf(service, key, { status }))
  return dispute_id
}

const stories: [string, () => Promise<string>, AnyEventType[]][] = [
  ['captured', () => paid(), ['payment.captured']],
  ['captured, with a basket', () => paid(undefined, basket), ['payment.captured']],
  ['declined', () => paid(declined), ['payment.declined']],
  ['failed', () => paid(failed, basket), ['payment.failed']],
  ['held and captured', () => decided('capture'), ['payment.held', 'payment.captured']],
  ['held and voided', () => decided('void'), ['payment.held', 'payment.voided']],
  ['refunded', () => refunded(1200), ['refund.succeeded']],
  ['a refund that fails', () => refunded(1213), ['refund.failed']],
  ['a dispute that is lost', () => disputed('needs_response', 'lost'), ['dispute.opened', 'dispute.closed']],
  ['a dispute heard of at its end', () => disputed('won'), ['dispute.closed']],
]

test.each(stories)('%s', async (_, happen, types) => {
  const told = await eventsOf(service, await happen())
  expect(told.map(({ type }) => type)).toEqual(types)
  for (const { type, envelope } of told) {
    const { requestBody } = described.webhooks[type]!.post
    const schema = requestBody!.content['application/json'].schema as Schema
    expect(faultOf(schema, envelope, described)).toBeNull()
    // Only its own schema takes it: each says what its type means.
    const takes = events.filter((each) => each.schema.safeParse(envelope).success)
    expect(takes.map((each) => each.type)).toEqual([type])
  }
})

test('every type has its story, and is described with its two headers', () => {
  expect(new Set(stories.flatMap(([, , types]) => types))).toEqual(new Set(anyEventTypes))
  expect(Object.keys(described.webhooks)).toEqual(anyEventTypes)
  for (const { post } of Object.values(described.webhooks)) {
    expect(post.parameters.map(({ name }) => name)).toEqual(['Rip-Signature', 'Rip-Idempotency-Key'])
  }
})

test.each([
  ['a member more', { more: 1 }],
  ['another type', { type: 'payment.succeeded' }],
  ['no sequence', { sequence: undefined }],
  ['an unknown sequence', { sequence: 3 }],
])('%s would be noticed', async (_, changed) => {
  const [told] = await eventsOf(service, await paid())
  const changedOne = JSON.parse(JSON.stringify({ ...told!.envelope, ...changed }))
  const { requestBody } = described.webhooks['payment.captured']!.post
  const schema = requestBody!.content['application/json'].schema as Schema
  expect(faultOf(schema, changedOne, described)).not.toBeNull()
})
