// `ripper migrate`: brings the database up to this version.

import { readConfig } from '../config/config.ts'
import { distribute, makeCells } from '../database/cells/distribute.ts'
import { migrate } from '../database/migrate.ts'
import { openDatabase, type Sql } from '../database/open.ts'
import { openWorld } from '../outgoing/real-world.ts'
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
    const config = readConfig(terminal().environment)
    const { clock, log } = openWorld({ ...config, log_level: 'error' }, terminal().stderr)
    const { data_dir, database_url: url } = config
    const database = await openDatabase({ url, data_dir, connections_max: 1, clock, log })
    try {
      const applied = await migrate({ sql: database.sql, clock, log })
      const cells = spreads ? await spread(database.sql, shards) : null
      if (json) {
        printJson(cells === null ? { applied } : { applied, cells })
        return
      }
      const words = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`
      const places = cells === null ? '' : `, ${cells} cells made`
      terminal().stdout.write(`${database.description}: ${words}${places}.\n`)
    } finally {
      await database.close()
    }
  },
})

/** Safe to repeat: cells are made anew, as after a node was added and shards were moved to it. */
async function spread(sql: Sql, shards: number): Promise<number> {
  await distribute(sql, shards)
  return makeCells(sql)
}
