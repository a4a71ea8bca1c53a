import { describe, expect, test } from 'vitest'
import { identity, purchase } from '../../../tests/adapters/three-ds-fixtures.ts'
import { buildAReq } from './areq.ts'
import type { MessageType } from './field-rules.ts'
import { erro, type Message, messageFault, readMessage } from './messages.ts'

const ids = {
  threeDSServerTransID: 'e8db9820-63b7-43ce-8831-36ce81a2e313',
  acsTransID: '3a832bcb-63b7-43ce-8831-36ce81a2e313',
  dsTransID: 'E9FF1FC0-3898-4887-B338-2DB51170B865',
}
const cavv = 'kJMZRiDunhPsBwAU0hNyrrx0eWN6'

const ares = {
  ...ids,
  messageType: 'ARes',
  messageVersion: '2.2.0',
  acsReferenceNumber: 'ACS',
  dsReferenceNumber: 'DS',
  transStatus: 'Y',
  eci: '02',
  authenticationValue: cavv,
}
const challenge = {
  ...ares,
  transStatus: 'C',
  eci: undefined,
  authenticationValue: undefined,
  acsURL: 'https://acs.example/challenge',
  acsChallengeMandated: 'Y',
  authenticationType: '02',
}
const rreq = {
  ...ids,
  messageType: 'RReq',
  messageVersion: '2.2.0',
  messageCategory: '01',
  transStatus: 'Y',
  eci: '05',
  authenticationValue: cavv,
  authenticationType: '02',
  interactionCounter: '01',
}
const range = {
  startRange: '7654320500000000',
  endRange: '7654320599999999',
  actionInd: 'A',
  acsStartProtocolVersion: '2.1.0',
  acsEndProtocolVersion: '2.1.0',
  threeDSMethodURL: 'https://acs.example/method',
}
const pres = {
  ...ids,
  messageType: 'PRes',
  messageVersion: '2.1.0',
  dsStartProtocolVersion: '2.1.0',
  dsEndProtocolVersion: '2.1.0',
  serialNum: '20190411083625236000',
  cardRangeData: [range],
}
const creq = {
  ...ids,
  messageType: 'CReq',
  messageVersion: '2.1.0',
  challengeWindowSize: '05',
}
const areq = buildAReq(purchase(), { mode: 'test', identity })
const areq_210 = buildAReq(purchase({ version: '2.1.0' }), { mode: 'test', identity })

type Row = [string, object, object, string | null]

