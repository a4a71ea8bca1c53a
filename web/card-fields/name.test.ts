// Names on cards, and numbers that are none.

import { expect, test } from 'vitest'
import { nameFault, nameOf } from './name.ts'

test.each([
  ['', null],
  ['  ', null],
  ['Ada Lovelace', null],
  ['X Æ A-12', null],
  ['山田太郎', null],
  ['Henry 8', null],
  ['4242', 'name_is_number'],
  ['4242 4242-4242–4242', 'name_is_number'],
  ['٤٢٤٢', 'name_is_number'],
  ['-', 'name_is_number'],
  ['Ada 4242 4242 4242 4242', 'name_is_number'],
])('%j: %s', (value, fault) => {
  expect(nameFault(value)).toBe(fault)
})

test.each([
  ['  Ada ', 'Ada'],
  ['Ada\u0007\u2028', 'Ada'],
  [' \t ', null],
])('%j is sent as %j', (value, name) => {
  expect(nameOf(value)).toBe(name)
})
