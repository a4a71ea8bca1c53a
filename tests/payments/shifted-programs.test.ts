// A shifted clock before a brake that is to be released.

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { freshDatabase } from '../support/database.ts'
import { answer, ripper, serve } from '../support/programs.ts'

test('while the clock is shifted no brake is released', async () => {
  const database = await freshDatabase()
  const env = {
    RIPPER_DATABASE_URL: database.url,
    RIPPER_MASTER_KEY: randomBytes(32).toString('base64'),
    RIPPER_PORT: '0',
    RIPPER_DATABASE_CONNECTIONS: '2',
  }
  const shifted = { ...env, RIPPER_CLOCK_OFFSET_SECONDS: '3600' }
  const first = await serve({ env })
  await answer(['orphan', 'brake', '--reason', 'restored'], { env })
  await first.stop()

  const second = await serve({ env: shifted })
  const { status, stderr } = await ripper(['orphan', 'release'], { env })
  expect(stderr).toContain("the service's clock is shifted")
  expect(status).toBe(1)
  await second.stop()
  await (await serve({ env })).stop()
  await database.drop()
})
