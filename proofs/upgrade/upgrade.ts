// An upgrade under load, and the way back: what both `npm run upgrade` and its test run.

import { open, type ServiceResources } from '../../src/service/resources.ts'
import { openChance } from '../simulate/chance.ts'
import type { CreatingKind, Street } from '../storm/asking.ts'
import { openGround } from '../storm/ground.ts'
import { askAgain, unrestOf } from '../storm/rest.ts'
import type { Market } from '../storm/shops.ts'
import { judgeWhole } from '../storm/verdict.ts'
import { openBalancer } from './balancer.ts'
import { faultsOfPhase, type Phase, upgradeUnderLoad, type WayBack } from './course.ts'
import { openFleet } from './fleet.ts'
import { openMarket } from './market.ts'
import { type Release, thisRelease } from './release.ts'

export type UpgradeOptions = {
  old: Release
  seed: string
  /** Of load, in all. */
  seconds: number
  shoppers: number
  shops: number
  /** Whether the old release is then started again beside the new one, and so on. */
  returns: boolean
  /** For how long a stopping process still takes requests, where its release knows how. */
  drain_seconds: number
  tell(line: string): void
}

export type UpgradeReport = {
  phases: Phase[]
  way_back: WayBack
  refusals: Map<string, number>
  errors: Map<string, number>
  keys: number
  faults: string[]
  /** Where logs are kept; null where nothing was wrong. */
  folder: string | null
}

export async function runUpgrade(asked: UpgradeOptions): Promise<UpgradeReport> {
  const chance = openChance(asked.seed)
  const ground = openGround(`upgrade-${asked.seed}`, {
    RIPPER_DRAIN_SECONDS: String(asked.drain_seconds),
  })
  const { env, config, diary, log_file } = ground
  const balancer = await openBalancer()
  const place = { env, log_file, errors: new Map<string, number>() }
  const fleet = openFleet(place, balancer)
  let market: Market | null = null
  let opened: ServiceResources | null = null
  try {
    const refused = await fleet.start(asked.old)
    if (refused !== null) throw new Error(`the old release does not start: ${refused}`)
    const { old: release, shops: count } = asked
    market = await openMarket({ release, env, chance: chance.fork('receivers'), count })
    const street: Street = {
      diary,
      addresses: () => [balancer.base_url],
      loses_answers: false,
      kinds: await kindsOf(balancer.base_url),
      timeout_ms: 30_000,
      give_up_ms: performance.now() + asked.seconds * 1000 + 120_000,
    }
    const course = { ...asked, fleet, street, market, chance, balancer }
    const { phases, way_back } = await upgradeUnderLoad(course)

    asked.tell('the load has stopped')
    await askAgain(street, chance.fork('again'))
    opened = await open(config)
    const unrest = await unrestOf(opened)
    await fleet.stopAll()
    const { faults: found } = await judgeWhole({ opened, diary, market, ahead_ms: 0 })
    const lost = phases.flatMap((phase) => faultsOfPhase(phase, asked.drain_seconds))
    const stranded = faultsOfWayBack(way_back, release)
    const faults = [...new Set([...fleet.faults, ...lost, ...stranded, ...unrest, ...found])]
    return {
      phases,
      way_back,
      faults,
      folder: ground.judge(faults),
      refusals: diary.refusals,
      errors: place.errors,
      keys: diary.promises.length,
    }
  } finally {
    await fleet.stopAll('SIGKILL')
    await market?.close()
    await balancer.close()
    await ground.close(opened)
  }
}

/** Only a database that it does not know may keep the old release from running again. */
function faultsOfWayBack(way_back: WayBack, old: Release): string[] {
  if (typeof way_back === 'string' || old.migration < thisRelease().migration) return []
  return [`the old release does not start again: ${way_back.refused}`]
}

async function kindsOf(base_url: string): Promise<CreatingKind[]> {
  const { paths } = (await (await fetch(`${base_url}/openapi.json`)).json()) as { paths: object }
  const all: [CreatingKind, string][] = [
    ['native', '/v1/checkout/sessions'],
    ['browser', '/v1/checkout/public/sessions'],
    ['compatible', '/v1/payment_intents'],
  ]
  return all.filter(([, path]) => path in paths).map(([kind]) => kind)
}
