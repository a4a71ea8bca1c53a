// Some faults on the wires of a running service: nothing is lost, and it goes on by itself. `npm run wire` has them all.

import { expect, test } from 'vitest'
import { openChance } from '../../proofs/simulate/chance.ts'
import { breakLink, type FaultName } from '../../proofs/wire/faults.ts'
import { type LinkName, openStage } from '../../proofs/wire/stage.ts'
import { freshDatabase } from '../support/database.ts'

const lasts_ms = 1_000

const rows: [LinkName, FaultName[]][] = [
  ['database', ['cut after the effect', 'half_open']],
  ['directory_server', ['cut on the way back', 'half_open']],
  ['receivers', ['stall', 'cut after the effect']],
]

test.concurrent.each(rows)(
  '%s: %j',
  async (link, faults) => {
    const database = await freshDatabase()
    const chance = openChance(link)
    const stage = await openStage(database, chance)
    try {
      for (const fault of faults) {
        const row = await breakLink(stage, chance, { link, fault, lasts_ms })
        expect(row.broken, fault).toEqual([])
        expect(row.acked, fault).toBeGreaterThan(0)
      }
      expect(await stage.judge()).toEqual([])
    } finally {
      await stage.close()
      await database.drop()
    }
  },
  120_000,
)
