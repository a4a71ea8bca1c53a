// The simulated bank without HTTP: its Directory Server's address leads back into it, any other to our results page.

import { testNumber } from '../../src/cards/test-cards.ts'
import type { PeerAnswer } from '../../src/kernel/peer.ts'
import { OutgoingFailure, type OutgoingRequest } from '../../src/kernel/world.ts'
import { buildAReq } from '../../src/three-ds/emv/areq.ts'
import { decode } from '../../src/three-ds/emv/base64url.ts'
import { challengeForm } from '../../src/three-ds/emv/browser-messages.ts'
import type { Message } from '../../src/three-ds/emv/messages.ts'
import { answerResult, readResult } from '../../src/three-ds/emv/results.ts'
import { openThreeDsSimulator, type ThreeDsSimulator } from '../../src/three-ds/simulated-issuer/simulator.ts'
import type { AuthenticationRequest } from '../../src/three-ds/three-ds.ts'
import { memoryChallenges } from './memory-challenges.ts'
import { type FakeWorld, fakeWorld, identity, purchase } from './three-ds-fixtures.ts'

const service = 'https://pay.example'
const mount = `${service}/simulator/three-ds`
/** What the simulated bank's own calls carry here. */
export const mark = { 'x-mark': 'own' }

export type Peer = {
  simulator: ThreeDsSimulator
  challenges: ReturnType<typeof memoryChallenges>
  world: FakeWorld
  /** What our results page was sent. */
  rreqs: OutgoingRequest[]
  results_page: { up: boolean }
  ask(path: string, body: string, method?: string): Promise<Exclude<PeerAnswer, 'hang_up'>>
  post(path: string, body: string): Promise<string>
  ds(message: object): Promise<Message>
  challenge(yz: string): Promise<{ ares: Message; creq: URLSearchParams }>
}

/** Another process shares the clock and what is kept. */
export function openPeer(shared?: Pick<Peer, 'challenges' | 'world'>): Peer {
  const rreqs: OutgoingRequest[] = []
  const results_page = { up: true }
  const challenges = shared?.challenges ?? memoryChallenges()
  const world: FakeWorld = fakeWorld({
    async post(request) {
      const content_type = 'application/json'
      if (request.url === `${mount}/ds`) {
        return { status: 200, content_type, body: await post('/ds', request.body) }
      }
      rreqs.push(request)
      if (!results_page.up) throw new OutgoingFailure('not_sent', false, 'refused')
      const read = readResult(request.body)
      const body = 'erro' in read ? read.erro : answerResult(read.message, 'received')
      return { status: 200, content_type, body }
    },
  })
  if (shared) world.clock = shared.world.clock
  const simulator = openThreeDsSimulator({
    world,
    base_url: () => mount,
    public_url: () => mount,
    results_url: () => `${service}/3ds/results`,
    pages_url: () => `${service}/3ds/`,
    headers: mark,
    signing_key: Buffer.alloc(32, 9),
    challenges,
  })

  async function ask(path: string, body: string, method = 'POST') {
    const request = { method, path, query: new URLSearchParams(), headers: {}, body }
    const answer = await simulator.handle(request)
    return answer === 'hang_up' ? { status: 0, headers: {}, body: 'hang_up' } : answer
  }

  async function post(path: string, body: string): Promise<string> {
    return (await ask(path, body)).body
  }

  async function ds(message: object): Promise<Message> {
    return JSON.parse(await post('/ds', JSON.stringify(message)))
  }

  async function challenge(yz: string): Promise<{ ares: Message; creq: URLSearchParams }> {
    const ares = await ds(areqFor(yz))
    const { fields } = challengeForm({
      version: '2.2.0',
      acs_url: ares.acsURL as string,
      server_transaction_id: ares.threeDSServerTransID as string,
      acs_transaction_id: ares.acsTransID as string,
      window_size: '05',
    })
    return { ares, creq: new URLSearchParams(fields) }
  }

  return { simulator, challenges, world, rreqs, results_page, ask, post, ds, challenge }
}

/** Our AReq for a Visa card of a 3-D Secure code. */
export function areqFor(yz: string, changes: Partial<AuthenticationRequest> = {}): Message {
  const request = purchase({ number: testNumber('visa', { yz }), ...changes })
  return buildAReq(request, { mode: 'test', identity })
}

/** A field of a page that posts itself, decoded. */
export function posted(html: string, field: string): Message {
  const value = new RegExp(`name="${field}" value="([^"]*)"`).exec(html)?.[1]
  if (value === undefined) throw new Error(`the page has no ${field}`)
  return JSON.parse(decode(value)!)
}
