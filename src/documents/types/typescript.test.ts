import { expect, test } from 'vitest'
import type { Schema } from '../../kernel/json-schema.ts'
import { typesOf } from './typescript.ts'

const named = (schema: Schema, name = 'Thing') => ({ name, note: 'A thing.', schema })
const text = { type: 'string' }

test.each<[string, Schema, string]>([
  ['a text', text, 'string'],
  ['a text or null', { type: ['string', 'null'] }, 'string | null'],
  ['a whole number', { type: 'integer' }, 'number'],
  ['a time', { type: 'string', format: 'date-time' }, 'Timestamp'],
  ['words', { type: 'string', enum: ['a', 'b'] }, "'a' | 'b'"],
  ['numbers', { type: 'number', enum: [1, 2] }, '1 | 2'],
  ['one word', { const: 'a' }, "'a'"],
  ['one or the other', { anyOf: [text, { type: 'null' }] }, 'string | null'],
  ['a list', { type: 'array', items: text }, 'string[]'],
  ['a list of some', { type: 'array', items: { enum: ['a', 'b'] } }, "('a' | 'b')[]"],
  ['texts by any key', { type: 'object', additionalProperties: text }, 'Record<string, string>'],
  [
    'members',
    { type: 'object', required: ['a'], properties: { a: text, b: { ...text, description: 'B' } } },
    '{\n  a: string\n  /** B */\n  b?: string\n}',
  ],
])('%s', (_, schema, type) => {
  expect(typesOf([named(schema)])).toBe(`/** A thing. */\nexport type Thing = ${type}\n`)
})

test('what has a name is called by it, whatever is said of it', () => {
  const words = { type: 'string', enum: ['a', 'b'] }
  const uses = {
    type: 'object',
    required: ['w'],
    properties: { w: { enum: ['a', 'b'], description: 'W' } },
  }
  expect(typesOf([named(uses, 'Uses'), named(words, 'Word')])).toContain('\n  w: Word\n')
})

test('a union that is too long for a line has a line for each', () => {
  const words = ['a', 'b', 'c'].map((letter) => letter.repeat(40))
  const lines = words.map((word) => `  | '${word}'`)
  expect(typesOf([named({ enum: words })])).toContain(`Thing =\n${lines.join('\n')}\n`)
})

test.each<[string, Schema]>([
  ['of anything', { type: 'object' }],
  ['of no kind', {}],
])('no type is made up for a schema %s', (_, schema) => {
  expect(() => typesOf([named(schema)])).toThrow()
})
