// `npm run libraries`: plays the table of scenarios through the other platform's own libraries, against a service of its own.

import { homedir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open.ts'
import { startService } from '../../tests/support/service.ts'
import { newDataFolder, removeData } from '../../tests/support/setup-database.ts'
import { quiet, realClock } from '../../tests/support/world.ts'
import { oneOf, readAsked, text } from '../asked.ts'
import { libraries, Missing } from './libraries.ts'
import { playThrough } from './play.ts'
import { scenarios } from './scenarios.ts'

const asked = readAsked('libraries', {
  only: oneOf(libraries.map(({ name }) => name)),
  cache: text('FOLDER', join(homedir(), '.cache', 'ripper', 'libraries')),
  php: text('FOLDER'),
  ruby: text('FOLDER'),
})
const place = { cache: asked.cache, folders: { php: asked.php, ruby: asked.ruby } }

const data_dir = newDataFolder()
process.exitCode = 2
try {
  const options = { data_dir, connections_max: 8, log: quiet, clock: realClock }
  const database = await openDatabase({ url: null, ...options })
  await migrate({ sql: database.sql, log: quiet, clock: realClock })
  // The service closes the database that it opened.
  const service = await startService({
    database: { url: '', open: async () => database, drop: async () => {} },
    deliver: {},
  })
  let faults = 0
  let count = 0
  try {
    for (const library of libraries.filter(({ name }) => name === (asked.only ?? name))) {
      try {
        const { version, outcomes } = await playThrough(service, library.prepare(place), scenarios)
        const misfits = outcomes.filter(({ fault }) => fault !== null)
        say(`${library.name} ${version}: ${outcomes.length - misfits.length} of ${outcomes.length}`)
        for (const { scenario, fault } of misfits) say(`  ${scenario}: ${fault}`)
        count += 1
        faults += misfits.length
      } catch (error) {
        if (!(error instanceof Missing)) throw error
        say(`${library.name}: skipped, ${error.message}`)
      }
    }
  } finally {
    await service.close()
  }
  process.exitCode = count === 0 ? 2 : faults === 0 ? 0 : 1
} finally {
  removeData(data_dir)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
