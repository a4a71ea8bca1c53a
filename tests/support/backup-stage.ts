// A shop on an embedded database that is copied and put back, and a bank whose books are not: what the tests of backups
// begin with.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifyChain } from '../../src/audit/verify-chain.ts'
import { rowValues } from '../../src/database/driver/rows.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase, type Sql } from '../../src/database/open.ts'
import type { Clock } from '../../src/kernel/world.ts'
import { type Client, openClient, purchase } from './client.ts'
import type { FreshDatabase } from './database.ts'
import { readGuide, withChanges } from './guide-blocks.ts'
import { loopback, type Service, startService } from './service.ts'
import { newDataFolder, removeData } from './setup-database.ts'
import { openWebhookReceiver } from './webhook-receiver.ts'
import { quiet, realClock } from './world.ts'

/** A running shop, under the account that was made before the backup. */
export type Shop = {
  service: Service
  client: Client
  /** So many more, captured. Returns their ids. */
  pay(count: number): Promise<string[]>
  /** What `ripper audit verify` says of the merchant's journal, ten seconds on. */
  verify(...heads: string[]): ReturnType<typeof verifyChain>
  stop(): Promise<void>
  /** For commands on the same database. */
  env: Record<string, string>
}

/** A backup with two payments, of which a receiver was not told yet. */
export async function makeBackup() {
  let ahead_ms = 0
  let restored = 0
  const clock: Clock = {
    ...realClock,
    now: () => new Date(realClock.now().getTime() + ahead_ms),
  }
  const master_key = randomBytes(32)
  const place = newDataFolder()
  const backup = join(place, 'backup')
  const receiver = await openWebhookReceiver()
  await make(join(place, 'first'))
  const first = await startIn(join(place, 'first'))
  const { merchant_id, secret_key } = first.account
  const shop = shopOf(first, join(place, 'first'))
  await shop.client.createEndpoint({ url: receiver.url })
  const payment_ids = await shop.pay(2)
  const { body: order } = await shop.client.create(purchase, 'before')
  await shop.client.reference(order)
  const head = hashOf(await shop.verify())
  await shop.stop()
  copy(join(place, 'first'), backup)

  function startIn(data_dir: string, options: object = {}): Promise<Service> {
    const database = embeddedIn(data_dir)
    return startService({ database, clock, master_key, allowed_networks: loopback, ...options })
  }

  function envOf(data_dir: string): Record<string, string> {
    return { RIPPER_DATA_DIR: data_dir, RIPPER_MASTER_KEY: master_key.toString('base64') }
  }

  function shopOf(service: Service, data_dir: string): Shop {
    const client = openClient({ base_url: service.base_url, secret_key })
    return {
      service,
      client,
      env: envOf(data_dir),
      async pay(count) {
        const ids: string[] = []
        for (let each = 0; each < count; each++) {
          const { body } = await client.pay()
          expect(body).toMatchObject({ status: 'captured' })
          ids.push(body.payment_id)
        }
        return ids
      },
      async verify(...heads) {
        ahead_ms += 10_000
        const sealer = { sql: service.sql, world: { clock } }
        return verifyChain(sealer, merchant_id, new Set(heads))
      },
      stop: () => service.close(),
    }
  }

  return {
    receiver,
    payment_ids,
    order,
    head,
    pass(duration_ms: number) {
      ahead_ms += duration_ms
    },
    /** Puts the backup into a data folder, and starts the service on it. */
    async restore(before: (shop: Pick<Shop, 'env'>) => Promise<unknown> = async () => {}) {
      restored += 1
      const data_dir = join(place, `restored-${restored}`)
      copy(backup, data_dir)
      await before({ env: envOf(data_dir) })
      return shopOf(await startIn(data_dir, { deliver: {} }), data_dir)
    },
    async remove() {
      await receiver.close()
      removeData(place)
    },
  }
}

/** The hash of a chain's head. */
export function hashOf({ head }: Awaited<ReturnType<typeof verifyChain>>): string {
  return head!.hash.toString('hex')
}

/** The bank's own books, which no backup of ours has. */
export async function bankBooks(sql: Sql): Promise<Record<string, unknown>[]> {
  return sql`select * from simulator.ledger`
}

/** Writes into a restored database what the bank has known all the time. */
export async function keepBankBooks(sql: Sql, books: Record<string, unknown>[]): Promise<void> {
  for (const line of books) {
    await sql`insert into simulator.ledger ${rowValues(sql, line)} on conflict do nothing`
  }
}

/** As the guide says. */
function copy(from: string, to: string): void {
  const { blocks } = readGuide('docs/operations/backup.md')
  const command = withChanges(blocks['embedded-backup']!, {
    '.ripper': from,
    '/backups/ripper': to,
  })
  execFileSync('sh', ['-euc', command])
}

/** With its tables, and nothing in them. */
export async function make(data_dir: string): Promise<void> {
  const { sql, close } = await embeddedIn(data_dir).open()
  await migrate({ sql, log: quiet, clock: realClock })
  await close()
}

export function embeddedIn(data_dir: string): FreshDatabase {
  const common = { url: null, data_dir, connections_max: 5, log: quiet, clock: realClock }
  return {
    url: '',
    open: (options = {}) => openDatabase({ ...common, ...options }),
    drop: async () => {},
  }
}
