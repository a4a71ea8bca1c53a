// Remembers the events that were received, because the service sends the last ones again after a lost connection.

import { cursor_overlap_ms, readCursor } from '../../webhooks/stream/trail.ts'

/** Remembers events for as long as the service may send them again. */
export function openHeard() {
  /** The time of each event, from the cursor that came with it, in that order. */
  const heard = new Map<string, number>()
  return {
    /** Notes an event. False if it was received before. */
    isNew({ event_id, cursor }: { event_id: string; cursor: string }): boolean {
      const { sent_until_ms: told_ms } = readCursor(cursor) ?? { sent_until_ms: 0 }
      for (const [known, at_ms] of heard) {
        if (at_ms >= told_ms - 2 * cursor_overlap_ms) break
        heard.delete(known)
      }
      if (heard.has(event_id)) return false
      heard.set(event_id, told_ms)
      return true
    },
    count: () => heard.size,
  }
}
