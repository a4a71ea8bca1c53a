import { expect, test } from 'vitest'
import type { Schema } from '../../kernel/json-schema.ts'
import { events, routes, streams } from '../../routes.ts'
import type { Operation } from './document.ts'
import { inlineDocument } from './openapi.ts'

const { paths } = inlineDocument(routes, events, streams)
const places = Object.entries(paths).flatMap(([path, operations]) =>
  Object.values(operations).map((operation) => ({ path, operation })),
)
const links = places.flatMap(({ operation }) =>
  Object.values(operation.responses).flatMap((response) =>
    Object.values(response.links ?? {}).map((link) => ({ from: operation, response, link })),
  ),
)
const lines = links.map(({ from, link }) => {
  const [[parameter, place]] = Object.entries(link.parameters) as [[string, string]]
  return `${from.operationId} ${place.split('/')[1]} > ${link.operationId} ${parameter}`
})

test.each([
  'create_a_checkout_session id > read_a_checkout_session session_id',
  'read_a_checkout_session payment_id > read_a_payment payment_id',
  'read_a_payment id > refund_a_captured_payment payment_id',
  'read_a_payment checkout_session_id > read_a_checkout_session session_id',
  'refund_a_captured_payment id > read_a_refund refund_id',
  'register_a_webhook_endpoint id > delete_a_webhook_endpoint endpoint_id',
  'list_payments next_cursor > list_payments after',
  'create_a_payment_intent id > read_a_payment_intent session_id',
])('%s', (line) => {
  expect(lines).toContain(line)
})

test('each link leads from a member of the answer to a parameter of another call, for the same key', () => {
  const wrong = links.filter(({ from, response, link }) => {
    const target = places.find(({ operation }) => operation.operationId === link.operationId)
    const [[parameter, place]] = Object.entries(link.parameters) as [[string, string]]
    const schema = response.content!['application/json'].schema as Schema
    const member = place.replace('$response.body#/', '')
    const keysOf = ({ security }: Operation) => security.flatMap(Object.keys)
    const is_told = (schema.anyOf ?? [schema]).some(({ properties = {} }) => member in properties)
    const is_taken = target?.operation.parameters.some(({ name }) => name === parameter)
    const is_open = target && keysOf(target.operation).some((key) => keysOf(from).includes(key))
    return !(is_told && is_taken && is_open)
  })
  expect(wrong).toEqual([])
})
