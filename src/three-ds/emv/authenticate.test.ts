import { describe, expect, test } from 'vitest'
import { fakeWorld, identity, purchase } from '../../../tests/adapters/three-ds-fixtures.ts'
import { type OutgoingAnswer, OutgoingFailure, type OutgoingRequest } from '../../kernel/world.ts'
import { ProviderUnavailable } from '../three-ds.ts'
import { httpsOnly, httpsOrBelow, isAllowed } from './addresses.ts'
import { sendAReq } from './authenticate.ts'

const ares = {
  messageType: 'ARes',
  messageVersion: '2.2.0',
  threeDSServerTransID: purchase().server_transaction_id.toUpperCase(),
  acsTransID: '3A832BCB-63b7-43ce-8831-36ce81a2e313',
  dsTransID: 'e9ff1fc0-3898-4887-b338-2db51170b865',
  acsReferenceNumber: 'ACS',
  dsReferenceNumber: 'DS',
  transStatus: 'Y',
}
const challenge = {
  ...ares,
  transStatus: 'C',
  acsURL: 'https://acs.example/challenge',
  acsChallengeMandated: 'Y',
  authenticationType: '02',
}

function setUp(answer: () => OutgoingAnswer) {
  const requests: OutgoingRequest[] = []
  const world = fakeWorld({
    async post(request) {
      requests.push(request)
      return answer()
    },
  })
  const server = { scheme: 'visa', url: 'https://ds.example/', tls: { ca: 'root' } } as const
  const sender = { mode: 'test', world, identity, mayOpen: httpsOnly } as const
  return { requests, world, send: (changes = {}) => sendAReq(sender, server, purchase(changes)) }
}

const json = (body: object) => ({
  status: 200,
  content_type: 'application/json',
  body: JSON.stringify(body),
})

test('the AReq goes to the Directory Server, and is given ten seconds', async () => {
  const { requests, send } = setUp(() => json(ares))
  await send()
  expect(requests).toHaveLength(1)
  expect(requests[0]).toMatchObject({ url: 'https://ds.example/', timeout_ms: 10_000 })
  expect(requests[0]!.tls).toEqual({ ca: 'root' })
  expect(requests[0]!.headers['content-type']).toMatch(/^application\/json; *charset=utf-8$/i)
})

test.each(['N', 'R'])('a %s stands though its message lacks a reason', async (transStatus) => {
  const answer = await setUp(() => json({ ...ares, transStatus })).send()
  expect(answer).toMatchObject({ kind: 'outcome', outcome: { status: transStatus } })
})

test('a Y without proof is a Y', async () => {
  const answer = await setUp(() => json(ares)).send()
  expect(answer).toEqual({
    kind: 'outcome',
    ds_transaction_id: ares.dsTransID,
    acs_transaction_id: ares.acsTransID.toLowerCase(),
    cardholder_info: null,
    outcome: {
      status: 'Y',
      eci: null,
      authentication_value: null,
      reason: null,
      challenge_cancel: null,
      unavailable_cause: null,
    },
  })
})

test('a challenge says where', async () => {
  const answer = await setUp(() => json(challenge)).send()
  expect(answer).toMatchObject({ kind: 'challenge', acs_url: 'https://acs.example/challenge' })
})

