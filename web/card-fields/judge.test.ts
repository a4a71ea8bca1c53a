// Verdicts on four fields, from the first key stroke to the service's word.

import { beforeEach, expect, test } from 'vitest'
import type { Field } from '../shared/protocol.ts'
import type { Fields } from './fields.ts'
import { type Judge, judge } from './judge.ts'

let values: Record<Field, { value: string }>
let announced: string[]
let verdicts: Judge
beforeEach(() => {
  values = {
    number: { value: '' },
    expiry: { value: '' },
    code: { value: '' },
    name: { value: '' },
  }
  announced = []
  const fields = {
    inputs: values,
    showFault: () => {},
    announce: (faults: { code: string }[]) => announced.push(faults.map(({ code }) => code).join()),
  }
  verdicts = judge(fields as unknown as Fields, {
    brands: ['visa', 'amex'],
    now: () => new Date('2026-09-15T00:00:00Z'),
  })
})

function type(field: Field, value: string) {
  values[field].value = value
  verdicts.typed(field)
}

const shown = () => verdicts.shown().map(({ code }) => code)

test('what is not yet whole is no fault, until its field is left', () => {
  type('number', '4242 4242')
  expect(shown()).toEqual([])
  verdicts.left('number')
  expect(shown()).toEqual(['number_incomplete'])
  type('number', '4242 4242 4')
  expect(shown()).toEqual(['number_incomplete'])
  type('number', '4242 4242 4242 4242')
  expect(shown()).toEqual([])
})

test('a whole number is judged at once, and one that is being mended is not', () => {
  type('number', '4242 4242 4242 4241')
  expect(shown()).toEqual(['number_wrong'])
  type('number', '4242 4242 4242 424')
  expect(shown()).toEqual([])
})

test('fields that were passed by show nothing before all are judged', () => {
  verdicts.left('number')
  verdicts.left('name')
  expect(shown()).toEqual([])
  verdicts.all()
  expect(shown()).toEqual(['number_missing', 'expiry_missing', 'code_missing'])
  expect(verdicts.faults()).toEqual(verdicts.shown())
})

test('each fault is read out once', () => {
  type('expiry', '01 / 26')
  verdicts.left('expiry')
  verdicts.all()
  verdicts.all()
  expect(announced).toEqual(['expiry_past', 'number_missing,code_missing'])
})

test('another brand of card mends a code, or makes it too short', () => {
  type('number', '37')
  type('code', '123')
  verdicts.left('code')
  expect(shown()).toEqual(['code_incomplete'])
  type('number', '4')
  expect(shown()).toEqual([])
  type('number', '37')
  expect(shown()).toEqual([])
  expect(verdicts.faults()).toContainEqual({ field: 'code', code: 'code_incomplete' })
})

test("the service's no holds until the field changes, whatever happens in others", () => {
  type('number', '4242 4242 4242 4242')
  verdicts.refuse({ field: 'number', code: 'not_a_test_card' })
  expect(shown()).toEqual([])
  verdicts.left('number')
  type('expiry', '12 / 30')
  expect(shown()).toEqual(['not_a_test_card'])
  type('number', '4242 4242 4242 424')
  type('number', '4242 4242 4242 4242')
  expect(shown()).toEqual([])
  expect(verdicts.faults().map(({ field }) => field)).toEqual(['code'])
})

test('after a decline an empty code is no fault yet', () => {
  verdicts.all()
  verdicts.forgive('code')
  type('code', '')
  expect(shown()).toEqual(['number_missing', 'expiry_missing'])
})
