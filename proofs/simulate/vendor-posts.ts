// The notices of a world's vendors: posted late, twice and out of order, and again until each is accepted.

import type { Clock } from '../../src/kernel/world.ts'
import type { Bank } from './bank/bank.ts'
import type { Chance } from './chance.ts'
import type { Faults } from './faults.ts'
import type { Plant } from './plants.ts'
import type { Scheduler } from './scheduler.ts'

export type VendorPosts = {
  /** Something may have happened at a vendor, or will. */
  changed(): void
  /** The connection of each account, in their order. */
  connection_ids: string[]
}

/** Whoever answers requests. Null where no answer came. */
type Recipient = {
  ask(post: {
    method: 'POST'
    path: string
    headers: Record<string, string>
    raw: string
  }): Promise<{ status: number } | null>
}

type PostParts = {
  scheduler: Scheduler
  clock: Clock
  chance: Chance
  faults: Faults
  bank: Bank
  plant: Plant
  town(): Recipient
}

const minute_ms = 60_000
/** How late at most: most come soon. */
const delays_ms = [2_000, 2_000, 2_000, 2_000, minute_ms, minute_ms, 30 * minute_ms]
const day_ms = 24 * 3_600_000
const twice_share = 0.2

export function openVendorPosts(parts: PostParts): VendorPosts {
  const { scheduler, clock, chance, faults, bank, plant, town } = parts
  const known = bank.accounts.map(() => new Set<string>())
  /** How much had happened at each when its notices were read last: to sign them all takes time. */
  const seen = bank.accounts.map(() => 0)
  const awaited = new Set<number>()
  const posts: VendorPosts = { connection_ids: [], changed }

  function changed(): void {
    if (bank.accounts.length > 0) lookAt(clock.now().getTime() + 1)
  }

  function lookAt(at_ms: number): void {
    if (awaited.has(at_ms)) return
    awaited.add(at_ms)
    scheduler.spawn(clock.sleep(at_ms - clock.now().getTime()).then(look))
  }

  function look(): void {
    const now_ms = clock.now().getTime()
    for (const [account, vendor] of bank.accounts.entries()) {
      const moments = vendor.moments()
      for (const at of moments) if (at.getTime() >= now_ms) lookAt(at.getTime() + 1)
      const happened = moments.filter((at) => at.getTime() <= now_ms).length
      if (happened === seen[account]) continue
      seen[account] = happened
      for (const { name } of vendor.posts()) {
        if (known[account]!.has(name) || vendor.untold.has(name)) continue
        known[account]!.add(name)
        const times = chance.often(twice_share) ? 2 : 1
        for (let each = 0; each < times; each++) scheduler.spawn(deliver(account, name))
      }
    }
  }

  async function deliver(account: number, name: string): Promise<void> {
    await clock.sleep(faults.happens('vendor: a notice comes a day late') ? day_ms : delay())
    const path = `/acquirers/${posts.connection_ids[account]}/notices`
    for (;;) {
      // As it is signed now.
      const { headers, body } = bank.accounts[account]!.posts().find((each) => each.name === name)!
      if (plant.notices && !plant.notices(body)) return
      const answer = await town().ask({ method: 'POST', path, headers, raw: body })
      if (answer?.status === 200) return
      await clock.sleep(5_000 + chance.below(minute_ms))
    }
  }

  function delay(): number {
    if (!faults.are_on()) return chance.below(2_000)
    return chance.below(chance.pick(delays_ms))
  }

  return posts
}
