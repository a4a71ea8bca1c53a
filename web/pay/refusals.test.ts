import { expect, test } from 'vitest'
import { catalogue } from '../../src/kernel/errors.ts'
import english from '../words/en.json' with { type: 'json' }
import { explain } from './refusals.ts'

const words: Record<string, string> = english
const refusal = (code: string) => ({ code, message: 'amount must be …', request_id: null })

test.each([...Object.keys(catalogue), 'network_error', 'one_of_tomorrow'])('%s has words', (code) => {
  expect(words[explain(refusal(code)).words]).toBeTruthy()
})

test.each([
  ['network_error', true, null],
  ['rate_limit_exceeded', true, null],
  ['store_unavailable', true, null],
  ['internal_error', true, null],
  ['amount_unverified', false, null],
  ['merchant_not_active', false, null],
  ['invalid_request', false, 'amount must be …'],
] as const)('%s', (code, try_again, detail) => {
  expect(explain(refusal(code))).toMatchObject({ try_again, detail })
})
