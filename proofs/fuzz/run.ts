// `npm run fuzz -- --seed N --requests N [--only INDEX]`: sends what the description allows and what it does not.

import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open.ts'
import { newDataFolder, removeData } from '../../tests/support/setup-database.ts'
import { quiet, realClock } from '../../tests/support/world.ts'
import { count, readAsked } from '../asked.ts'
import { runCampaign } from './campaign.ts'
import { print } from './report.ts'
import { startTarget } from './target.ts'

const asked = readAsked('fuzz', {
  seed: count(null, 0),
  requests: count(20_000),
  only: count(null, 0),
})
const { requests, only } = asked
const seed = asked.seed ?? Math.floor(Math.random() * 2 ** 31)

// Who ends it leaves no database server behind, and sees what was found.
let is_over = false
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    is_over = true
  })
}

const data_dir = newDataFolder()
process.exitCode = 1
try {
  const options = { data_dir, connections_max: 8, log: quiet, clock: realClock }
  const database = await openDatabase({ url: null, ...options })
  await migrate({ sql: database.sql, log: quiet, clock: realClock })
  // The service closes the database that it opened.
  const service = await startTarget({ url: '', open: async () => database, drop: async () => {} })
  try {
    const report = await runCampaign(service, {
      seed,
      requests,
      only,
      isOver: () => is_over,
      onFailure: ({ index, operation, faults }) =>
        console.error(`request ${index}, ${operation}: ${faults.join('; ')}`),
      onProgress: (done, failures) => console.error(`${done} requests, ${failures} failures`),
    })
    process.exitCode = print(report, { seed, is_long: only === null && report.sent >= 10_000 })
  } finally {
    await service.close()
  }
} finally {
  removeData(data_dir)
}