describe('an answer that cannot be used is a U', () => {
  test.each([
    ['an Erro', { messageType: 'Erro', errorCode: '305', errorDetail: '4000009100020000' }, 'error'],
    ['another transaction', { ...ares, threeDSServerTransID: ares.dsTransID }, 'invalid_answer'],
    ['another version', { ...ares, messageVersion: '2.1.0' }, 'invalid_answer'],
    ['a missing field', { ...ares, dsTransID: undefined }, 'invalid_answer'],
    ['a malformed value', { ...ares, authenticationValue: 'x' }, 'invalid_answer'],
    ['decoupled', { ...ares, transStatus: 'D', acsDecConInd: 'Y' }, 'invalid_answer'],
    ['an SPC challenge', { ...ares, transStatus: 'S' }, 'invalid_answer'],
    ['a script for a page', { ...challenge, acsURL: 'javascript:alert(1)' }, 'invalid_answer'],
    ['data for a page', { ...challenge, acsURL: 'data:text/html,x' }, 'invalid_answer'],
    ['plain http', { ...challenge, acsURL: 'http://acs.example/' }, 'invalid_answer'],
  ])('%s', async (_, body, cause) => {
    const { world, send } = setUp(() => json(body))
    const answer = await send()
    expect(answer).toMatchObject({
      kind: 'outcome',
      outcome: { status: 'U', unavailable_cause: cause },
    })
    expect(world.lines).toHaveLength(1)
    expect(world.lines[0]).toMatchObject({ level: 'warn', fields: { cause } })
    expect(JSON.stringify(world.lines)).not.toContain(purchase().number)
  })

  test('a field given twice', async () => {
    const body = JSON.stringify(ares).replace('{', '{"eci":"05","eci":"07",')
    const answer = await setUp(() => ({ ...json({}), body })).send()
    expect(answer).toMatchObject({ outcome: { unavailable_cause: 'invalid_answer' } })
  })

  test('silence', async () => {
    const { send } = setUp(() => {
      throw new OutgoingFailure('unanswered', true, 'too slow')
    })
    expect(await send()).toMatchObject({ outcome: { status: 'U', unavailable_cause: 'timeout' } })
  })
})

describe('an AReq that may have arrived is not taken back', () => {
  test.each([
    ['an ARes with 500', { ...json(ares), status: 500 }],
    ['a redirect', { status: 302, content_type: '', body: '' }],
    ['HTML', { status: 200, content_type: 'text/html', body: '<html>' }],
    ['nothing', { status: 200, content_type: '', body: '' }],
  ])('%s', async (_, answer) => {
    const result = await setUp(() => answer).send()
    expect(result).toMatchObject({ outcome: { status: 'U', unavailable_cause: 'timeout' } })
  })

  test('a connection that is lost', async () => {
    const { send } = setUp(() => {
      throw new OutgoingFailure('unanswered', false, 'reset')
    })
    expect(await send()).toMatchObject({ outcome: { status: 'U', unavailable_cause: 'timeout' } })
  })
})

describe('a provider that cannot be spoken to is unavailable', () => {
  test.each([
    ['refused', new OutgoingFailure('not_sent', false, 'refused')],
    ['no connection in time', new OutgoingFailure('not_sent', true, 'no connection')],
  ])('%s', async (_, failure) => {
    const { send } = setUp(() => {
      throw failure
    })
    await expect(send()).rejects.toThrow(ProviderUnavailable)
  })

  test.each([
    ['503', { status: 503, content_type: 'text/plain', body: 'down' }],
    ['502', { status: 502, content_type: 'text/html', body: '<html>' }],
  ])('%s', async (_, answer) => {
    await expect(setUp(() => answer).send()).rejects.toThrow(ProviderUnavailable)
  })

  test('an AReq of ours that is not valid is not sent', async () => {
    const { requests, world, send } = setUp(() => json(ares))
    const long = `https://pay.example/${'x'.repeat(300)}`
    await expect(send({ notification_url: long })).rejects.toThrow('notificationURL')
    expect(requests).toHaveLength(0)
    expect(world.lines[0]).toMatchObject({ level: 'error' })
  })

  test('a fault of ours is not hidden as the provider’s', async () => {
    const { send } = setUp(() => {
      throw new TypeError('a bug')
    })
    await expect(send()).rejects.toThrow(TypeError)
  })
})

test.each([
  ['https://bank.example/x', true, true],
  ['http://127.0.0.1:80/simulator/acs', false, true],
  ['http://127.0.0.1/simulator', false, false],
  ['http://127.0.0.1/simulator-not/acs', false, false],
  ['http://127.0.0.1.example/simulator/acs', false, false],
  ['javascript:alert(1)', false, false],
  ['not an address', false, false],
])('%s may be opened: %s, beside a simulator: %s', (address, alone, beside) => {
  expect(isAllowed(address, httpsOnly)).toBe(alone)
  expect(
    isAllowed(
      address,
      httpsOrBelow(() => 'http://127.0.0.1/simulator'),
    ),
  ).toBe(beside)
})
