// Which times a comparison covers: by when a charge was made, and by when something was recorded of it.

import { idsFrom, millisecondsOf } from '../kernel/ids.ts'
import type { Mode } from '../kernel/values.ts'

const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms

/** How far back every comparison reaches. */
const compared_ms = 48 * hour_ms
/** The last hours before the end of the previous comparison are compared again, because an acquirer may list late. */
const overlap_ms = 24 * hour_ms
/** The longest reach, even if there was no comparison for longer. */
const compared_max_ms = 31 * day_ms
/** Charges younger than this may still be under way. */
const settling_ms = 10 * minute_ms
/** The usual time between our reference and the approval. */
const apart_ms = 15 * minute_ms

/** `since` is inside, `until` is not. */
export type Window = { since: Date; until: Date }

/**
 * The span of a comparison that begins now. `compared_until` is the end of the last complete comparison, or null. A long gap
 * since then is covered as well, so that no charge is left out.
 */
export function spanToCompare(now: Date, compared_until: Date | null): Window {
  const again_ms = (compared_until?.getTime() ?? now.getTime()) - overlap_ms
  const since_ms = Math.min(now.getTime() - compared_ms, again_ms)
  return {
    since: new Date(Math.max(since_ms, now.getTime() - compared_max_ms)),
    until: new Date(now.getTime() - settling_ms),
  }
}

/**
 * What was recorded so long ago is compared once more: people refund and void in the acquirer's portal. In test mode only the first
 * counts, because a vendor's sandbox may forget a payment after 30 days.
 */
const againAfter: Record<Mode, number[]> = {
  live: [7 * day_ms, 30 * day_ms],
  test: [7 * day_ms],
}

/** The windows whose charges are compared once more. Each run's begin where those of the last complete one ended. */
export function windowsToCompareAgain(mode: Mode, { until }: Window, compared_until: Date | null): Window[] {
  const since_ms = compared_until?.getTime() ?? until.getTime() - day_ms
  const earliest_ms = Math.max(since_ms, until.getTime() - compared_max_ms)
  return againAfter[mode].map((after_ms) => ({
    since: new Date(earliest_ms - after_ms),
    until: new Date(until.getTime() - after_ms),
  }))
}

/** An hour by its number since 1970. */
export function hourOf(at_ms: number): number {
  return Math.floor(at_ms / hour_ms)
}

/** The numbers of the hours that begin in the window. */
export function hoursBegunIn({ since, until }: Window): number[] {
  const first = Math.ceil(since.getTime() / hour_ms)
  const count = Math.max(0, Math.ceil(until.getTime() / hour_ms) - first)
  return Array.from({ length: count }, (_, at) => first + at)
}

/** The hour of that number, as far as it lies before the time. */
export function hourBefore(hour: number, before: Date): Window {
  const since_ms = hour * hour_ms
  return {
    since: new Date(since_ms),
    until: new Date(Math.min(since_ms + hour_ms, before.getTime())),
  }
}

/** Refunds are looked up again for so long: most banks that send one back do it within these days. */
const refunds_ms = 7 * day_ms

/** The refunds that a comparison looks up, whose charges may be older than its span. */
export function refundsToLookAt(now: Date): Window {
  return { since: new Date(now.getTime() - refunds_ms), until: now }
}

/** The span's hours in order, because an acquirer is asked for one hour at a time. */
export function hoursOf({ since, until }: Window): Window[] {
  const hours: Window[] = []
  for (let at_ms = since.getTime(); at_ms < until.getTime(); at_ms += hour_ms) {
    hours.push({
      since: new Date(at_ms),
      until: new Date(Math.min(at_ms + hour_ms, until.getTime())),
    })
  }
  return hours
}

/** The window to list so that it covers every reference of the given window. */
export function around({ since, until }: Window): Window {
  return {
    since: new Date(since.getTime() - apart_ms),
    until: new Date(until.getTime() + apart_ms),
  }
}

/** The range of references that we made in the window: `from` is inside, `below` is not. */
export function referencesOf({ since, until }: Window): { from: string; below: string } {
  return { from: idsFrom(since), below: idsFrom(until) }
}

/** The window to list in the second look at a reference. It covers even a very late approval. */
export function widelyAround(reference: string): Window {
  // Rounded to the hour, so that one list serves many references.
  const hour = Math.floor(millisecondsOf(reference) / hour_ms) * hour_ms
  return { since: new Date(hour - hour_ms), until: new Date(hour + 6 * hour_ms) }
}
