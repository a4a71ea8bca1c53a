// Whether the simulated bank runs: as RIPPER_SIMULATOR says, and otherwise until there is a live merchant.

import type { Sql } from '../database/open.ts'
import type { World } from '../kernel/world.ts'
import { liveMerchantExists } from '../merchants/store.ts'

export type SimulatorSwitch = {
  isOn(): boolean
  /** Looks up whether there is a live merchant; called where accounts may have changed. Never throws. */
  look(): Promise<void>
}

/** How old the answer may be: a notification may be lost. */
const age_max_ms = 30_000

/**
 * `asked` is the operator's setting; null where there is none, and then the simulator is off until the first look-up.
 */
export function openSimulatorSwitch({
  asked,
  sql,
  world: { clock, log },
}: {
  asked: 'on' | 'off' | null
  sql: Sql
  world: Pick<World, 'clock' | 'log'>
}): SimulatorSwitch {
  if (asked !== null) return { isOn: () => asked === 'on', look: async () => {} }
  let is_on = false
  /** What the log said last, if anything. */
  let told_on = true
  let looked_ms = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    looked_ms = clock.now().getTime()
    try {
      is_on = !(await liveMerchantExists(sql))
    } catch {
      // It keeps its state while the database cannot be reached.
      return
    }
    if (is_on !== told_on) log.info({}, is_on ? words.on : words.off)
    told_on = is_on
  }

  return {
    look,
    isOn() {
      const age_ms = clock.now().getTime() - looked_ms
      if (age_ms < 0 || age_ms >= age_max_ms) void look()
      return is_on
    },
  }
}

const words = {
  on: 'test mode is on again: there is no live merchant any more',
  off: 'test mode is off: there is a live merchant, and RIPPER_SIMULATOR is not set to on',
}
