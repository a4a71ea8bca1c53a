// Tells the other processes of this database that this one exists, and counts them. Limits for all of them together are
// divided by that number.

import type { World } from '../../kernel/world.ts'
import type { Sql } from '../open.ts'
import type { KeyWatch } from '../stores/key-watch.ts'
import { deleteProcess, type Others, saveProcess } from './presence-store.ts'
import { newProcessId, type Place } from './process-id.ts'

export type Presence = {
  process_id: string
  /** How many processes take requests, at least one. */
  serving(): number
  /** How many deliver webhooks, this one included. */
  delivering(): number
  stop(): Promise<void>
}

type PresenceOptions = {
  sql: Sql
  world: Pick<World, 'clock' | 'random' | 'log'>
  place: Place
  /** Whether this process takes requests. */
  serves: boolean
  /** The time that all processes share. */
  databaseNow(): Date
  /** An unnamed proxy through which its requests come. Left out if the process takes no requests. */
  unnamedProxy?: (() => string | null) | undefined
  /** Hears which master key is current. */
  keys?: Pick<KeyWatch, 'note' | 'missing'>
}

export const here_every_ms = 5_000
/** Three signs were missed. */
export const gone_after_ms = 17_000
const forgotten_after_ms = 600_000

/** The first sign is given before this resolves; one that fails is given again. */
export async function openPresence(options: PresenceOptions): Promise<Presence> {
  const { sql, world, place, serves, databaseNow, unnamedProxy = () => null } = options
  const { clock, log } = world
  const process_id = newProcessId(place, databaseNow(), world.random)
  const stopping = new AbortController()
  let others: Others = { serving: 0, all: 0, current_key_id: null }
  let has_told = false

  async function giveSign(): Promise<void> {
    const seen_at = databaseNow()
    const ago = (duration_ms: number) => new Date(seen_at.getTime() - duration_ms)
    const row = {
      process_id,
      serves,
      seen_at,
      unnamed_proxy: unnamedProxy(),
      lacks_key: options.keys?.missing() ?? null,
    }
    const since = { here_since: ago(gone_after_ms), forgotten_before: ago(forgotten_after_ms) }
    try {
      others = await saveProcess(sql, row, since)
      options.keys?.note(others.current_key_id)
      has_told = false
    } catch (error) {
      // The last known processes still count.
      if (!has_told) log.warn({ error: (error as Error).message }, 'other processes not counted')
      has_told = true
    }
  }

  async function run(): Promise<void> {
    for (;;) {
      await clock.sleep(here_every_ms, stopping.signal).catch(() => {})
      if (stopping.signal.aborted) return
      await giveSign()
    }
  }

  await giveSign()
  const completion = run()
  return {
    process_id,
    serving: () => others.serving + (serves ? 1 : 0) || 1,
    delivering: () => others.all + 1,
    async stop() {
      stopping.abort()
      await completion
      await deleteProcess(sql, process_id).catch(() => {})
    },
  }
}
