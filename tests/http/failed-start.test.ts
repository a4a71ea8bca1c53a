// A start that fails ends its process, however far it came, so that whoever watches over it starts it again.

import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { freshDatabase } from '../support/database.ts'
import { ripperProgram } from '../support/programs.ts'

test.each([
  ['serve', 'service_clock', 'tells the others that it is there'],
  ['serve', 'users', 'has begun its jobs'],
  ['worker', 'installation', 'has heard of the others'],
] as const)('%s without the table %s ends once it %s', async (command, table, _point) => {
  const database = await freshDatabase()
  const { sql, close } = await database.open()
  await sql.unsafe(`alter table ${table} rename to away`)
  const { status, stderr } = await ripperProgram([command, '--json'], {
    env: {
      RIPPER_DATABASE_URL: database.url,
      RIPPER_MASTER_KEY: randomBytes(32).toString('base64'),
      RIPPER_PORT: '0',
      RIPPER_DATABASE_CONNECTIONS: '2',
      RIPPER_LOG_LEVEL: 'silent',
    },
  })
  expect(stderr).toContain(`ripper ${command}: relation "${table}" does not exist`)
  expect(status).toBe(1)
  await close()
  await database.drop()
})
