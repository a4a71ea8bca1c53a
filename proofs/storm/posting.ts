// How a storm's vendor posts its notices: late, twice and out of order, and again until each is accepted, as vendors do.

import { realClock } from '../../tests/support/world.ts'
import type { Chance } from '../simulate/chance.ts'
import type { NamedPost } from '../vendors/portal.ts'
import type { Vendor } from '../vendors/vendor.ts'

export type Posting = {
  /** Where services are. */
  addresses: string[]
  /** The connection of each vendor, in their order. */
  begin(connection_ids: string[]): void
  hurry(): void
  standing(): { waiting: number; posted: { accepted: number; twice: number; refused: number } }
}

type Waiting = { account: number; name: string; due_ms: number; is_repeat: boolean }

const looks_every_ms = 250
const timeout_ms = 5_000
const at_once = 8
const again_ms = { least: 500, more: 3_000 }
/** How late at most: most come soon. */
const late_ms = [300, 300, 300, 300, 8_000, 8_000, 45_000]
const twice_share = 0.2

export function openPosting(vendors: Vendor[], chance: Chance): Posting {
  const known = vendors.map(() => new Set<string>())
  const posted = { accepted: 0, twice: 0, refused: 0 }
  let queue: Waiting[] = []
  let under_way = 0
  let is_hurried = false
  const posting: Posting = {
    addresses: [],
    begin(connection_ids) {
      void run(connection_ids)
    },
    hurry() {
      is_hurried = true
      for (const each of queue) each.due_ms = 0
    },
    standing: () => ({ waiting: queue.length + under_way, posted }),
  }

  function delay(): number {
    if (is_hurried) return chance.below(300)
    return chance.below(chance.pick(late_ms))
  }

  function notice(account: number, { name }: NamedPost): void {
    if (known[account]!.has(name)) return
    known[account]!.add(name)
    const now_ms = performance.now()
    const times = chance.often(twice_share) ? 2 : 1
    for (let each = 0; each < times; each += 1) {
      queue.push({ account, name, due_ms: now_ms + delay(), is_repeat: each > 0 })
    }
  }

  async function post(url: string, { headers, body }: NamedPost): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(timeout_ms)
      const answer = await fetch(url, { method: 'POST', headers, body, signal })
      await answer.arrayBuffer()
      return answer.status === 200
    } catch {
      return false
    }
  }

  async function run(connection_ids: string[]): Promise<never> {
    for (;;) {
      // As they are signed now.
      const all = vendors.map((vendor) => new Map(vendor.posts().map((each) => [each.name, each])))
      for (const [account, posts] of all.entries()) {
        for (const each of posts.values()) notice(account, each)
      }
      const now_ms = performance.now()
      const due = queue.filter(({ due_ms }) => due_ms <= now_ms)
      queue = queue.filter(({ due_ms }) => due_ms > now_ms)
      under_way = due.length
      const working = Array.from({ length: at_once }, async () => {
        for (let each = due.pop(); each; each = due.pop()) {
          const { account, name, is_repeat } = each
          const address = posting.addresses.length > 0 && chance.pick(posting.addresses)
          const path = `/acquirers/${connection_ids[account]}/notices`
          const is_done = address && (await post(`${address}${path}`, all[account]!.get(name)!))
          if (is_done) posted[is_repeat ? 'twice' : 'accepted'] += 1
          else {
            posted.refused += 1
            const due_ms = performance.now() + again_ms.least + chance.below(again_ms.more)
            queue.push({ ...each, due_ms })
          }
          under_way -= 1
        }
      })
      await Promise.all(working)
      await realClock.sleep(looks_every_ms)
    }
  }

  return posting
}
