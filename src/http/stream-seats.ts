// How many streams an account has open in all processes together.

import type { Sql } from '../database/open.ts'
import { gone_after_ms } from '../database/presence/presence.ts'
import type { World } from '../kernel/world.ts'
import { deleteSeat, insertSeat } from './stream-seat-store.ts'

export type StreamSeats = {
  /**
   * Takes a seat. Returns the function that gives it back, or null if none is free. If the database does not answer, no
   * stream is refused: each process has limits of its own.
   */
  take(owner: string, max: number): Promise<(() => void) | null>
}

type SeatOptions = {
  sql: Sql
  world: Pick<World, 'random' | 'log'>
  process_id: string
  /** The time that all processes share. */
  databaseNow(): Date
}

export function openStreamSeats({ sql, world, process_id, databaseNow }: SeatOptions): StreamSeats {
  const logFailure = (error: Error) =>
    world.log.warn({ error: error.message }, 'seat of a stream not counted for all processes')
  return {
    async take(owner, max) {
      const seat_id = world.random.bytes(12).toString('hex')
      const here_since = new Date(databaseNow().getTime() - gone_after_ms)
      try {
        const seat = { seat_id, process_id, owner }
        if (!(await insertSeat(sql, seat, { max, here_since }))) return null
      } catch (error) {
        logFailure(error as Error)
        return () => {}
      }
      return () => void deleteSeat(sql, seat_id).catch(logFailure)
    },
  }
}
