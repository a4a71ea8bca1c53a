// Opens the acquirers for whoever settles money: the service, a worker, a command.

import type { Acquirer } from '../acquirers/acquirer.ts'
import { acquirerFor, allAcquirers } from '../acquirers/open.ts'
import { openSimulator } from '../acquirers/simulator/simulator.ts'
import type { Context } from '../checkout/context.ts'
import { keepInstallation } from '../database/high-water/installation.ts'
import type { Sql } from '../database/open.ts'
import { openLedger } from '../database/stores/simulator-ledger.ts'
import type { World } from '../kernel/world.ts'

type Acquiring = Pick<Context, 'acquirerOf' | 'acquirers' | 'installation'>

/** Puts something between the service and the simulated acquirer: tests lose answers with it. */
export type WrapSimulator = (simulator: Acquirer) => Acquirer

export async function openAcquiring(
  sql: Sql,
  world: Pick<World, 'clock' | 'random'>,
  wrap: WrapSimulator = (simulator) => simulator,
): Promise<Acquiring> {
  const { clock, random } = world
  const simulator = wrap(openSimulator(world, openLedger(sql)))
  const installation_id = random.bytes(12).toString('hex')
  return {
    acquirerOf: (mode, connection) => acquirerFor({ mode, connection }, { simulator }),
    acquirers: allAcquirers({ simulator }),
    installation: await keepInstallation(sql, { installation_id, created_at: clock.now() }),
  }
}
