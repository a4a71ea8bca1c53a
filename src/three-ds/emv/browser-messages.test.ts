import { expect, test } from 'vitest'
import { decode, encode } from './base64url.ts'
import { challengeForm, methodForm, readChallengeNotification, readMethodNotification } from './browser-messages.ts'

const id = 'e8db9820-63b7-43ce-8831-36ce81a2e313'
const acs_id = '3a832bcb-63b7-43ce-8831-36ce81a2e313'

test('the method form carries the transaction and the way back', () => {
  const { action, fields } = methodForm({
    server_transaction_id: id,
    method_url: 'https://acs.example/method',
    notification_url: 'https://pay.example/back',
  })
  expect(action).toBe('https://acs.example/method')
  expect(Object.keys(fields)).toEqual(['threeDSMethodData'])
  expect(JSON.parse(decode(fields.threeDSMethodData!)!)).toEqual({
    threeDSServerTransID: id,
    threeDSMethodNotificationURL: 'https://pay.example/back',
  })
})

test('the challenge form carries a CReq', () => {
  const { action, fields } = challengeForm({
    version: '2.2.0',
    acs_url: 'https://acs.example/challenge',
    server_transaction_id: id,
    acs_transaction_id: acs_id,
    window_size: '03',
  })
  expect(action).toBe('https://acs.example/challenge')
  expect(JSON.parse(decode(fields.creq!)!)).toEqual({
    messageType: 'CReq',
    messageVersion: '2.2.0',
    threeDSServerTransID: id,
    acsTransID: acs_id,
    challengeWindowSize: '03',
  })
})

const method = (value: unknown) => ({ threeDSMethodData: encode(JSON.stringify(value)) })

test.each([
  ['a notification', method({ threeDSServerTransID: id }), id],
  ['in capitals', method({ threeDSServerTransID: id.toUpperCase() }), id],
  ['no transaction', method({}), null],
  ['no UUID', method({ threeDSServerTransID: 'x' }), null],
  ['a list', method([]), null],
  ['no base64url', { threeDSMethodData: '{}' }, null],
  ['another field', { cres: 'e30' }, null],
])('method notification: %s', (_, fields, expected) => {
  expect(readMethodNotification(fields as Record<string, string>)).toBe(expected)
})

const cres = {
  messageType: 'CRes',
  messageVersion: '2.2.0',
  threeDSServerTransID: id,
  acsTransID: acs_id,
  transStatus: 'Y',
}
const encodedCRes = (changes: object) => encode(JSON.stringify({ ...cres, ...changes }))
const padded = encodedCRes({}).padEnd(Math.ceil(encodedCRes({}).length / 4) * 4, '=')

test.each([
  ['a CRes', { cres: encodedCRes({}) }, id],
  ['with padding', { cres: padded }, id],
  ['with its completion', { cres: encodedCRes({ challengeCompletionInd: 'Y' }) }, id],
  ['in capitals', { cres: encodedCRes({ threeDSServerTransID: id.toUpperCase() }) }, id],
  ['an Erro', { erro: encodedCRes({ messageType: 'Erro' }) }, null],
  ['an Erro as the CRes', { cres: encodedCRes({ messageType: 'Erro', errorCode: '402' }) }, null],
  ['a CReq', { cres: encodedCRes({ messageType: 'CReq' }) }, null],
  ['an unknown status', { cres: encodedCRes({ transStatus: 'X' }) }, null],
  ['no base64url', { cres: '!' }, null],
  ['nothing', {}, null],
])('challenge notification: %s', (_, fields, expected) => {
  expect(readChallengeNotification(fields as Record<string, string>)).toBe(expected)
})
