// Links that stop one by one in one random order, and come back one by one in another, while shoppers pay.

import { realClock } from '../../tests/support/world.ts'
import type { Chance } from '../simulate/chance.ts'
import { shopUntil } from './faults.ts'
import type { Link } from './link.ts'
import type { Stage } from './stage.ts'

const pause_ms = 800

export async function swizzleClog(stage: Stage, chance: Chance, { rounds }: { rounds: number }): Promise<void> {
  const links = Object.values(stage.links).flat()
  const lasts_ms = rounds * 2 * links.length * (pause_ms / 2)
  const shopping = shopUntil(stage, chance.fork('shoppers'), performance.now() + lasts_ms)
  for (let round = 0; round < rounds; round += 1) {
    await each(shuffled(links, chance), chance, (link) =>
      link.break(chance.pick([{ kind: 'stall' }, { kind: 'reset' }, { kind: 'half_open' }])),
    )
    await each(shuffled(links, chance), chance, (link) => link.heal())
  }
  await shopping
}

async function each(links: Link[], chance: Chance, change: (link: Link) => void): Promise<void> {
  for (const link of links) {
    change(link)
    await realClock.sleep(chance.below(pause_ms))
  }
}

function shuffled<T>(all: readonly T[], chance: Chance): T[] {
  return all
    .map((one) => ({ one, place: chance.next() }))
    .sort((some, other) => some.place - other.place)
    .map(({ one }) => one)
}
