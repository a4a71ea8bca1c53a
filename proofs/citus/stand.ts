// A service as it is started, on a database that is there, and merchants of it.

import { randomBytes } from 'node:crypto'
import { makeMerchant } from '../../bench/merchants.ts'
import { type Started, startService } from '../../bench/service.ts'
import { cellOf, cellsOf } from '../../src/database/cells/cells.ts'
import { openDatabase } from '../../src/database/open.ts'
import { openIds } from '../../src/kernel/ids.ts'
import { openKeyring } from '../../src/kernel/keyring.ts'
import type { ManageContext } from '../../src/merchants/manage.ts'
import { quiet, realClock } from '../../tests/support/world.ts'

/** `node`: where its rows are; `one` where there is one server. */
export type Merchant = { merchant_id: string; secret_key: string; node: string }

export type Service = Pick<Started, 'base_url' | 'pid' | 'stop'>

/** The service as it is started, on a database that is there. */
export function startOn(url: string, data_dir: string, key: Buffer): Promise<Service> {
  const settings = { RIPPER_DATABASE_URL: url, RIPPER_MASTER_KEY: key.toString('base64') }
  return startService(data_dir, { settings })
}

/** Merchants until each node has so many of them. */
export async function makeMerchants(url: string, key: Buffer, of_each: number): Promise<Merchant[]> {
  const database = await openDatabase({ url, data_dir: '', connections_max: 2, log: quiet, clock: realClock })
  const random = { bytes: randomBytes }
  const office: ManageContext = {
    sql: database.sql,
    clock: realClock,
    actor: 'operator',
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
