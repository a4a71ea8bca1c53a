// From counts to the overview's figures: today by hour, days, declines, 3-D Secure. Decides without any effect.

import type { HourOfCounts } from './count-store.ts'

const good = ['payment.captured', 'payment.held']

/** `days` are those to show, oldest first, as counts spell them; the last one is today. */
export function figuresOf(counts: HourOfCounts[], days: string[]) {
  const shown = new Set(days)
  const rows = counts.filter(({ day }) => shown.has(day))
  const currency = mainCurrency(rows)
  const captures = rows.filter((row) => row.change === 'payment.captured')
  const hoursOf = (day: string | undefined) =>
    byHour(captures.filter((row) => row.day === day && row.currency === currency))
  return {
    currency,
    captured: { today: hoursOf(days.at(-1)), week_before: hoursOf(days.at(-8)) },
    days: days.map((day) => dayOf(day, rows)),
    declines: declinesIn(rows),
    three_ds: threeDsIn(rows),
  }
}

/** The currency of most captures; null without any. */
function mainCurrency(rows: HourOfCounts[]): string | null {
  const sums = new Map<string, number>()
  for (const { change, currency, n } of rows) {
    if (change === 'payment.captured') sums.set(currency, (sums.get(currency) ?? 0) + n)
  }
  return [...sums].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

function byHour(rows: HourOfCounts[]): { hour: number; amount: number; count: number }[] {
  const hours = Map.groupBy(rows, ({ hour }) => hour)
  return [...hours].map(([hour, of]) => ({
    hour,
    amount: of.reduce((sum, { amount }) => sum + amount, 0),
    count: sumOf(of),
  }))
}

function dayOf(day: string, rows: HourOfCounts[]) {
  const own = rows.filter((row) => row.day === day)
  // A capture that somebody decided was counted as held before.
  const count = (change: string) =>
    sumOf(own.filter((row) => row.change === change && row.code !== 'decided'))
  return {
    day,
    captured: count('payment.captured'),
    held: count('payment.held'),
    declined: count('payment.declined'),
    failed: count('payment.failed'),
    sessions: count('session.created'),
    // A session has one payment at most that was captured or held.
    succeeded_sessions: good.reduce((sum, change) => sum + count(change), 0),
  }
}

function declinesIn(rows: HourOfCounts[]): { code: string; category: null; count: number }[] {
  const declined = rows.filter(({ change }) => change === 'payment.declined')
  const codes = Map.groupBy(declined, ({ code }) => code)
  return [...codes]
    .map(([code, of]) => ({ code, category: null, count: sumOf(of) }))
    .sort((a, b) => b.count - a.count)
}

function threeDsIn(rows: HourOfCounts[]) {
  const moved = rows.filter(({ change }) => change === 'attempt.moved')
  const count = (...codes: string[]) => sumOf(moved.filter(({ code }) => codes.includes(code)))
  const begun = count('challenged awaiting_challenge')
  const frictionless = count('authenticated', 'attempted', 'informational')
  const challenged = count('challenged authenticated', 'challenged attempted')
  const failed_there = count('challenged failed', 'challenged rejected', 'challenged unavailable')
  const failed = count('failed', 'rejected', 'unavailable', 'not_enrolled')
  return {
    asked: frictionless + failed + begun,
    frictionless,
    challenged,
    abandoned: Math.max(0, begun - challenged - failed_there),
    failed: failed + failed_there,
  }
}

function sumOf(rows: { n: number }[]): number {
  return rows.reduce((sum, { n }) => sum + n, 0)
}
