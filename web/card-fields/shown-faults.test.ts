// When a fault is shown.

import { expect, test } from 'vitest'
import { faultOnBlur, faultWhileTyping } from './shown-faults.ts'

test.each([
  ['not yet long enough', null, 'number_incomplete', false, null],
  ['long enough and wrong', null, 'number_wrong', true, 'number_wrong'],
  ['mended', 'number_wrong', null, true, null],
  ['mended before it is whole', 'name_is_number', null, false, null],
  ['no better yet', 'number_incomplete', 'number_incomplete', false, 'number_incomplete'],
  ['no longer empty', 'number_missing', 'number_incomplete', false, null],
  ['typed anew after a refusal', 'not_a_test_card', 'number_incomplete', false, null],
  ['whole, faulty for another reason', 'expiry_incomplete', 'expiry_past', true, 'expiry_past'],
] as const)('while typing: %s', (_, shown, fault, whole, next) => {
  expect(faultWhileTyping({ shown, fault, whole })).toBe(next)
})

test.each([
  ['passed by', null, 'number_missing', true, null],
  ['half typed', null, 'number_incomplete', false, 'number_incomplete'],
  ['emptied after a fault', 'number_wrong', 'number_missing', true, 'number_missing'],
  ['right', null, null, false, null],
] as const)('when left: %s', (_, shown, fault, empty, next) => {
  expect(faultOnBlur({ shown, fault, empty })).toBe(next)
})
