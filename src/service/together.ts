// What this process limits together with the others of its database.

import type { Database } from '../database/open.ts'
import { openSharedCounts, type SharedCounts } from '../http/shared-counts.ts'
import { openStreamSeats, type StreamSeats } from '../http/stream-seats.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { World } from '../kernel/world.ts'

/** How this process stands among the others. */
export type Company = {
  process_id: string
  /** The time that all processes share. */
  now(): Date
  /** How many processes take requests. */
  serving(): number
}

type TogetherOptions = {
  together?: Company
  world: Pick<World, 'clock' | 'random' | 'log'>
  database: Pick<Database, 'sql'>
  keyring: Pick<Keyring, 'mac'>
}

/** Nothing where the process knows of no others: it counts by itself. */
export function limitedTogether({ together, world, database, keyring }: TogetherOptions): {
  sharedCounts?: SharedCounts
  streamSeats?: StreamSeats
} {
  if (!together) return {}
  const { now, process_id } = together
  const { clock, log } = world
  const { sql } = database
  const digest = (kind: string, address: string) =>
    keyring.mac('gateway count', kind, address).toString('base64url').slice(0, 22)
  return {
    sharedCounts: openSharedCounts({ ...together, sql, clock, log, digest }),
    streamSeats: openStreamSeats({ sql, world, process_id, databaseNow: now }),
  }
}
