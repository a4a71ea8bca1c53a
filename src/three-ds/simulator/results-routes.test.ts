import { beforeEach, expect, test } from 'vitest'
import { type FakeWorld, fakeWorld } from '../../../tests/adapters/three-ds-fixtures.ts'
import type { PeerAnswer } from '../../kernel/peer.ts'
import { OutgoingFailure } from '../../kernel/world.ts'
import type { Message } from '../emv/messages.ts'
import { answerResult, readResult } from '../emv/results.ts'
import { openRoutes, type Routes, routes_max } from './results-routes.ts'

const results_url = 'https://pay.example/3ds/results'

let world: FakeWorld
let routes: Routes
let sent: string[]
/** What happens to a result on its way; null if it arrives. */
let fate: (() => Promise<never>) | null
beforeEach(() => {
  sent = []
  fate = null
  world = fakeWorld({
    async post({ url, body }) {
      sent.push(url)
      await fate?.()
      const read = readResult(body)
      const answer = 'erro' in read ? read.erro : answerResult(read.message, 'received')
      return { status: 200, content_type: 'application/json', body: answer }
    },
  })
  routes = openRoutes({ world, results_url: () => results_url, headers: {} })
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

test('a result goes to the one address, once', async () => {
  routes.keep(rreqOf(1))
  expect(await forward(rreqOf(1))).toBe('RRes')
  expect(await forward(rreqOf(1))).toBe('301')
  expect(sent).toEqual([results_url])
})

test('of two at once one goes', async () => {
  routes.keep(rreqOf(1))
  const both = await Promise.all([forward(rreqOf(1)), forward(rreqOf(1))])
  expect(both).toEqual(['RRes', '301'])
  expect(sent).toHaveLength(1)
})

test('one that reached nobody may be tried five times in all', async () => {
  fate = async () => {
    throw new OutgoingFailure('unanswered', true, 'no answer in time')
  }
  routes.keep(rreqOf(1))
  const answers: string[] = []
  for (let tries = 0; tries < 6; tries++) answers.push(await forward(rreqOf(1)))
  expect(answers).toEqual(['405', '405', '405', '405', '405', '301'])
  expect(sent).toHaveLength(5)
})

test('a route is forgotten after an hour', async () => {
  routes.keep(rreqOf(1))
  routes.keep(rreqOf(2))
  await world.clock.advance(3_599_999)
  expect(await forward(rreqOf(1))).toBe('RRes')
  await world.clock.advance(1)
  expect(await forward(rreqOf(2))).toBe('301')
})

test('no more than so many are kept, the newest', async () => {
  for (let number = 0; number <= routes_max; number++) routes.keep(rreqOf(number))
  expect(await forward(rreqOf(0))).toBe('301')
  expect(await forward(rreqOf(1))).toBe('RRes')
  expect(await forward(rreqOf(routes_max))).toBe('RRes')
})
