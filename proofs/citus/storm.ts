// A storm on the cluster: each node dies once and comes back while shoppers pay, beside all else that befalls processes.

import { realClock } from '../../tests/support/world.ts'
import type { Pair } from '../storm/pair.ts'
import type { StormReport } from '../storm/report.ts'
import { runStorm } from '../storm/storm.ts'
import type { Cluster } from './cluster.ts'
import { copyToOnePlace, type OnePlace } from './one-place.ts'

/** Longer than a request waits for the database. */
const away_ms = 5_000

type Asked = { seed: string; minutes: number; tell(line: string): void }

export async function stormOn(cluster: Cluster, { seed, minutes, tell }: Asked): Promise<StormReport> {
  const copies: OnePlace[] = []
  try {
    return await runStorm({
      seed,
      seconds: minutes * 60,
      shoppers: 8,
      hurries: true,
      failover: 'sync',
      tell,
      openServers: async () => nodesDieIn(cluster),
      async layTogether(opened) {
        const copied = await copyToOnePlace(opened)
        copies.push(copied)
        return copied.opened
      },
    })
  } finally {
    for (const copied of copies) await copied.close()
  }
}

/** In place of a failover. */
function nodesDieIn({ url, nodes }: Cluster): Pair {
  return {
    url,
    home: () => null,
    victim: () => null,
    lag() {},
    async failOver() {
      for (const node of nodes) {
        node.kill()
        await realClock.sleep(away_ms)
        await node.start()
      }
    },
    close: async () => {},
  }
}
