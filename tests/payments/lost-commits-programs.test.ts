// `ripper serve` on a database that was put back while it was stopped: the file in its data folder tells.

import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freshDatabase } from '../support/database.ts'
import { answer, serve } from '../support/programs.ts'
import { until } from '../support/service.ts'

test('a service that starts on an older database pulls the brake, and a new one none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ripper-lost-'))
  const database = await freshDatabase()
  const env = {
    RIPPER_DATABASE_URL: database.url,
    RIPPER_MASTER_KEY: randomBytes(32).toString('base64'),
    RIPPER_DATA_DIR: folder,
    RIPPER_PORT: '0',
  }
  const brakes = async () => (await answer(['orphan', 'list'], { env })).brakes
  const first = await serve({ env })
  await until(
    async () => existsSync(join(folder, 'high-water.json')),
    (isThere) => isThere,
  )
  await first.stop()
  expect(await brakes()).toEqual([])
  const { sql, close } = await database.open()
  // As a backup leaves it that was made before the service had ever run.
  await sql`truncate high_water_marks`
  await close()
  const second = await serve({ env })
  const pulled = await until(brakes, (each) => each.length > 0)
  expect(pulled).toMatchObject([
    { acquirer: '*', pulled_by: 'service', reason: expect.stringMatching(/is none, and was \d+/) },
  ])
  await second.stop()
  await database.drop()
  rmSync(folder, { recursive: true })
}, 60_000)
