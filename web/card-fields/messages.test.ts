// Only what the protocol knows gets in.

import { expect, test } from 'vitest'
import { readHello, readMessage } from './messages.ts'

const session = { type: 'session', session_id: 'cs_1', client_secret: 'cs_1_secret', mode: 'test' }

test.each([
  [session],
  [{ type: 'appearance', appearance: { theme: 'dark', variables: { colorText: '#000' } } }],
  [{ type: 'test_cards', open: false }],
  [{ type: 'fill', number: '4000009100020000' }],
  [{ type: 'submit', id: 1 }],
  [{ type: 'focus', field: 'code' }],
  [{ type: 'clear_code' }],
  [{ type: 'lock', locked: true }],
])('takes %j', (message) => {
  expect(readMessage(message)).toEqual(message)
})

const cycle: Record<string, unknown> = { type: 'clear_code' }
cycle.appearance = cycle

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['text', 'clear_code'],
  ['an array', [{ type: 'clear_code' }]],
  ['no type', {}],
  ['an unknown type', { type: 'paste' }],
  ['a type that every object has', { type: 'toString' }],
  ['a type that is no text', { type: ['clear_code'] }],
  ['a member too many', { type: 'clear_code', number: '4242424242424242' }],
  ['a member too few', { ...session, mode: undefined }],
  ['a mode that is none', { ...session, mode: 'demo' }],
  ['a session id that leads elsewhere', { ...session, session_id: '../x' }],
  ['a secret with a line break', { ...session, client_secret: 'a\nb' }],
  ['test cards that are neither open nor folded', { type: 'test_cards', open: 'yes' }],
  ['a number with letters', { type: 'fill', number: '4242x' }],
  ['an id that is no number', { type: 'submit', id: '1' }],
  ['a field that is none', { type: 'focus', field: 'pin' }],
  ['a lock that is neither', { type: 'lock', locked: 1 }],
  ['looks that are none', { type: 'appearance', appearance: 'dark' }],
  ['over 8 KB', { type: 'appearance', appearance: { theme: 'x'.repeat(8192) } }],
  ['a cycle', cycle],
  ['what JSON cannot say', { type: 'submit', id: 1n }],
])('drops %s', (_, message) => {
  expect(readMessage(message)).toBeNull()
})

test.each<[string, unknown, boolean]>([
  ['a hello', { type: 'ripper:hello', nonce: 'a1-b2' }, true],
  ['another type', { type: 'ripper:port', nonce: 'a' }, false],
  ['no nonce', { type: 'ripper:hello' }, false],
  ['an empty nonce', { type: 'ripper:hello', nonce: '' }, false],
  ['a long nonce', { type: 'ripper:hello', nonce: 'a'.repeat(129) }, false],
  ['a member too many', { type: 'ripper:hello', nonce: 'a', origin: '*' }, false],
])('as hello: %s', (_, message, taken) => {
  expect(readHello(message) !== null).toBe(taken)
})
