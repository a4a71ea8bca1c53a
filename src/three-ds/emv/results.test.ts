import { describe, expect, test } from 'vitest'
import { answerResult, readResult } from './results.ts'

const ids = {
  threeDSServerTransID: 'e8db9820-63b7-43ce-8831-36ce81a2e313',
  acsTransID: '3a832bcb-63b7-43ce-8831-36ce81a2e313',
  dsTransID: 'e9ff1fc0-3898-4887-b338-2db51170b865',
}
const cancelled = {
  ...ids,
  messageType: 'RReq',
  messageVersion: '2.2.0',
  messageCategory: '01',
  transStatus: 'N',
  transStatusReason: '01',
  challengeCancel: '01',
  interactionCounter: '00',
  authenticationType: '01',
}

function read(changes: object) {
  return readResult(JSON.stringify({ ...cancelled, ...changes }))
}

function received() {
  const result = read({})
  if (!('message' in result)) throw new Error('refused')
  return result.message
}

describe('readResult', () => {
  test('a cancelled challenge', () => {
    expect(received()).toEqual({
      server_transaction_id: ids.threeDSServerTransID,
      acs_transaction_id: ids.acsTransID,
      ds_transaction_id: ids.dsTransID,
      version: '2.2.0',
      outcome: {
        status: 'N',
        eci: null,
        authentication_value: null,
        reason: '01',
        challenge_cancel: '01',
        unavailable_cause: null,
      },
    })
  })

  test('ids come out in lower case', () => {
    const result = read({ dsTransID: ids.dsTransID.toUpperCase() })
    expect(result).toMatchObject({ message: { ds_transaction_id: ids.dsTransID } })
  })

  test('a U is the issuer’s word', () => {
    const result = read({ transStatus: 'U', authenticationType: undefined })
    expect(result).toMatchObject({ message: { outcome: { unavailable_cause: 'issuer' } } })
  })

  test.each([
    ['a missing field', { acsTransID: undefined }, '201'],
    ['a malformed field', { transStatus: 'C' }, '203'],
    ['an empty optional', { eci: '' }, '203'],
    ['another message', { messageType: 'AReq' }, '101'],
    ['a version we do not speak', { messageVersion: '2.0.0' }, '102'],
  ])('%s is answered with an Erro', (_, changes, code) => {
    const result = read(changes)
    if (!('erro' in result)) throw new Error('taken')
    expect(JSON.parse(result.erro)).toMatchObject({
      messageType: 'Erro',
      errorCode: code,
      errorComponent: 'S',
    })
  })

  test('no JSON is answered with an Erro', () => {
    expect(readResult('nonsense')).toMatchObject({ erro: expect.stringContaining('"203"') })
  })

  test('an Erro is answered with nothing', () => {
    expect(read({ messageType: 'Erro' })).toEqual({ erro: '' })
  })
})

describe('answerResult', () => {
  test('received', () => {
    expect(JSON.parse(answerResult(received(), 'received'))).toEqual({
      ...ids,
      messageType: 'RRes',
      messageVersion: '2.2.0',
      resultsStatus: '01',
    })
  })

  test.each([
    ['unknown_transaction', '301'],
    ['duplicate', '312'],
    ['not_expected', '313'],
  ] as const)('%s', (verdict, code) => {
    expect(JSON.parse(answerResult(received(), verdict))).toMatchObject({
      ...ids,
      messageType: 'Erro',
      errorCode: code,
      errorComponent: 'S',
      errorMessageType: 'RReq',
    })
  })
})
