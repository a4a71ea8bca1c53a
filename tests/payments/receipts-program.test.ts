// The program itself with a mail server: it sends receipts, and one that is killed while it sends leaves none to be sent twice.

import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { open, type ServiceResources } from '../../src/service/resources.ts'
import { openClient } from '../support/client.ts'
import { type MailServer, openMailServer } from '../support/mail-server.ts'
import { type Staying, serve } from '../support/programs.ts'
import { until } from '../support/service.ts'
import { removeData } from '../support/setup-database.ts'

const data_dir = mkdtempSync(`${tmpdir()}/ripper-tests-${process.pid}-`)
const env = { RIPPER_DATA_DIR: data_dir, RIPPER_PORT: '0' }
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

let opened: ServiceResources
let mail: MailServer
const running = new Set<Staying>()
beforeAll(async () => {
  // As root, the server's user has to come through.
  chmodSync(data_dir, 0o711)
  // Keeps the database for when no program runs.
  opened = await open(readConfig({ ...env, RIPPER_LOG_LEVEL: 'silent' }))
  mail = await openMailServer()
})
afterEach(async () => {
  for (const program of running) await program.stop('SIGKILL')
  running.clear()
})
afterAll(async () => {
  await mail.close()
  await opened.database.close()
  removeData(data_dir)
})

async function run(more: Record<string, string> = {}) {
  const sends = {
    RIPPER_SMTP_URL: `smtp://127.0.0.1:${mail.address.port}`,
    RIPPER_MAIL_FROM: 'receipts@pay.example',
  }
  const program = await serve({ env: { ...env, ...sends, ...more } })
  running.add(program)
  const { base_url, secret_key, publishable_key } = program.said as Record<string, string>
  const client = openClient({ base_url: base_url!, secret_key: secret_key! })
  const { body } = await client.send('GET', `/v1/checkout/config/${publishable_key}`)
  return { program, client, receipts_sent: body.receipts_sent as boolean }
}

const senders = async () => {
  const rows = await opened.database.sql<{ mode: string }[]>`
    select mode from receipt_senders order by mode`
  return rows.map(({ mode }) => mode)
}

/** Waits until receipts have ended so, one after the other. The job looks every five seconds. */
async function ended(changes: string[]): Promise<void> {
  const look = async () => {
    const rows = await opened.database.sql<{ change: string }[]>`
      select change from journal where change like 'receipt.%' order by entry_id`
    expect(rows.map(({ change }) => change)).toEqual(changes)
  }
  await vi.waitFor(look, { timeout: 40_000, interval: 50 })
}

test('test payments have receipts only where a setting says so', async () => {
  const { client, receipts_sent } = await run()
  expect(receipts_sent).toBe(false)
  expect(await until(senders, ({ length }) => length > 0)).toEqual(['live'])
  expect((await client.pay()).body.status).toBe('captured')
  expect(await opened.database.sql`select 1 from receipt_queue`).toHaveLength(0)
})

test('a receipt is sent once, though the program is killed when the server has it', async () => {
  const { program, client, receipts_sent } = await run({ RIPPER_MAIL_TEST_MODE: 'on' })
  expect(receipts_sent).toBe(true)
  await until(senders, ({ length }) => length === 2)
  expect((await client.pay()).body.status).toBe('captured')
  await ended(['receipt.sent'])
  expect(mail.letters).toHaveLength(1)

  mail.meet('silent_after')
  const met = mail.met()
  expect((await client.pay()).body.status).toBe('captured')
  await met
  expect((await program.stop('SIGKILL')).status).toBe(128)

  await run({ RIPPER_MAIL_TEST_MODE: 'on', RIPPER_CLOCK_OFFSET_SECONDS: '600' })
  await ended(['receipt.sent', 'receipt.unknown'])
  expect(mail.letters).toHaveLength(1)
})
