// From counts to the overview's figures: today by hour, a span of days and the one before it, declines, 3-D Secure. Decides without
// any effect.

import type { StretchOfCounts } from './count-store.ts'
import type { OverviewDays } from './days.ts'

/** Counts of one change and code, on a day and, where the day is shown by hour, in an hour of it. */
export type Counts = Omit<StretchOfCounts, 'place'> & { day: string; hour: number | null }

const good = ['payment.captured', 'payment.held']

/**
 * `days` are those to show, oldest first, as counts spell them, and `before` those that they are compared with, which are only summed
 * up. Today and the day a week ago are shown by hour, whatever days these are.
 */
export function figuresOf(counts: Counts[], { days, before, today, week_before }: OverviewDays) {
  const rows = counts.filter(({ day }) => days.includes(day))
  const older = counts.filter(({ day }) => before.includes(day))
  return {
    captured: currenciesIn(counts).map((currency) => {
      const of = (change: string, among: Counts[]) =>
        among.filter((row) => row.change === change && row.currency === currency)
      const hoursOf = (day: string) => byHour(of('payment.captured', counts).filter((row) => row.day === day))
      return {
        currency,
        today: hoursOf(today),
        week_before: hoursOf(week_before),
        refunded_today: givenBack(
          of,
          counts.filter((row) => row.day === today),
        ),
        by_day: days.map((day) => amountOf(of('payment.captured', rows).filter((row) => row.day === day))),
        in_span: amountOf(of('payment.captured', rows)),
        refunded_in_span: givenBack(of, rows),
        in_span_before: amountOf(of('payment.captured', older)),
      }
    }),
    days: days.map((day) => ({ day, ...endingsIn(rows.filter((row) => row.day === day)) })),
    span_before: endingsIn(older),
    declines: declinesIn(rows),
    three_ds: threeDsIn(rows),
  }
}

/** By refunds, and another way where somebody noted so and nobody undid that. */
function givenBack(of: (change: string, among: Counts[]) => Counts[], among: Counts[]): number {
  const sum = (change: string) => amountOf(of(change, among))
  return sum('refund.succeeded') + sum('refund.settled_otherwise') - sum('refund.reopened')
}

/** Those in which something was captured or refunded, the one of most captures first. */
function currenciesIn(rows: Counts[]): string[] {
  const sums = new Map<string, number>()
  for (const { change, currency, n } of rows) {
    if (change !== 'payment.captured' && !change.startsWith('refund.')) continue
    sums.set(currency, (sums.get(currency) ?? 0) + (change === 'payment.captured' ? n : 0))
  }
  return [...sums].sort(([, a], [, b]) => b - a).map(([currency]) => currency)
}

function byHour(rows: Counts[]): { hour: number; amount: number; count: number }[] {
  const hours = Map.groupBy(rows, ({ hour }) => hour ?? 0)
  return [...hours].map(([hour, of]) => ({ hour, amount: amountOf(of), count: sumOf(of) }))
}

function amountOf(rows: { amount: number }[]): number {
  return rows.reduce((sum, { amount }) => sum + amount, 0)
}

function endingsIn(rows: Counts[]) {
  // A capture that somebody decided was counted as held before.
  const count = (change: string) => sumOf(rows.filter((row) => row.change === change && row.code !== 'decided'))
  return {
    captured: count('payment.captured'),
    held: count('payment.held'),
    declined: count('payment.declined'),
    failed: count('payment.failed'),
    sessions: count('session.created'),
    // A session has one payment at most that was captured or held.
    succeeded_sessions: good.reduce((sum, change) => sum + count(change), 0),
  }
}

function declinesIn(rows: Counts[]): { code: string; category: null; count: number }[] {
  const declined = rows.filter(({ change }) => change === 'payment.declined')
  const codes = Map.groupBy(declined, ({ code }) => code)
  return [...codes].map(([code, of]) => ({ code, category: null, count: sumOf(of) })).sort((a, b) => b.count - a.count)
}

function threeDsIn(rows: Counts[]) {
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
