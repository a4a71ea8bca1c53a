// The course of an upgrade: which release is started and stopped when, while shoppers pay, and what they were answered.

import { realClock } from '../../tests/support/world.ts'
import type { Chance } from '../simulate/chance.ts'
import type { Street } from '../storm/asking.ts'
import { visit } from '../storm/shopper.ts'
import type { Market } from '../storm/shops.ts'
import type { Balancer } from './balancer.ts'
import type { Fleet } from './fleet.ts'
import { type Release, thisRelease } from './release.ts'

/** What was answered between one step and the next. */
export type Phase = {
  step: Step
  acked: number
  refused: number
  /** Answered with a 5xx. */
  failed: number
  /** Not answered. */
  unknown: number
  /** Connections that a process refused; another took the request. */
  turned_away: number
  slowest_ms: number
}

type Step = { running: string; starts?: Release; stops?: Release }

/** What became of the old release's start on the new one's database. */
export type WayBack = 'ran' | 'not tried' | { refused: string }

type Course = {
  old: Release
  seconds: number
  shoppers: number
  returns: boolean
  tell(line: string): void
  fleet: Fleet
  street: Street
  market: Market
  chance: Chance
  balancer: Balancer
}

/** There, back, and there again, while shoppers pay. */
export async function upgradeUnderLoad(course: Course): Promise<{ phases: Phase[]; way_back: WayBack }> {
  const { fleet, old, returns, seconds, tell } = course
  const { there, back } = stepsFrom(old, thisRelease())
  const steps = returns ? [...there, ...back] : there
  const phases: Phase[] = []
  const load = startLoad(course)
  try {
    for (const step of steps) {
      const until_ms = performance.now() + (seconds * 1000) / steps.length
      const measured = measure(course)
      const refused = step.starts ? await fleet.start(step.starts) : null
      if (step.stops) await fleet.stop(step.stops)
      if (refused !== null && there.includes(step)) throw new Error(`it cannot start: ${refused}`)
      await realClock.sleep(Math.max(0, until_ms - performance.now()))
      const phase = { ...measured(), step }
      phases.push(phase)
      tell(describePhase(phase))
      if (refused !== null) return { phases, way_back: { refused } }
    }
    return { phases, way_back: returns ? 'ran' : 'not tried' }
  } finally {
    await load.stop()
  }
}

function stepsFrom(old: Release, young: Release): { there: Step[]; back: Step[] } {
  const there = [{ running: 'old' }, { running: 'old and new', starts: young }, { running: 'new', stops: old }]
  const back = [
    { running: 'new and old', starts: old },
    { running: 'old', stops: young },
    { running: 'old and new', starts: young },
    { running: 'new', stops: old },
  ]
  return { there, back }
}

function startLoad({ shoppers, street, market, chance }: Course) {
  let is_over = false
  const shopping = Array.from({ length: shoppers }, async (_, number) => {
    const own = chance.fork(`shopper ${number}`)
    for (let count = 1; !is_over; count += 1) {
      const name = `${number}.${count}`
      await visit({ ...street, chance: own, name, shop: own.pick(market.shops) })
    }
  })
  return {
    async stop() {
      is_over = true
      await Promise.all(shopping)
    },
  }
}

/** Begins to count; what it returns tells what has come since. */
function measure({ street: { diary }, balancer }: Course): () => Omit<Phase, 'step'> {
  const now = () => {
    const { acked, unknown } = diary.counts
    const failed = failedOf(diary.refusals)
    const refused = diary.counts.refused + diary.counts.unavailable - failed
    return { acked, refused, failed, unknown, turned_away: balancer.counts.refused }
  }
  const before = now()
  diary.slowest_ms = 0
  return () => {
    const after = now()
    const since = (name: keyof typeof after) => after[name] - before[name]
    return {
      acked: since('acked'),
      refused: since('refused'),
      failed: since('failed'),
      unknown: since('unknown'),
      turned_away: since('turned_away'),
      slowest_ms: diary.slowest_ms,
    }
  }
}

/** A Directory Server that is away is what some cards ask for. */
function failedOf(refusals: Map<string, number>): number {
  const failed = [...refusals].filter(([code]) => code.startsWith('5') && code !== '503 three_ds_provider_unavailable')
  return failed.reduce((sum, [, count]) => sum + count, 0)
}

/** Where a process takes requests until the proxy has turned away, nothing is refused, and nothing is cut. */
export function faultsOfPhase(phase: Phase, drain_seconds: number): string[] {
  const { step, acked, failed, unknown, turned_away } = phase
  const is_abrupt = step.stops && !(step.stops.drains && drain_seconds > 0)
  const at = `${step.running}, ${changeOf(step)}`
  return [
    ...(acked === 0 ? [`${at}: nothing was acknowledged`] : []),
    ...(failed > 0 ? [`${at}: ${failed} answers were a 5xx`] : []),
    ...(unknown > 0 && !is_abrupt ? [`${at}: ${unknown} requests had no answer`] : []),
    ...(turned_away > 0 && !is_abrupt ? [`${at}: ${turned_away} connections were refused`] : []),
  ]
}

const changeOf = ({ starts, stops }: Step) =>
  starts ? `${starts.name} starts` : stops ? `${stops.name} stops` : 'begin'

function describePhase(phase: Phase): string {
  const { step, acked, refused, failed, unknown, turned_away, slowest_ms } = phase
  return [
    step.running.padEnd(13),
    changeOf(step).padEnd(12),
    ...[`${acked} acked`, `${refused} refused`, `${failed} failed`, `${unknown} unknown`],
    ...[`${turned_away} turned away`, `slowest ${Math.round(slowest_ms)} ms`],
  ].join('  ')
}
