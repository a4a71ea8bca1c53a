import { beforeEach, expect, test } from 'vitest'
import { memoryChallenges } from '../../../tests/adapters/memory-challenges.ts'
import { type FakeWorld, fakeWorld } from '../../../tests/adapters/three-ds-fixtures.ts'
import type { PeerAnswer } from '../../kernel/peer.ts'
import { OutgoingFailure } from '../../kernel/world.ts'
import type { Message } from '../emv/messages.ts'
import { answerResult, readResult } from '../emv/results.ts'
import type { Challenge } from './challenges.ts'
import { openRoutes, type Routes } from './results-routes.ts'

const results_url = 'https://pay.example/3ds/results'

let world: FakeWorld
let routes: Routes
let bodies: string[]
let challenges: ReturnType<typeof memoryChallenges>
/** What happens to a result on its way; null if it arrives. */
let fate: (() => Promise<never>) | null
beforeEach(() => {
  bodies = []
  fate = null
  world = fakeWorld({
    async post({ url, body }) {
      bodies.push(url)
      await fate?.()
      const reading = readResult(body)
      const answer = 'erro' in reading ? reading.erro : answerResult(reading.message, 'received')
      return { status: 200, content_type: 'application/json', body: answer }
    },
  })
  challenges = memoryChallenges()
  routes = openRoutes({ world, results_url: () => results_url, headers: {}, challenges })
})

function rreqOf(number: number): Message {
  const tail = number.toString(16).padStart(12, '0')
  return {
    messageType: 'RReq',
    messageVersion: '2.2.0',
    threeDSServerTransID: `e8db9820-63b7-43ce-8831-${tail}`,
    acsTransID: `a8db9820-63b7-43ce-8831-${tail}`,
    dsTransID: `d8db9820-63b7-43ce-8831-${tail}`,
    messageCategory: '01',
    transStatus: 'Y',
    authenticationType: '02',
    interactionCounter: '00',
  }
}

const forward = async (rreq: Message) => said(await routes.forward(rreq, JSON.stringify(rreq)))

function said(answer: PeerAnswer) {
  if (answer === 'hang_up') return answer
  const { messageType, errorCode } = JSON.parse(answer.body)
  return errorCode ?? messageType
}

/** A challenge whose result is on its way. */
function keep(rreq: Message, changes: Partial<Challenge> = {}): Challenge {
  const challenge = {
    server_transaction_id: rreq.threeDSServerTransID,
    acs_transaction_id: rreq.acsTransID,
    ds_transaction_id: rreq.dsTransID,
    created_at: world.clock.now(),
    has_ended: true,
    due_at: world.clock.now(),
    sends_left: 4,
    revision: 0,
    ...changes,
  } as Challenge
  void challenges.insert(challenge)
  return challenge
}

test('a result goes to the one address, until it has arrived', async () => {
  const challenge = keep(rreqOf(1))
  expect(await forward(rreqOf(1))).toBe('RRes')
  await challenges.change(challenge, { due_at: null })
  expect(await forward(rreqOf(1))).toBe('301')
  expect(bodies).toEqual([results_url])
})

test.each<[string, Partial<Challenge>]>([
  ['whose result has arrived', { due_at: null }],
  ['of another transaction', { server_transaction_id: 'x' }],
  ['of another Directory Server', { ds_transaction_id: 'x' }],
])('a challenge %s has no result', async (_, changes) => {
  keep(rreqOf(1), changes)
  expect(await forward(rreqOf(1))).toBe('301')
  expect(await forward(rreqOf(2))).toBe('301')
  expect(bodies).toEqual([])
})

test('of two at once one goes', async () => {
  keep(rreqOf(1))
  const both = await Promise.all([forward(rreqOf(1)), forward(rreqOf(1))])
  expect(both).toEqual(['RRes', '301'])
  expect(bodies).toHaveLength(1)
})

test('one that reached nobody may be tried again', async () => {
  fate = async () => {
    throw new OutgoingFailure('unanswered', true, 'no answer in time')
  }
  keep(rreqOf(1))
  expect(await forward(rreqOf(1))).toBe('405')
  fate = null
  expect(await forward(rreqOf(1))).toBe('RRes')
  expect(bodies).toHaveLength(2)
})

test('a challenge is forgotten after an hour', async () => {
  keep(rreqOf(1))
  keep(rreqOf(2))
  await world.clock.advance(3_599_999)
  expect(await forward(rreqOf(1))).toBe('RRes')
  await world.clock.advance(1)
  expect(await forward(rreqOf(2))).toBe('301')
})
