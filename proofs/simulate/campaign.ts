// Many worlds, each with a seed of its own, and what came of them all. As many go on side by side as there are lanes: while one
// waits for its database, the others have the processor.

import { createHash } from 'node:crypto'
import { testCardOf } from '../../src/cards/test-cards.ts'
import type { BankKind } from './bank/kind.ts'
import { noted, shares } from './faults.ts'
import type { Lane } from './lanes.ts'
import { numbers } from './life.ts'
import { count } from './memory.ts'
import { plants } from './plants.ts'
import { invariants } from './violations.ts'
import type { WorldReport } from './world.ts'

export const lives_a_world = 50

export type Campaign = {
  seed: string
  lives: number
  /** Lives of one world; `lives_a_world` where it is left out. */
  a_world?: number
  /** One for each world that goes on at the same time. What a world does follows from its seed alone. */
  lanes: readonly Lane[]
  /** The name of a planted fault. */
  plant?: string | null
  /** Only this world of the campaign. */
  world?: number | null
  /** Of every world. Left out, each seed decides. */
  bank?: BankKind | null
  /** So many times as often vendors act by themselves. */
  habits?: number
  watch?: (line: string) => void
  tell?(line: string): void
}

/** What was counted in all worlds together. */
export type CampaignReport = Omit<WorldReport, 'violations' | 'tail'> & {
  lives: number
  worlds: number
  /** The world in which an invariant was broken, if any. */
  broken: { world: number; lives: number; report: WorldReport } | null
  seconds: number
}

/** Runs worlds until so many lives were lived, or an invariant is broken. What is reported ends with the first broken world. */
export async function runCampaign(campaign: Campaign): Promise<CampaignReport> {
  const { seed, lanes, plant = null, bank = null, habits = 1, watch, tell } = campaign
  const began_ms = performance.now()
  const total = nothingYet()
  const worlds = worldsOf(campaign)
  const ended = new Map<number, { lives: number; report: WorldReport }>()
  const first = campaign.world ?? 0
  let is_broken = false
  let told_ms = began_ms

  function addInOrder(): void {
    for (let at = first + total.worlds; !total.broken && ended.has(at); at++) {
      const { lives, report } = ended.get(at)!
      ended.delete(at)
      add(total, report, lives)
      if (report.violations.length > 0) total.broken = { world: at, lives, report }
    }
    total.seconds = (performance.now() - began_ms) / 1000
  }

  async function liveOn(lane: Lane): Promise<void> {
    for (const { world, lives } of worlds) {
      const order = { seed: `${seed}/${world}`, lives, plant, habits }
      const report = await lane({ ...order, ...(bank && { bank }), ...(watch && { watch }) })
      ended.set(world, { lives, report })
      is_broken ||= report.violations.length > 0
      addInOrder()
      if (is_broken) return
      if (performance.now() - told_ms > 5_000) {
        told_ms = performance.now()
        tell?.(progressOf(total))
      }
    }
  }

  const all = await Promise.allSettled(lanes.map(liveOn))
  for (const each of all) if (each.status === 'rejected') throw each.reason
  return total
}

/** Each once, for whoever has time for it. */
function worldsOf({ lives, world, a_world = lives_a_world }: Campaign): Iterable<{ world: number; lives: number }> {
  const is_alone = world !== undefined && world !== null
  const count = is_alone ? 1 : Math.ceil(lives / a_world)
  let next = 0
  return {
    [Symbol.iterator]: () => ({
      next() {
        if (next === count) return { done: true, value: undefined }
        const before = next++
        const left = is_alone ? lives : lives - before * a_world
        const value = { world: (world ?? 0) + before, lives: Math.min(a_world, left) }
        return { done: false, value }
      },
    }),
  }
}

function nothingYet(): CampaignReport {
  const counts = { crashes: 0, requests: 0, steps: 0, met: 0, met_two: 0, waited: 0, excused: 0 }
  return {
    ...counts,
    lives: 0,
    worlds: 0,
    broken: null,
    hash: '',
    simulated_ms: 0,
    webhooks: 0,
    seconds: 0,
    faults: new Map(),
    cards: new Map(),
    outcomes: new Map(),
  }
}

function add(total: CampaignReport, report: WorldReport, lives: number): void {
  total.lives += lives
  total.worlds += 1
  total.hash = createHash('sha256').update(total.hash).update(report.hash).digest('hex')
  for (const name of [
    'crashes',
    'requests',
    'steps',
    'met',
    'met_two',
    'waited',
    'simulated_ms',
    'webhooks',
    'excused',
  ] as const) {
    total[name] += report[name]
  }
  for (const name of ['faults', 'cards', 'outcomes'] as const) {
    for (const [what, many] of report[name]) count(total[name], what, many)
  }
}

function progressOf({ lives, crashes, seconds, simulated_ms }: CampaignReport): string {
  const days = (simulated_ms / 86_400_000).toFixed(0)
  const rate = (lives / seconds).toFixed(1)
  return `${lives} lives, ${crashes} crashes, ${days} days; ${rate} lives a second`
}

/** What a campaign did, for people. */
export function describeCampaign(report: CampaignReport): string[] {
  const listed = (counts: Map<string, number>) =>
    [...counts].toSorted(([, a], [, b]) => b - a).map(([name, many]) => `  ${many}  ${name}`)
  const kinds = new Set(
    numbers.map((number) => {
      const { ranges, three_ds, acquirer } = testCardOf(number)!
      return `${ranges}, ${three_ds}, ${acquirer}`
    }),
  )
  const met = [...kinds].filter((kind) => report.cards.has(kind)).length
  const all_faults = [...Object.keys(shares), ...noted]
  const injected = all_faults.filter((kind) => report.faults.has(kind)).length
  return [
    `${report.lives} lives in ${report.worlds} worlds, ${report.requests} requests, ${report.webhooks} events received`,
    'confirmed:',
    ...listed(report.outcomes),
    `faults, ${injected} of ${all_faults.length} kinds; ${report.crashes} crashes:`,
    ...listed(report.faults),
    `${report.met} statements met another before it was committed, ${report.met_two} two others; ${report.waited} waited`,
    `${report.excused} findings are about what the database lost by going back, and excused`,
    `cards: ${met} of ${kinds.size} kinds`,
    `invariants judged: ${Object.keys(invariants).join(' ')}`,
    progressOf(report),
    `trace ${report.hash}`,
  ]
}

export type PlantResult = { name: string; lives: number | null; by: string }

/**
 * Runs every plant until it is found, as many side by side as there are lanes; `lives` is null where it was not, in so many
 * lives. It prints what it finds at once, and returns all of it in order.
 */
export async function findPlants(
  lanes: readonly Lane[],
  { names = Object.keys(plants), ...campaign }: Omit<Campaign, 'lanes'> & { names?: string[] },
  tell: (found: PlantResult) => void = () => {},
): Promise<PlantResult[]> {
  const all: PlantResult[] = []
  const left = names.entries()
  await Promise.all(
    lanes.map(async (lane) => {
      for (const [at, name] of left) {
        const report = await runCampaign({ ...campaign, lanes: [lane], plant: name })
        const violation = report.broken?.report.violations[0]
        const by = violation ? `${violation.invariant}: ${violation.fault}` : ''
        const found = { name, lives: violation ? report.lives : null, by }
        all[at] = found
        tell(found)
      }
    }),
  )
  return all
}
