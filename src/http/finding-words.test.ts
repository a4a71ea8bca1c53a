import { expect, test } from 'vitest'
import { z } from 'zod'
import { Refusal } from '../kernel/errors.ts'
import { validate } from './validate.ts'

const schema = z.strictObject({
  code: z.string().min(2).max(5),
  role: z.enum(['owner', 'viewer']),
  only: z.literal('all').optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  count: z.int().min(1).max(9).optional(),
  is_on: z.boolean().optional(),
  own: z.string('must be a colour').optional(),
  inner: z.object({}).optional(),
})
const right = { code: 'abc', role: 'owner' }

test.each<[object, string]>([
  [{ ...right, code: ['a'] }, 'code must be text.'],
  [{ role: 'owner' }, 'code is required.'],
  [{ ...right, code: 'a' }, 'code must have at least 2 characters.'],
  [{ ...right, code: 'abcdef' }, 'code must have at most 5 characters.'],
  [{ ...right, role: 'chief' }, 'role must be one of owner, viewer.'],
  [{ code: 'abc' }, 'role must be one of owner, viewer.'],
  [{ ...right, only: 'some' }, 'only must be all.'],
  [{ ...right, list: 'a' }, 'list must be a list.'],
  [{ ...right, list: [] }, 'list must have at least 1 entry.'],
  [{ ...right, list: ['a', 'b', 'c'] }, 'list must have at most 2 entries.'],
  [{ ...right, list: [1] }, 'list[0] must be text.'],
  [{ ...right, count: 'x' }, 'count must be a number.'],
  [{ ...right, count: 1.5 }, 'count must be a whole number.'],
  [{ ...right, count: 10 }, 'count must be at most 9.'],
  [{ ...right, is_on: 1 }, 'is_on must be true or false.'],
  [{ ...right, inner: [] }, 'inner must be an object.'],
  [{ ...right, own: 5 }, 'own must be a colour.'],
  [{ ...right, more: 1 }, 'more is not a field of this request.'],
])('%j: %s', (value, words) => {
  const judged = () => validate(schema, value)
  expect(judged).toThrow(Refusal)
  expect(judged).toThrow(words)
})
