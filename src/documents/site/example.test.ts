import { expect, test } from 'vitest'
import { exampleOf } from './example.ts'
import { curlOf } from './operation-example.ts'

test('a field that has no sample is left out, in lists and inner objects too', () => {
  const text = { type: 'string' }
  const line = { type: 'object', properties: { sku: text, unheard_of: text }, required: ['sku'] }
  const schema = {
    type: 'object',
    properties: {
      name: text,
      unheard_of: text,
      also_unheard_of: { type: 'array', items: { type: 'integer' } },
      items: { type: 'array', items: line },
    },
    required: ['name', 'unheard_of', 'also_unheard_of', 'items'],
  }
  expect(exampleOf(schema, { chosen: {}, side: 'answer' })).toEqual({
    name: 'Stoneware teapot',
    also_unheard_of: [],
    items: [{ sku: 'pot' }],
  })
})

test('a parameter of the path that has none stays in its braces', () => {
  const asked = { method: 'GET', query: {}, headers: {}, body: null, is_form: false }
  expect(curlOf({ ...asked, path: '/v1/things/{unheard_of_id}' })).toBe('curl "$API/v1/things/{unheard_of_id}"')
})
