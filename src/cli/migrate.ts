// `ripper migrate`: brings the database up to this version.

import { readConfig } from '../config/config.ts'
import { migrate } from '../database/migrate.ts'
import { openDatabase } from '../database/open.ts'
import { openWorld } from '../outgoing/real-world.ts'
import type { Command } from './terminal/command.ts'
import { printJson } from './terminal/print.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Brings the database up to this version; safe while the service runs',
  options: {},
  async run({ json }) {
    const config = readConfig()
    const { clock, log } = openWorld({ ...config, log_level: 'error' })
    const { data_dir, database_url: url } = config
    const database = await openDatabase({ url, data_dir, connections_max: 1, clock, log })
    try {
      const applied = await migrate({ sql: database.sql, clock, log })
      if (json) {
        printJson({ applied })
        return
      }
      const words = applied.length === 0 ? 'nothing to do' : `applied ${applied.join(', ')}`
      process.stdout.write(`${database.description}: ${words}.\n`)
    } finally {
      await database.close()
    }
  },
}
