// Keeps 3-D Secure card ranges between starts, one row a Directory Server.

import type { CardRangeStore, StoredRanges } from '../../three-ds/three-ds.ts'
import { rowValues } from '../driver/rows.ts'
import type { Sql } from '../open.ts'

export function openCardRangeStore(sql: Sql): CardRangeStore {
  return {
    async load(directory_server) {
      const [row] = await sql<StoredRanges[]>`
        select serial_number, fetched_at, ranges from three_ds_ranges
        where directory_server = ${directory_server}`
      return row ?? null
    },
    async save(directory_server, { serial_number, fetched_at, ranges }) {
      await sql`
        insert into three_ds_ranges ${rowValues(sql, { directory_server, serial_number, fetched_at, ranges })}
        on conflict (directory_server) do update set serial_number = excluded.serial_number,
          fetched_at = excluded.fetched_at, ranges = excluded.ranges`
    },
  }
}
