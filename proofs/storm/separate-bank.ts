// A bank's own server: the books of the simulated acquirer on another machine than ours, which loses nothing when we do.

import { connect } from '../../src/database/driver/driver.ts'
import { joinEmbedded } from '../../src/database/embedded/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { Sql } from '../../src/database/open.ts'
import { newDataFolder, removeData } from '../../tests/support/setup-database.ts'
import { quiet, realClock } from '../../tests/support/world.ts'

export type SeparateBank = {
  url: string
  /** Puts its books where the checks look for them: into the schema `simulator` of our database, where nobody wrote. */
  layBeside(sql: Sql): Promise<void>
  close(): Promise<void>
}

export async function openSeparateBank(): Promise<SeparateBank> {
  const data_dir = newDataFolder()
  const server = await joinEmbedded({ data_dir, log: quiet, clock: realClock })
  await server.admin()`create database bank template template0`
  const url = `postgres://ripper@localhost/bank?host=${encodeURIComponent(server.socket_folder)}`
  const bank = connect(url, { connections_max: 2 })
  await migrate({ sql: bank, log: quiet, clock: realClock })
  return {
    url,
    async layBeside(sql) {
      const [row] = await bank<[{ books: string }]>`
        select coalesce(json_agg(l), '[]')::text as books from simulator.ledger l`
      await sql`truncate simulator.ledger`
      await sql`insert into simulator.ledger
        select * from json_populate_recordset(null::simulator.ledger, ${row.books}::text::json)`
    },
    async close() {
      await bank.end({ timeout: 1 })
      await server.leave()
      removeData(data_dir)
    },
  }
}
