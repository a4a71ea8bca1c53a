// What befalls a storm's processes: at random moments one is killed, or stands still for a while.

import type { Home } from '../../src/database/embedded/home.ts'
import { realClock } from '../../tests/support/world.ts'
import type { Chance } from '../simulate/chance.ts'
import type { Command, Crew } from './crew.ts'
import { backendsOf, postmasterOf, signal } from './server.ts'
import { stopOnWire, type WireField } from './stop-on-wire.ts'

/** How often each comes, of all. A frozen process may outlast its leases. */
const weights = {
  'kill a service': 6,
  'kill a worker': 4,
  'freeze a service': 3,
  'freeze a worker': 3,
  'kill the database': 3,
  'kill a backend': 2,
  'freeze a backend': 3,
  'freeze the database': 2,
  'kill everything': 1,
  'stop between intent and call': 3,
  'stop between call and outcome': 2,
}

export type Disturbance = keyof typeof weights

export const disturbance_names = Object.keys(weights) as Disturbance[]

type Field = {
  crew: Crew
  /** The server's; null while none serves. */
  home(): Home | null
  /** The same, while it may be killed. */
  victim(): Home | null
  chance: Chance
  /** performance.now() at the end. */
  until_ms: number
  /** Nothing else befalls them; all where nothing is said. */
  only: Disturbance | null
  tell(what: string): void
} & WireField

const pause_ms = { least: 200, more: 2_500 }
const frozen_ms = { least: 500, more: 6_000 }
/** Once in so often a process stands still for longer than a lease of the webhook queue. */
const long_frozen = { share: 0.1, ms: 22_000 }

/**
 * Disturbs until the time is over; then all that was frozen goes on. The first is a stop on the wire, and nothing else comes
 * before somebody stands there: no storm goes by without. Returns how often each came.
 */
export async function disturb(field: Field): Promise<Map<Disturbance, number>> {
  const { chance, until_ms, tell } = field
  const counts = new Map<Disturbance, number>()
  const thaws: Promise<void>[] = []
  const able = Object.entries(weights).filter(([name]) => field.only === null || name === field.only)
  const deck = able.flatMap(([name, weight]) => Array.from({ length: weight }, () => name as Disturbance))
  const first = stopOnWire(field, 'intent')
  await first?.arrived
  if (first) {
    counts.set('stop between intent and call', 1)
    thaws.push(first.over)
  }
  for (;;) {
    const pause = pause_ms.least + chance.below(pause_ms.more)
    if (performance.now() + pause >= until_ms) break
    await realClock.sleep(pause)
    const what = chance.pick(deck)
    const thaw = strike(field, what)
    if (!thaw) continue
    counts.set(what, (counts.get(what) ?? 0) + 1)
    tell(what)
    thaws.push(thaw)
  }
  await Promise.all(thaws)
  return counts
}

/** Null where there is nothing to strike. */
export function strike(field: Field, what: Disturbance): Promise<void> | null {
  switch (what) {
    case 'kill a service':
      return kill(field, 'serve')
    case 'kill a worker':
      return kill(field, 'worker')
    case 'freeze a service':
      return freezeMember(field, 'serve')
    case 'freeze a worker':
      return freezeMember(field, 'worker')
    case 'kill the database':
      return end(postmasterOf(field.victim()))
    case 'kill a backend':
      // Then the whole server starts again.
      return end(backendOf(field, field.victim()))
    case 'freeze the database':
      return freezeProcess(field, postmasterOf(field.home()))
    case 'freeze a backend':
      return freezeProcess(field, backendOf(field, field.home()))
    case 'stop between intent and call':
      return stopOnWire(field, 'intent')?.over ?? null
    case 'stop between call and outcome':
      return stopOnWire(field, 'answer')?.over ?? null
    case 'kill everything': {
      for (const member of field.crew.running()) field.crew.kill(member)
      return end(postmasterOf(field.victim())) ?? Promise.resolve()
    }
  }
}

async function done(): Promise<void> {}

function kill({ crew, chance }: Field, command: Command): Promise<void> | null {
  const able = crew.running(command).filter(({ is_waited_for }) => !is_waited_for)
  if (able.length === 0) return null
  crew.kill(chance.pick(able))
  return done()
}

function freezeMember(field: Field, command: Command): Promise<void> | null {
  const { crew, chance } = field
  const able = crew.running(command).filter(({ is_frozen, is_waited_for }) => !is_frozen && !is_waited_for)
  if (able.length === 0) return null
  const member = chance.pick(able)
  crew.freeze(member)
  return stillness(field).then(() => crew.thaw(member))
}

function freezeProcess(field: Field, pid: number | null): Promise<void> | null {
  if (pid === null || !signal(pid, 'SIGSTOP')) return null
  return stillness(field).then(() => void signal(pid, 'SIGCONT'))
}

function end(pid: number | null): Promise<void> | null {
  return pid !== null && signal(pid, 'SIGKILL') ? done() : null
}

function backendOf({ chance }: Pick<Field, 'chance'>, home: Home | null): number | null {
  const backends = backendsOf(home)
  return backends.length === 0 ? null : chance.pick(backends)
}

/** Long enough for somebody to notice, and never beyond the end. */
function stillness({ chance, until_ms }: Field): Promise<void> {
  const asked = chance.often(long_frozen.share) ? long_frozen.ms : frozen_ms.least + chance.below(frozen_ms.more)
  return realClock.sleep(Math.max(0, Math.min(asked, until_ms - performance.now())))
}
