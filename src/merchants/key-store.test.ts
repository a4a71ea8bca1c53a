// Which uses of keys are written: the first of an hour.

import { expect, test } from 'vitest'
import { openKeyUses } from './key-store.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 8, 1, 12, minute))

test('a key is written once an hour, with the use that came first', () => {
  const uses = openKeyUses()
  for (const minute of [0, 1, 59]) uses.note({ key_id: 'key_1', at: at(minute) })
  uses.note({ key_id: 'key_2', at: at(5) })
  expect(uses.take()).toEqual([
    { key_id: 'key_1', at: at(0) },
    { key_id: 'key_2', at: at(5) },
  ])
  uses.note({ key_id: 'key_1', at: at(59) })
  expect(uses.take()).toEqual([])
  uses.note({ key_id: 'key_1', at: at(60) })
  expect(uses.take()).toEqual([{ key_id: 'key_1', at: at(60) }])
})

test('a clock that was set back is no hour without a use', () => {
  const uses = openKeyUses()
  for (const minute of [30, 10]) uses.note({ key_id: 'key_1', at: at(minute) })
  expect(uses.take()).toEqual([{ key_id: 'key_1', at: at(10) }])
})
