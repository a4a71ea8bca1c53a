// Which events this command has heard already: after a lost connection the service tells the last ones again.

import { overlap_ms, readCursor } from '../../webhooks/stream/trail.ts'

/** Remembers events for as long as they may come again. */
export function openHeard() {
  /** When each was told, by the cursor that came with it; in that order. */
  const heard = new Map<string, number>()
  return {
    /** Notes an event. False where it was heard before. */
    isNew({ event_id, cursor }: { event_id: string; cursor: string }): boolean {
      const { told_ms } = readCursor(cursor) ?? { told_ms: 0 }
      for (const [known, at_ms] of heard) {
        if (at_ms >= told_ms - 2 * overlap_ms) break
        heard.delete(known)
      }
      if (heard.has(event_id)) return false
      heard.set(event_id, told_ms)
      return true
    },
    count: () => heard.size,
  }
}
