// Where a storm's processes keep their data: the embedded database of one folder, or two servers of which one may die for good.

import { randomBytes } from 'node:crypto'
import { findHome, type Home } from '../../src/database/embedded/home.ts'
import { openPair, type Pair } from './pair.ts'
import { openSeparateBank, type SeparateBank } from './separate-bank.ts'

export type Failover = 'sync' | 'async'

export type Site = {
  /** Of the processes. */
  settings: Record<string, string>
  /** Null where the processes themselves see to their embedded server. */
  pair: Pair | null
  bank: SeparateBank | null
  close(): Promise<void>
}

/** `open` starts the servers of which one may die; two embedded ones where nothing is said. */
export async function openSite(failover: Failover | null, open = openPair): Promise<Site> {
  if (failover === null) return { settings: {}, pair: null, bank: null, close: async () => {} }
  const bank = await openSeparateBank()
  const pair = await open(failover === 'sync')
  return {
    settings: {
      RIPPER_DATABASE_URL: pair.url,
      STORM_BANK_URL: bank.url,
      RIPPER_MASTER_KEY: randomBytes(32).toString('base64'),
    },
    pair,
    bank,
    async close() {
      await pair.close()
      await bank.close()
    },
  }
}

export type Server = {
  /** Of the server that serves; null while none does. */
  home(): Home | null
  /** Of the server that may be killed; null while none may. */
  victim(): Home | null
  /** Where a bank reaches it that keeps its books there by a connection of its own. */
  bank_url: string
}

export async function findServer({ pair }: Site, data_dir: string): Promise<Server> {
  const home = await findHome(data_dir)
  const bank_url = `postgres://ripper@localhost/ripper?host=${encodeURIComponent(home.socket_folder)}`
  return { home: pair?.home ?? (() => home), victim: pair?.victim ?? (() => home), bank_url }
}
