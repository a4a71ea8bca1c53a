// Journals for the tests of their chains: merchants with so many lines, on a clock that is moved.

import { randomBytes } from 'node:crypto'
import { type JournalLine, journalLine } from '../../src/audit/journal.ts'
import { sealJournal } from '../../src/audit/seal-journal.ts'
import { type ChainVerification, verifyChain } from '../../src/audit/verify-chain.ts'
import { rowValues } from '../../src/database/driver/rows.ts'
import type { Database, Sql } from '../../src/database/open.ts'
import { openIds } from '../../src/kernel/ids.ts'
import { openKeyring } from '../../src/kernel/keyring.ts'
import { createMerchant } from '../../src/merchants/manage.ts'
import { type ManualClock, manualClock } from './clock.ts'
import { type FreshDatabase, freshDatabase } from './database.ts'

export type AuditStage = {
  fresh: FreshDatabase
  sql: Sql
  clock: ManualClock
  /** A merchant whose journal has so many lines, the creation of the merchant among them, a second from each other. */
  newJournal(lines: number): Promise<string>
  /** Writes a line, now or as of another time. Returns its id. */
  write(merchant_id: string, at?: Date): Promise<string>
  /** Seals what is due, of one merchant or of all. */
  seal(merchant_id?: string): Promise<number>
  verify(merchant_id: string, ...heads: string[]): Promise<ChainVerification>
  close(): Promise<void>
}

export async function openAuditStage(): Promise<AuditStage> {
  const clock = manualClock()
  const fresh = await freshDatabase()
  const database: Database = await fresh.open({ clock, connections_max: 10 })
  const { sql } = database
  const random = { bytes: randomBytes }
  const ids = openIds(random, openKeyring([randomBytes(32)], random))
  const sealer = { sql, world: { clock } }

  async function write(merchant_id: string, at = clock.now()): Promise<string> {
    const line: JournalLine = journalLine(ids, {
      merchant_id,
      session_id: null,
      subject: 'key_1',
      change: 'key.created',
      detail: { 'a "word"': 'é' },
      actor: 'operator',
      request_id: null,
      at,
    })
    await sql`insert into journal ${rowValues(sql, line)}`
    return line.entry_id
  }

  return {
    fresh,
    sql,
    clock,
    write,
    async newJournal(lines) {
      const operator = { sql, ids, clock, actor: 'operator' } as const
      const asked = { name: 'Tea', live: false, live_enabled: false, acquiring_profile: null }
      const { merchant_id } = await createMerchant(operator, asked)
      for (let count = 1; count < lines; count += 1) {
        await clock.advance(1000)
        await write(merchant_id)
      }
      return merchant_id
    },
    seal: (merchant_id) => sealJournal(sealer, merchant_id),
    verify: (merchant_id, ...heads) => verifyChain(sealer, merchant_id, new Set(heads)),
    async close() {
      await database.close()
      await fresh.drop()
    },
  }
}

/** Faults as tests write them: kind, position or positions, `line` where one is named. */
export function told({ faults }: ChainVerification): string[] {
  return faults.map(({ kind, position, until_position, entry_id }) =>
    [kind, position, until_position, entry_id && 'line'].filter((part) => part !== null).join(' '),
  )
}
