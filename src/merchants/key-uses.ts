// When secret keys were used last. Requests note it in memory; a job of the same process writes it down, for each key once an hour at
// most, so that no request waits for a statement more.

import type { Sql } from '../database/open.ts'
import { noteKeyUse } from './key-store.ts'

const hour_ms = 3_600_000
/** A key that is forgotten because of it is at worst written once more. */
const kept_max = 10_000

export type KeyUse = { key_id: string; at: Date }

export type KeyUses = {
  note(use: KeyUse): void
  /** What is to be written, and is no longer kept. */
  take(): KeyUse[]
}

export function openKeyUses(): KeyUses {
  const notedMs = new Map<string, number>()
  let waiting = new Map<string, KeyUse>()
  return {
    note(use) {
      const { key_id, at } = use
      const age_ms = at.getTime() - (notedMs.get(key_id) ?? Number.NEGATIVE_INFINITY)
      // A time before the last one says that the clock was set back.
      if (age_ms >= 0 && age_ms < hour_ms) return
      if (notedMs.size >= kept_max) notedMs.clear()
      notedMs.set(key_id, at.getTime())
      waiting.set(key_id, use)
    },
    take() {
      const taken = [...waiting.values()]
      waiting = new Map()
      return taken
    },
  }
}

/** Returns how many keys were written. A use that could not be written is lost: the next one is written an hour later. */
export async function writeKeyUses({
  sql,
  key_uses,
}: {
  sql: Sql
  /** Left out in a process that answers no requests. */
  key_uses?: KeyUses
}): Promise<number> {
  let count = 0
  // One key a statement: their merchants differ, and two processes must not wait for each other.
  for (const { key_id, at } of key_uses?.take() ?? []) {
    if (await noteKeyUse(sql, { key_id, at, before: new Date(at.getTime() - hour_ms) })) count += 1
  }
  return count
}
