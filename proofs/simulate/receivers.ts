// The receivers of webhooks in a simulated world: each writes down what it gets, checks it, and answers as it likes.

import { createHmac } from 'node:crypto'
import { type GuardedAnswer, GuardedFailure, type GuardedHttp } from '../../src/kernel/world.ts'
import type { Chance } from './chance.ts'
import type { Clocks } from './clocks.ts'
import type { Faults } from './faults.ts'
import type { Owner, Scheduler } from './scheduler.ts'
import type { Violations } from './violations.ts'

export type Receiver = {
  url: string
  merchant_id: string
  endpoint_id: string
  secret: string
  filter: string[]
  /** Events beyond those of payments that it asked for. */
  extensions: string[]
  /** It never answers well. */
  is_broken: boolean
  /** By the event's key: the body that came first, and how many were answered well. */
  events: Map<string, { body: string; came: number; accepted: number }>
}

export type Receivers = {
  all: Map<string, Receiver>
  add(receiver: Omit<Receiver, 'events'>): Receiver
  /** The way to them from one process. */
  lineOf(owner: Owner, die: () => never): GuardedHttp
}

const seen_late_ms = 120_000

export function openReceivers(world: {
  scheduler: Scheduler
  faults: Faults
  chance: Chance
  outside: Owner
  violations: Violations
  clocks: Clocks
}): Receivers {
  const { scheduler, faults, chance, outside, violations, clocks } = world
  const all = new Map<string, Receiver>()

  /** `begun_at` is when its sender had it ready: one that stalled since could not know. */
  function receive(
    receiver: Receiver,
    { headers, body, begun_at }: { headers: Record<string, string>; body: string; begun_at: Date },
  ) {
    const key = headers['rip-idempotency-key'] ?? ''
    const [, type] = /#(.*)#/.exec(key) ?? []
    const known = receiver.events.get(key) ?? { body, came: 0, accepted: 0 }
    receiver.events.set(key, known)
    known.came += 1
    const told = `${receiver.endpoint_id} got ${key}`
    if (known.body !== body) violations.add('I7', `${told} with another body`)
    if (!key.endsWith(`#${receiver.endpoint_id}`)) violations.add('I13', `${told}, another's`)
    if (!wants(receiver, type!)) {
      violations.add('I8', `${told}, which it did not ask for`)
    }
    const moment = { now: begun_at, late_ms: seen_late_ms + clocks.differenceMs() }
    const fault = signatureFault(receiver, headers, body, moment)
    if (fault) violations.add('I8', `${told}: ${fault}`)
    return known
  }

  function lineOf(owner: Owner, die: () => never): GuardedHttp {
    const here = scheduler.clockOf(owner)
    return {
      close: async () => {},
      async post({ url, headers, body, timeout_ms }) {
        const begun_at = scheduler.now()
        const fate = await scheduler.effect(owner, `webhook to ${url}`, () => {
          const chosen = faults.happens(
            'webhook: crash before',
            'webhook: crash after',
            'webhook: not sent',
            'webhook: answer lost',
            'webhook: hangs',
            'webhook: 500',
            'webhook: 410',
            'webhook: 503 with a Retry-After that lies',
            'webhook: answers late',
          )
          if (chosen === 'webhook: crash before') die()
          return chosen
        })
        if (fate === 'webhook: not sent') throw new GuardedFailure('connection_refused')
        const receiver = all.get(url)
        if (!receiver) throw new GuardedFailure('name_not_found')
        const known = await scheduler.effect(outside, 'a webhook arrives', () =>
          receive(receiver, { headers, body, begun_at }),
        )
        const crashes = fate === 'webhook: crash after'
        await scheduler.effect(owner, `webhook answered, ${fate}`, () => crashes && die())
        if (fate === 'webhook: hangs') {
          await here.sleep(timeout_ms)
          throw new GuardedFailure('timeout')
        }
        if (fate === 'webhook: answers late') await here.sleep(chance.below(timeout_ms))
        const answer = answerOf(fate, receiver)
        if (answer.status < 300) known.accepted += 1
        if (fate === 'webhook: answer lost') throw new GuardedFailure('connection_lost')
        return answer
      },
    }
  }

  function answerOf(fate: string | null, receiver: Receiver): GuardedAnswer {
    if (fate === 'webhook: 500' || receiver.is_broken) return plain(500)
    if (fate === 'webhook: 410') return plain(410)
    if (fate === 'webhook: 503 with a Retry-After that lies') {
      return { ...plain(503), retry_after_seconds: chance.pick([0, 1, 99_999_999, 3]) }
    }
    return plain(chance.pick([200, 200, 204, 202]))
  }

  return {
    all,
    lineOf,
    add(receiver) {
      const added = { ...receiver, events: new Map() }
      all.set(receiver.url, added)
      return added
    },
  }
}

export function wants({ filter, extensions }: Receiver, type: string): boolean {
  if (type.startsWith('refund.')) return extensions.includes(type)
  // What the other platform alone tells of comes to its own endpoints.
  if (!type.startsWith('payment.')) return false
  return filter.length === 0 || filter.includes(type)
}

function plain(status: number): GuardedAnswer {
  return { status, retry_after_seconds: null, body: status < 300 ? 'ok' : 'no' }
}

function signatureFault(
  { secret }: Receiver,
  headers: Record<string, string>,
  body: string,
  { now, late_ms }: { now: Date; late_ms: number },
): string | null {
  const parts = (headers['rip-signature'] ?? '').split(',').map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1]
  const expected = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  if (!parts.some(([name, value]) => name === 'v1' && value === expected)) {
    return 'its signature does not verify'
  }
  const age_ms = Math.abs(now.getTime() - Number(t) * 1000)
  return age_ms > late_ms ? `it was signed ${Math.round(age_ms / 1000)} s from now` : null
}
