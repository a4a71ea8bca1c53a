import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { purchase } from '../../../tests/adapters/three-ds-fixtures.ts'
import { areqFor, mark, openPeer, type Peer } from '../../../tests/adapters/three-ds-peer.ts'
import { testNumber } from '../../cards/test-cards.ts'
import { messageFault } from '../emv/messages.ts'

let peer: Peer
beforeEach(() => {
  peer = openPeer()
})
afterEach(() => peer.simulator.close())

const preq = {
  messageType: 'PReq',
  messageVersion: '2.2.0',
  threeDSServerTransID: 'e8db9820-63b7-43ce-8831-36ce81a2e313',
  threeDSServerRefNumber: 'ref',
}

describe('the Directory Server', () => {
  const with_fields = (changes: object) => JSON.stringify({ ...areqFor('00'), ...changes })
  const rows: [string, () => string, string, string][] = [
    ['no JSON', () => 'x', '203', 'the body is not a JSON object'],
    ['a field twice', () => with_fields({}).replace('{', '{"mcc":"5999",'), '204', 'mcc'],
    ['an unknown message', () => with_fields({ messageType: 'ARes' }), '101', 'messageType'],
    ['version 2.3.1', () => with_fields({ messageVersion: '2.3.1' }), '102', 'messageVersion'],
    ['a missing field', () => with_fields({ mcc: undefined }), '201', 'mcc'],
    ['a malformed field', () => with_fields({ mcc: '' }), '203', 'mcc'],
    ['ftp', () => with_fields({ threeDSServerURL: 'ftp://a/' }), '303', 'threeDSServerURL'],
    ...[
      'https://pay.example/simulator/three-ds/ds',
      'https://pay.example/3ds/result',
      'https://pay.example/3ds/results/',
      'https://pay.example/3ds/results?x',
      'https://pay.example/a/../3ds/results',
      'https://other.example/3ds/results',
      'https://pay.example@other.example/3ds/results',
    ].map((url): [string, () => string, string, string] => [
      `results to ${url}`,
      () => with_fields({ threeDSServerURL: url }),
      '303',
      'threeDSServerURL',
    ]),
    ['an unknown card', () => with_fields({ acctNumber: '4929000000006' }), '305', 'acctNumber'],
    ['a card in no range', () => with_fields({ acctNumber: testNumber('visa', { r: '0' }) }), '305', 'acctNumber'],
    ['2.2.0 for 2.1.0', () => with_fields({ acctNumber: testNumber('visa', { r: '4' }) }), '102', 'messageVersion'],
    ['an unknown serial number', () => JSON.stringify({ ...preq, serialNum: '1' }), '307', 'serialNum'],
  ]
  test.each(rows)('%s', async (_, body, code, detail) => {
    const answer = JSON.parse(await peer.post('/ds', body()))
    expect(answer).toMatchObject({ messageType: 'Erro', errorCode: code, errorDetail: detail })
    expect(answer.errorComponent).toBe('D')
    expect(messageFault(answer)).toBeNull()
  })

  test('an Erro is answered with nothing', async () => {
    expect(await peer.post('/ds', '{"messageType":"Erro"}')).toBe('')
  })

  test('a delta is empty, and may be had once an hour', async () => {
    const full = await peer.ds(preq)
    expect(messageFault(full)).toBeNull()
    const delta = { ...preq, serialNum: full.serialNum }
    expect(await peer.ds(delta)).not.toHaveProperty('cardRangeData')
    expect(await peer.ds(delta)).toMatchObject({ messageType: 'Erro', errorCode: '103' })
    expect(await peer.ds(preq)).toHaveProperty('cardRangeData')
    await peer.world.clock.advance(3_600_000)
    expect(await peer.ds(delta)).toMatchObject({ messageType: 'PRes' })
  })

  test.each(['00', '10', '20', '30', '40', '50', '70', '81'])('the ARes of %s is valid', async (yz) => {
    const ares = await peer.ds(areqFor(yz))
    expect(ares.messageType).toBe('ARes')
    expect(messageFault(ares)).toBeNull()
    expect(Object.values(ares)).not.toContain('')
  })

  test('the ARes of 2.1.0 knows no I', async () => {
    const number = testNumber('visa', { r: '4', yz: '40' })
    expect(await peer.ds(areqFor('', { number, version: '2.1.0' }))).toMatchObject({
      transStatus: 'Y',
    })
  })

  test('an RReq of no transaction, or of another one, is refused', async () => {
    const { ares } = await peer.challenge('72')
    const rreq = {
      messageType: 'RReq',
      messageVersion: '2.2.0',
      threeDSServerTransID: ares.threeDSServerTransID,
      acsTransID: ares.acsTransID,
      dsTransID: ares.dsTransID,
      messageCategory: '01',
      transStatus: 'Y',
      authenticationType: '02',
      interactionCounter: '00',
    }
    const other = 'e9ff1fc0-3898-4887-b338-2db51170b865'
    for (const name of ['dsTransID', 'acsTransID', 'threeDSServerTransID']) {
      expect(await peer.ds({ ...rreq, [name]: other })).toMatchObject({ errorCode: '301' })
    }
    expect(await peer.ds(rreq)).toMatchObject({ messageType: 'RRes', resultsStatus: '01' })
    expect(peer.rreqs[0]!.url).toBe(purchase().results_url)
    expect(peer.rreqs[0]!.headers).toMatchObject(mark)
    // The bank notes that its result has arrived.
    const [challenge] = peer.challenges.kept.values()
    await peer.challenges.change(challenge!, { due_at: null })
    expect(await peer.ds(rreq)).toMatchObject({ errorCode: '301' })
    expect(peer.rreqs).toHaveLength(1)
  })

  test('a silent one hangs up after a minute', async () => {
    const asking = peer.post('/ds', JSON.stringify(areqFor('60')))
    await peer.world.clock.sleepers(60_000)
    await peer.world.clock.advance(60_000)
    expect(await asking).toBe('hang_up')
  })

  test('one that is down says 503', async () => {
    const number = testNumber('visa', { r: '9' })
    const answer = await peer.ask('/ds', JSON.stringify(areqFor('', { number })))
    expect(answer.status).toBe(503)
  })

  test('the log never holds a number', async () => {
    for (const yz of ['00', '72', '80', '81']) await peer.ds(areqFor(yz))
    expect(peer.world.lines.length).toBeGreaterThan(0)
    expect(JSON.stringify(peer.world.lines)).not.toMatch(/\d{13}/)
  })
})

test.each([
  ['GET', '/ds', 405],
  ['GET', '/acs/challenge', 405],
  ['POST', '/', 404],
  ['POST', '/acs', 404],
])('%s %s is %s', async (method, path, status) => {
  expect((await peer.ask(path, '', method)).status).toBe(status)
})
