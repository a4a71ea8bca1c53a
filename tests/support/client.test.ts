// What a test looks for in an answer must not be found in an id that was drawn for it.

import { expect, test } from 'vitest'
import { wordsOf } from './client.ts'

test('the words of an answer are all that it says, but for ids', () => {
  const told = { message: 'number 4242 is none', request_id: 'req_0123456789ab424200000000' }
  const answer = { status: 400, headers: new Headers(), text: JSON.stringify(told), body: told }
  expect(wordsOf(answer)).toBe('{"message":"number 4242 is none","request_id":"req_id"}')
})