const rows: Row[] = [
  ['a Y', ares, {}, null],
  ['an unknown field', ares, { broadInfo: 'x', messageExtension: [] }, null],
  ['a Y without its value', ares, { authenticationValue: undefined }, null],
  ['a value of another length', ares, { authenticationValue: 'AAAA' }, '203 authenticationValue'],
  ['a missing id', ares, { dsTransID: undefined }, '201 dsTransID'],
  ['an id that is no UUID', ares, { dsTransID: '12' }, '203 dsTransID'],
  ['an id in capitals', ares, { acsTransID: ids.acsTransID.toUpperCase() }, null],
  ['an empty optional', ares, { eci: '' }, '203 eci'],
  ['a null optional', ares, { cardholderInfo: null }, '203 cardholderInfo'],
  ['a long note', ares, { cardholderInfo: 'x'.repeat(129) }, '203 cardholderInfo'],
  ['a number for a text', ares, { eci: 5 }, '203 eci'],
  ['an unknown status', ares, { transStatus: 'X' }, '203 transStatus'],
  ['an SPC challenge', ares, { transStatus: 'S' }, '203 transStatus'],
  ['I in 2.2.0', ares, { transStatus: 'I' }, null],
  ['I in 2.1.0', ares, { transStatus: 'I', messageVersion: '2.1.0' }, '203 transStatus'],
  ['N without a reason', ares, { transStatus: 'N' }, '201 transStatusReason'],
  ['N with a reason', ares, { transStatus: 'N', transStatusReason: '01' }, null],
  ['a reserved reason', ares, { transStatus: 'N', transStatusReason: '27' }, '203 transStatusReason'],
  ['missing before malformed', ares, { dsTransID: undefined, eci: '' }, '201 dsTransID'],
  ['two missing', ares, { acsTransID: undefined, dsTransID: undefined }, '201 acsTransID,dsTransID'],
  ['a version we do not speak', ares, { messageVersion: '2.3.1' }, '102 messageVersion'],
  ['no version', ares, { messageVersion: undefined }, '201 messageVersion'],
  ['another message', ares, { messageType: 'RRes' }, '101 messageType'],
  ['no type', ares, { messageType: undefined }, '201 messageType'],
  ['a challenge', challenge, {}, null],
  ['a challenge nowhere', challenge, { acsURL: undefined }, '201 acsURL'],
  ['a challenge at no address', challenge, { acsURL: 'here' }, '203 acsURL'],
  ['a challenge of no type', challenge, { authenticationType: undefined }, '201 authenticationType'],
  ['a result', rreq, {}, null],
  ['a result C', rreq, { transStatus: 'C' }, '203 transStatus'],
  ['a result I', rreq, { transStatus: 'I' }, '203 transStatus'],
  ['a cancelled result', rreq, { transStatus: 'N', transStatusReason: '01', challengeCancel: '01' }, null],
  ['a result of no type', rreq, { authenticationType: undefined }, '201 authenticationType'],
  ['card ranges', pres, {}, null],
  ['no change', pres, { cardRangeData: undefined }, null],
  ['no serial number', pres, { serialNum: undefined }, '201 serialNum'],
  [
    'a range back to front',
    pres,
    { cardRangeData: [{ ...range, startRange: range.endRange, endRange: range.startRange }] },
    '203 cardRangeData',
  ],
  ['a range without an end', pres, { cardRangeData: [{ ...range, endRange: undefined }] }, '203 cardRangeData'],
  ['a range of letters', pres, { cardRangeData: ['a'] }, '203 cardRangeData'],
  ['a challenge request', creq, {}, null],
  ['an unknown window', creq, { challengeWindowSize: '06' }, '203 challengeWindowSize'],
  ['our AReq', areq, {}, null],
  ['our AReq, 2.1.0', areq_210, {}, null],
  ['no currency', areq, { purchaseCurrency: undefined }, '201 purchaseCurrency'],
  ['letters for a currency', areq, { purchaseCurrency: 'GBP' }, '203 purchaseCurrency'],
  ['colour depth 30', areq, { browserColorDepth: '30' }, '203 browserColorDepth'],
  ['a text for a boolean', areq, { browserJavaEnabled: 'false' }, '203 browserJavaEnabled'],
  ['script, but no screen', areq, { browserScreenWidth: undefined }, '201 browserScreenWidth'],
  ['no script, no screen', areq, { browserJavascriptEnabled: false, browserScreenWidth: undefined }, null],
  ['2.1.0 without a screen', areq_210, { browserScreenWidth: undefined }, '201 browserScreenWidth'],
  [
    'an exemption asked for in 2.1.0',
    areq_210,
    { threeDSRequestorChallengeInd: '05' },
    '203 threeDSRequestorChallengeInd',
  ],
  [
    'a long notification address',
    areq,
    { notificationURL: `https://a.example/${'x'.repeat(250)}` },
    '203 notificationURL',
  ],
]

describe('field rules', () => {
  test.each(rows)('%s', (_, message, changes, expected) => {
    const type = (message as Message).messageType as MessageType
    const reading = readMessage(JSON.stringify({ ...message, ...changes }), [type])
    const fault_line = 'fault' in reading ? `${reading.fault.code} ${reading.fault.detail}` : null
    expect(fault_line).toBe(expected)
  })

  test('a field given twice', () => {
    const body = JSON.stringify(ares).replace('{', '{"eci":"05",')
    expect(readMessage(body, ['ARes'])).toMatchObject({ fault: { code: '204', detail: 'eci' } })
  })

  test('no JSON', () => {
    expect(readMessage('<html>', ['ARes'])).toMatchObject({ fault: { code: '203' } })
  })

  test('an Erro is read wherever another message is awaited', () => {
    const reading = readMessage('{"messageType":"Erro","errorCode":"305"}', ['ARes'])
    expect(reading).toMatchObject({ message: { errorCode: '305' } })
  })
})

describe('erro', () => {
  test('it says what is wrong with which message, and repeats no value', () => {
    const bad = { ...rreq, transStatus: '4000009100020000' }
    const reading = readMessage(JSON.stringify(bad), ['RReq'])
    if (!('fault' in reading)) throw new Error('taken')
    const text = erro('S', reading.fault)
    expect(text).not.toContain('4000009100020000')
    expect(JSON.parse(text)).toEqual({
      ...ids,
      dsTransID: ids.dsTransID.toLowerCase(),
      errorCode: '203',
      errorComponent: 'S',
      errorDescription: 'Field format not valid',
      errorDetail: 'transStatus',
      errorMessageType: 'RReq',
      messageType: 'Erro',
      messageVersion: '2.2.0',
    })
  })

  test.each([
    ['nothing known', {}],
    ['an unknown type', { messageType: 'XReq', messageVersion: '9', threeDSServerTransID: 'x' }],
  ])('%s: it is valid itself', (_, message) => {
    const text = erro('S', { code: '101', detail: 'messageType', message })
    expect(messageFault(JSON.parse(text))).toBeNull()
    expect(JSON.parse(text)).toMatchObject({ messageVersion: '2.2.0' })
  })
})
