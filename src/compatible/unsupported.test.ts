// Merchants who move here from the other platform send parameters that only it has: each is named with advice.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { webhookEndpointCreate, webhookEndpointUpdate } from './endpoints/endpoint-body.ts'
import { intentCancel } from './intents/cancel-intent.ts'
import { intentCapture } from './intents/capture-intent.ts'
import { intentCreate } from './intents/create-intent.ts'
import { listMembers } from './lists.ts'
import { adviceOn } from './unsupported.ts'

/** The members of one of the library's types, which only its text shows. */
function membersOf(file: string, type: string): string[] {
  const types = fileURLToPath(new URL(`resources/${file}`, import.meta.resolve('stripe')))
  const text = readFileSync(types, 'utf8')
  const [, body = ''] = new RegExp(`export interface ${type}[^{]* \\{\\n([^]*?)\\n\\}`).exec(text) ?? []
  return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name]) => name!)
}

/** Of a capture these have a hint of their own. */
const fromCreate = ['metadata', 'statement_descriptor_suffix']

test.each([
  ['PaymentIntents.d.ts', 'PaymentIntentCreateParams', Object.keys(intentCreate.shape)],
  ['PaymentIntents.d.ts', 'PaymentIntentRetrieveParams', ['expand']],
  ['PaymentIntents.d.ts', 'PaymentIntentListParams', [...Object.keys(listMembers), 'expand']],
  ['PaymentIntents.d.ts', 'PaymentIntentCaptureParams', [...Object.keys(intentCapture.shape), ...fromCreate]],
  ['PaymentIntents.d.ts', 'PaymentIntentCancelParams', Object.keys(intentCancel.shape)],
  ['Refunds.d.ts', 'RefundListParams', [...Object.keys(listMembers), 'payment_intent', 'charge']],
  ['Charges.d.ts', 'ChargeListParams', [...Object.keys(listMembers), 'payment_intent']],
  ['Prices.d.ts', 'PriceListParams', [...Object.keys(listMembers), 'active', 'currency', 'product', 'type']],
  ['Products.d.ts', 'ProductListParams', [...Object.keys(listMembers), 'active', 'ids']],
  ['WebhookEndpoints.d.ts', 'WebhookEndpointCreateParams', Object.keys(webhookEndpointCreate.shape)],
  ['WebhookEndpoints.d.ts', 'WebhookEndpointUpdateParams', Object.keys(webhookEndpointUpdate.shape)],
  ['Events.d.ts', 'EventListParams', [...Object.keys(listMembers), 'type', 'types']],
  ['Refunds.d.ts', 'RefundCreateParams', ['payment_intent', 'charge', 'amount', 'reason', 'metadata']],
])('%s, %s: each parameter is taken, or there is advice', (file, type, parameters) => {
  const names = membersOf(file, type)
  expect(names.length).toBeGreaterThan(1)
  const unknown = names.filter(
    (name) => !parameters.includes(name) && !adviceOn(name).words.startsWith('is not supported'),
  )
  expect(unknown).toEqual([])
})
