// A service as it is started, on a database that is there, and merchants of it.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { makeMerchant } from '../../bench/merchants.ts'
import { cellOf, cellsOf } from '../../src/database/cells/cells.ts'
import { openDatabase } from '../../src/database/open.ts'
import { openIds } from '../../src/kernel/ids.ts'
import { openKeyring } from '../../src/kernel/keyring.ts'
import type { ManageContext } from '../../src/merchants/manage.ts'
import { quiet, realClock } from '../../tests/support/world.ts'

/** `node`: where its rows are; `one` where there is one server. */
export type Merchant = { merchant_id: string; secret_key: string; node: string }

const ripper = fileURLToPath(new URL('../../bin/ripper.mjs', import.meta.url))

export type Service = { base_url: string; pid: number; stop(): Promise<void> }

/** The service as it is started, on a database that is there. */
export async function startOn(url: string, data_dir: string, key: Buffer): Promise<Service> {
  const child = spawn(process.execPath, ['--max-semi-space-size=16', ripper, 'serve', '--json'], {
    stdio: ['ignore', 'pipe', openSync(`${data_dir}/service.log`, 'a', 0o600)],
    env: {
      ...process.env,
      ...{ RIPPER_DATABASE_URL: url, RIPPER_DATA_DIR: data_dir, RIPPER_PORT: '0' },
      ...{ RIPPER_GATEWAY_LIMIT: '0', RIPPER_LOG_LEVEL: 'warn' },
      RIPPER_MASTER_KEY: key.toString('base64'),
    },
  })
  const base_url = await addressOf(child)
  return {
    ...{ base_url, pid: child.pid! },
    stop: () =>
      new Promise((ended) => {
        child.once('close', () => ended())
        child.kill('SIGTERM')
      }),
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let said = ''
    child.once('close', () => failed(new Error(`the service did not start: ${said}`)))
    child.stdout!.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const [, base_url] = /"base_url": "([^"]+)"/.exec(said) ?? []
      if (base_url) found(base_url)
    })
  })
}

/** Merchants until each node has so many of them. */
export async function makeMerchants(
  url: string,
  key: Buffer,
  of_each: number,
): Promise<Merchant[]> {
  const database = await openDatabase({
    ...{ url, data_dir: '', connections_max: 2, log: quiet, clock: realClock },
  })
  const random = { bytes: randomBytes }
  const office: ManageContext = {
    ...{ sql: database.sql, clock: realClock, actor: 'operator' },
    ids: openIds(random, openKeyring([key], random)),
  }
  const nodes = new Map<string, Merchant[]>()
  for (const { node } of cellsOf(database.sql)) nodes.set(node ?? 'one', [])
  try {
    while ([...nodes.values()].some((own) => own.length < of_each)) {
      const made = await makeMerchant(office)
      const own = await cellOf(database.sql, made.merchant_id)
      const node = cellsOf(database.sql).find((cell) => cell.sql === own)!.node ?? 'one'
      if (nodes.get(node)!.length < of_each) nodes.get(node)!.push({ ...made, node })
    }
    return [...nodes.values()].flat()
  } finally {
    await database.close()
  }
}
