// Our 3DS Server against our Directory Server and ACS, over HTTP on the loopback.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { testCardOf } from '../../src/cards/test-cards.ts'
import { brands } from '../../src/kernel/values.ts'
import { type Clock, type Http, OutgoingFailure } from '../../src/kernel/world.ts'
import { httpsOrBelow } from '../../src/three-ds/emv/addresses.ts'
import { openThreeDsServer } from '../../src/three-ds/emv/three-ds-server.ts'
import { openThreeDsSimulator, type ThreeDsSimulator } from '../../src/three-ds/simulated-issuer/simulator.ts'
import type { PostedThreeDs, ResultMessage } from '../../src/three-ds/three-ds.ts'
import { manualClock } from '../support/clock.ts'
import { cardThat } from './fakes/bank.ts'
import { memoryChallenges } from './memory-challenges.ts'
import { threeDsSuite } from './three-ds.ts'
import type { ThreeDsBench } from './three-ds-bench.ts'
import { post } from './three-ds-browser.ts'
import { fakeWorld, identity, memoryRanges } from './three-ds-fixtures.ts'

const mount = '/simulator/three-ds'

threeDsSuite('our 3DS Server and the simulated bank', open)

test('every composed card behaves as its name says', () => {
  expect(testCardOf(cardThat('visa', { three_ds: 'rejected' }))?.three_ds).toBe('rejected')
  expect(testCardOf(cardThat('amex', { ranges: 'only_2_1_0' }))?.ranges).toBe('only_2_1_0')
})

async function open(): Promise<ThreeDsBench> {
  const clock = manualClock()
  const world = { ...fakeWorld(loopbackHttp(clock)), clock }
  let base = ''
  const simulator = openThreeDsSimulator({
    world,
    base_url: () => `${base}${mount}`,
    public_url: () => `${base}${mount}`,
    results_url: () => `${base}/3ds/results`,
    pages_url: () => `${base}/3ds/`,
    headers: {},
    signing_key: Buffer.alloc(32, 7),
    challenges: memoryChallenges(),
  })
  const results: ResultMessage[] = []
  let arrived = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (path.startsWith(mount)) return void simulate(simulator, request, response)
    return void receive(threeDs, request, response, (result) => {
      results.push(result)
      arrived.resolve()
      arrived = Promise.withResolvers()
    })
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const threeDs = openThreeDsServer({
    mode: 'test',
    world,
    directory_servers: brands.map((scheme) => ({ scheme, url: `${base}${mount}/ds` })),
    ranges: memoryRanges(),
    identity,
    mayOpen: httpsOrBelow(() => `${base}${mount}`),
  })
  return {
    threeDs,
    clock,
    log: world.lines,
    card: cardThat,
    notification_url: `${base}/3ds/notification`,
    method_notification_url: `${base}/3ds/method-notification`,
    results_url: `${base}/3ds/results`,
    visit: (form) => post(form, (url) => url.startsWith(`${base}/3ds/`)),
    async results(count = 1) {
      while (results.length < count) await arrived.promise
      return results
    },
    resultCount: () => results.length,
    async close() {
      simulator.close()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

async function simulate(
  simulator: ThreeDsSimulator,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '', 'http://loopback')
  const answer = await simulator.handle({
    method: request.method ?? '',
    path: url.pathname.slice(mount.length),
    query: url.searchParams,
    headers: {},
    body: await text(request),
  })
  if (answer === 'hang_up') request.destroy()
  else response.writeHead(answer.status, answer.headers).end(answer.body)
}

/** Our results page, as the checkout mounts it: every first result is received, a second is a duplicate. */
async function receive(
  threeDs: PostedThreeDs,
  request: IncomingMessage,
  response: ServerResponse,
  keep: (result: ResultMessage) => void,
): Promise<void> {
  const read = threeDs.readResult(await text(request))
  if ('message' in read) keep(read.message)
  const body = 'erro' in read ? read.erro : threeDs.answerResult(read.message, 'received')
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

/** HTTP whose time-outs are the manual clock's. */
function loopbackHttp(clock: Clock): Http {
  return {
    async post({ url, headers, body, timeout_ms }) {
      const done = new AbortController()
      const late = new AbortController()
      clock.sleep(timeout_ms, done.signal).then(
        () => late.abort(),
        () => {},
      )
      try {
        const answer = await fetch(url, { method: 'POST', headers, body, signal: late.signal })
        const content_type = answer.headers.get('content-type') ?? ''
        return { status: answer.status, content_type, body: await answer.text() }
      } catch {
        throw new OutgoingFailure('unanswered', late.signal.aborted, 'no answer')
      } finally {
        done.abort()
      }
    },
  }
}
