// `ripper migrate`: brings the database up to this version.

import { readConfig } from '../config/config.ts'
import { distribute, makeCells } from '../database/cells/distribute.ts'
import { migrate } from '../database/migrate.ts'
import type { Sql } from '../database/open.ts'
import { openBareDatabase } from './command-context.ts'
import { command, flag, option, wholeNumber, withDefault } from './terminal/option.ts'
import { printJson } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

export const migrateCommand = command({
  name: 'migrate',
  summary: 'Brings the database up to this version; safe while the service runs',
  options: {
    distribute: flag('spread the tables of an empty database over the nodes of Citus'),
    // Each cell may get a machine of its own. A process holds connections to each.
    shards: withDefault(option('N', 'with --distribute: over so many cells; by default 32', wholeNumber(1_024)), 32),
  },
  async run({ options: { distribute: spreads, shards }, json }) {
    const { sql, clock, log, description, close } = await openBareDatabase(readConfig(terminal().environment))
    try {
      const applied = await migrate({ sql, clock, log })
      const cells = spreads ? await spread(sql, shards) : null
      if (json) {
        printJson(cells === null ? { applied } : { applied, cells })
        return
      }
      const words = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`
      const places = cells === null ? '' : `, ${cells} cells made`
      terminal().stdout.write(`${description}: ${words}${places}.\n`)
    } finally {
      await close()
    }
  },
})

/** Safe to repeat: cells are made anew, as after a node was added and shards were moved to it. */
async function spread(sql: Sql, shards: number): Promise<number> {
  await distribute(sql, shards)
  return makeCells(sql)
}
