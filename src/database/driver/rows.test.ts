import { describe, expect, test } from 'vitest'
import { column } from './columns.ts'
import type { AnySql } from './pool.ts'
import { assignments, columnNames, columnTypes, rowIf, rowValues } from './rows.ts'

type Written = { strings: TemplateStringsArray; values: unknown[] }

/** Stands for the driver: keeps what a template was called with. */
const sql = ((strings: TemplateStringsArray, ...values: unknown[]) => ({
  strings,
  values,
})) as unknown as AnySql

const row = { merchant_id: 'm_1', amount: 4200, items: null, labels: ['a', 'b'] }

const columns = { merchant_id: column<string>('text'), amount: column<number>('bigint') }

const cases = [
  {
    name: 'rowValues',
    make: () => rowValues(sql, row),
    text: '("merchant_id", "amount", "items", "labels") values (?, ?, ?, ?)',
    values: ['m_1', 4200, null, ['a', 'b']],
  },
  {
    name: 'rowIf',
    make: () => rowIf(sql, row, 'gate'),
    text: '("merchant_id", "amount", "items", "labels") select ?, ?, ?, ? from "gate"',
    values: ['m_1', 4200, null, ['a', 'b']],
  },
  {
    name: 'assignments of all members',
    make: () => assignments(sql, { status: 'captured', amount: 1 }),
    text: '"status" = ?, "amount" = ?',
    values: ['captured', 1],
  },
  {
    name: 'assignments of some members, in the order asked for',
    make: () => assignments(sql, row, 'amount', 'merchant_id'),
    text: '"amount" = ?, "merchant_id" = ?',
    values: [4200, 'm_1'],
  },
  {
    name: 'the names of columns',
    make: () => columnNames(sql, columns),
    text: '"merchant_id", "amount"',
    values: [],
  },
  {
    name: 'the types of columns',
    make: () => columnTypes(sql, columns),
    text: '"merchant_id" text, "amount" bigint',
    values: [],
  },
  {
    name: 'one member',
    make: () => rowValues(sql, { id: 1 }),
    text: '("id") values (?)',
    values: [1],
  },
  {
    name: 'a name that needs its quotes',
    make: () => assignments(sql, { 'a"b': 1 }),
    text: '"a""b" = ?',
    values: [1],
  },
]

describe('rows as fragments', () => {
  for (const { name, make, text, values } of cases) {
    test(name, () => {
      const statement = make() as unknown as Written
      expect(statement.strings.join('?')).toBe(text)
      expect(statement.strings.raw).toEqual([...statement.strings])
      expect(statement.values).toEqual(values)
    })
  }

  test('equal rows share one template, others do not', () => {
    const templateOf = (statement: unknown) => (statement as Written).strings
    const first = templateOf(rowIf(sql, { a: 1, b: 2 }, 'gate'))
    expect(templateOf(rowIf(sql, { a: 3, b: 4 }, 'gate'))).toBe(first)
    expect(templateOf(rowIf(sql, { a: 3, b: 4 }, 'other'))).not.toBe(first)
    expect(templateOf(rowIf(sql, { a: 3 }, 'gate'))).not.toBe(first)
  })
})
