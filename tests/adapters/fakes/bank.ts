// The banks behind a fake 3-D Secure provider: the simulated Directory Server and ACS, mounted on the fake's own server. The
// fake is the 3DS Server to which they post results.

import type { ServerResponse } from 'node:http'
import { type RangeProfile, type ThreeDsBehaviour, testCardOf, testNumber } from '../../../src/cards/test-cards.ts'
import type { Brand } from '../../../src/kernel/values.ts'
import type { Clock } from '../../../src/kernel/world.ts'
import { answerResult, readResult } from '../../../src/three-ds/emv/results.ts'
import { openThreeDsSimulator } from '../../../src/three-ds/simulated-issuer/simulator.ts'
import { memoryChallenges } from '../memory-challenges.ts'
import { fakeWorld } from '../three-ds-fixtures.ts'

export type Bank = {
  /** Sends an AReq as the 3DS Server; null if the Directory Server gave no answer. */
  ask(areq: object): Promise<Record<string, unknown> | null>
  /** Answers a browser's post to one of the banks' pages. */
  serve(path: string, body: string, response: ServerResponse): Promise<void>
  close(): void
}

const mount = '/bank'

export function openBank(parts: {
  clock: Clock
  /** The fake's own address. */
  url(): string
  /** The start of the addresses of the service's pages, with a final slash. */
  pages_url(): string
  /** Takes the RReq of a challenge. */
  received(rreq: Record<string, unknown>): void
}): Bank {
  const at = () => `${parts.url()}${mount}`
  const results_url = () => `${parts.url()}/results`
  const post = async (path: string, body: string) =>
    simulator.handle({ method: 'POST', path, query: new URLSearchParams(), headers: {}, body })
  const world = fakeWorld({
    async post({ url, body }) {
      const content_type = 'application/json'
      if (url !== results_url()) {
        const answer = await post(url.slice(at().length), body)
        return { status: 200, content_type, body: answer === 'hang_up' ? '' : answer.body }
      }
      const read = readResult(body)
      if ('erro' in read) return { status: 200, content_type, body: read.erro }
      parts.received(JSON.parse(body))
      return { status: 200, content_type, body: answerResult(read.message, 'received') }
    },
  })
  const simulator = openThreeDsSimulator({
    world: { ...world, clock: parts.clock },
    base_url: at,
    public_url: at,
    results_url,
    pages_url: parts.pages_url,
    headers: {},
    signing_key: Buffer.alloc(32, 5),
    challenges: memoryChallenges(),
  })
  return {
    async ask(areq) {
      const own = {
        threeDSServerRefNumber: 'FAKE-3DS-SERVER',
        threeDSServerOperatorID: 'FAKE',
        threeDSServerURL: results_url(),
        threeDSRequestorID: 'FAKE-REQUESTOR',
        threeDSRequestorName: 'Fake requestor',
      }
      const answer = await post('/ds', JSON.stringify({ ...areq, ...own }))
      return answer === 'hang_up' || answer.status !== 200 ? null : JSON.parse(answer.body)
    },
    async serve(path, body, response) {
      const answer = await post(path.slice(mount.length), body)
      if (answer === 'hang_up') response.destroy()
      else response.writeHead(answer.status, answer.headers).end(answer.body)
    },
    close: simulator.close,
  }
}

/** Whether a path of the fake is one of its banks' pages. */
export function isOfBank(path: string): boolean {
  return path.startsWith(`${mount}/acs/`)
}

/** The address of a bank's page below the fake's. */
export function bankPage(url: string, path: string): string {
  return `${url}${mount}${path}`
}

/** A test card that behaves so. Its codes are found by trying them: the grammar's tables are not ours to repeat. */
export function cardThat(brand: Brand, wanted: { three_ds?: ThreeDsBehaviour; ranges?: RangeProfile }): string {
  for (const r of [...'1023459']) {
    for (let yz = 0; yz < 100; yz++) {
      const number = testNumber(brand, { r, yz: String(yz).padStart(2, '0') })
      const found = testCardOf(number)
      const fits = found?.three_ds === (wanted.three_ds ?? 'authenticated')
      if (fits && found?.ranges === (wanted.ranges ?? 'method')) return number
    }
  }
  throw new Error(`no card is ${JSON.stringify(wanted)}`)
}
