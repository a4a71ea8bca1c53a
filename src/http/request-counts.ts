// How many requests each address has made this minute, in constant memory. A table with a row for each address either
// grows with them or forgets some, and an attacker with many addresses decides which. Here each address has a cell in
// each of four rows, chosen by a keyed digest, and its count is the smallest of the four. The count is never too small.
// It is too large only if others fill all four cells: each false count takes as many requests per minute as there are
// cells.

import { hash } from 'node:crypto'

/**
 * Requests that are counted separately, with a limit ten times as high. Webhook routes: they have limits of their own
 * for each account. Preflights: a refused one would hide the limit from the page. Health: a flood from behind the same
 * proxy must not restart the process. Results and notices: Directory Servers and acquirers send from few addresses, and
 * a flood of one kind must not shut out the other.
 */
export const separate_counts = ['webhooks', 'preflights', 'health', 'results', 'notices'] as const
export type SeparateCount = (typeof separate_counts)[number]

const rows = 4
/** Two bytes of a digest name a cell. */
const cells = 65_536

export type RequestCounts = {
  /** Counts one request. Returns the count of this minute, and how long the minute still lasts. */
  count(address: string, now: Date): { count: number; left_ms: number }
}

type WindowOptions = {
  window_ms?: number
  /**
   * A window begins with the first request. If this is true, it begins at a multiple of its length, the same in all
   * processes.
   */
  is_aligned?: boolean
}

/** `key` is drawn for this process, so that nobody knows which addresses share a cell. */
export function openRequestCounts(
  key: Buffer,
  { window_ms = 60_000, is_aligned = false }: WindowOptions = {},
): RequestCounts {
  const counts = new Uint32Array(rows * cells)
  const prefix = key.toString('hex')
  let began_ms = Number.NEGATIVE_INFINITY
  return {
    count(address, now) {
      const now_ms = now.getTime()
      const age_ms = now_ms - began_ms
      // If the clock was set back, a new minute begins.
      if (!(age_ms >= 0 && age_ms < window_ms)) {
        counts.fill(0)
        began_ms = is_aligned ? Math.floor(now_ms / window_ms) * window_ms : now_ms
      }
      const digest = hash('sha256', `${prefix} ${address}`, 'buffer')
      let least = Number.POSITIVE_INFINITY
      for (let row = 0; row < rows; row++) {
        const cell = row * cells + digest.readUInt16LE(row * 2)
        counts[cell]! += 1
        least = Math.min(least, counts[cell]!)
      }
      return { count: least, left_ms: began_ms + window_ms - now_ms }
    },
  }
}
