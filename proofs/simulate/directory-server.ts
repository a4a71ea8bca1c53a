// The banks' side of 3-D Secure in a simulated world: test mode's Directory Server and ACS, standing outside of every process.

import { type Http, OutgoingFailure, type OutgoingRequest } from '../../src/kernel/world.ts'
import { results_path } from '../../src/payments/authentication/receive-result.ts'
import { simulator_prefix } from '../../src/three-ds/open.ts'
import { openThreeDsSimulator, type ThreeDsSimulator } from '../../src/three-ds/simulated-issuer/simulator.ts'
import { memoryChallenges } from '../../tests/adapters/memory-challenges.ts'
import type { Chance } from './chance.ts'
import type { Faults } from './faults.ts'
import { base_url } from './places.ts'
import type { Owner, Scheduler } from './scheduler.ts'

type Ends = {
  scheduler: Scheduler
  faults: Faults
  chance: Chance
  outside: Owner
}

export type DirectoryServer = {
  simulator: ThreeDsSimulator
  /** The way to it from one process. */
  lineOf(owner: Owner, die: () => never): Http
  /** Their ids at the Directory Server of what was authenticated without an electronic commerce indicator. */
  without_eci: Set<string>
}

/** `results` posts to the service, as whoever stands outside does. */
export function openDirectoryServer(ends: Ends, results: Http): DirectoryServer {
  const { scheduler, faults, chance, outside } = ends
  const prefix = base_url + simulator_prefix
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  const clock = scheduler.clockOf(outside)
  const without_eci = new Set<string>()
  const http: Http = {
    post: (request) => (request.url.startsWith(prefix) ? handle(request) : results.post(request)),
  }
  const simulator = openThreeDsSimulator({
    world: { clock, random: { bytes: chance.bytes }, http, log: quiet },
    base_url: () => prefix,
    public_url: () => prefix,
    results_url: () => base_url + results_path,
    pages_url: () => `${base_url}/3ds/`,
    headers: {},
    signing_key: Buffer.alloc(32, 7),
    challenges: memoryChallenges(),
  })

  async function handle({ url, body, headers }: OutgoingRequest) {
    const path = url.slice(prefix.length)
    const answer = await simulator.handle({ method: 'POST', path, query: new URLSearchParams(), headers, body })
    if (answer === 'hang_up') throw new OutgoingFailure('unanswered', false, 'hung up')
    const content_type = answer.headers['content-type'] ?? ''
    return { status: answer.status, content_type, body: withoutEci(answer.body) }
  }

  /** Some banks leave out the indicator of what they authenticate. */
  function withoutEci(body: string): string {
    if (!body.includes('"eci"') || !faults.happens('three_ds: no ECI')) return body
    const { eci, ...message } = JSON.parse(body)
    without_eci.add(message.dsTransID)
    return JSON.stringify(message)
  }

  function lineOf(owner: Owner, die: () => never): Http {
    const here = scheduler.clockOf(owner)
    return {
      async post(request) {
        const fate = await scheduler.effect(owner, 'to the Directory Server', () => {
          const chosen = faults.happens(
            'three_ds: crash before',
            'three_ds: crash after',
            'three_ds: not sent',
            'three_ds: lost on its way',
            'three_ds: answer lost',
          )
          if (chosen === 'three_ds: crash before') die()
          return chosen
        })
        if (fate === 'three_ds: not sent') throw new OutgoingFailure('not_sent', false, 'refused')
        const over = new AbortController()
        const silence = here.sleep(request.timeout_ms, over.signal).then((): never => {
          throw new OutgoingFailure('unanswered', true, 'no answer in time')
        })
        silence.catch(() => {})
        if (fate === 'three_ds: lost on its way') return silence
        const sent = scheduler.effect(outside, 'the Directory Server is asked', () => ({
          answer: handle(request),
        }))
        if (fate === 'three_ds: crash after') scheduler.spawn(sent.then(die).catch(() => {}))
        const answered = sent.then(({ answer }) => answer)
        if (fate === 'three_ds: answer lost') {
          answered.catch(() => {})
          return silence
        }
        try {
          const answer = await Promise.race([answered, silence])
          return await scheduler.effect(owner, 'the Directory Server answers', () => answer)
        } finally {
          over.abort()
        }
      },
    }
  }

  return { simulator, lineOf, without_eci }
}
