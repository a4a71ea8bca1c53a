// A time: how long ago within an hour, how long yet, and else the exact one, by which people find what somebody else saw.

import { useEffect, useState } from 'react'
import { locale } from '../words.ts'

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
]

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' })
const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'long' })
const onDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
const toTheMinute = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
const withHour = new Intl.DateTimeFormat(locale, toTheMinute)
const withYear = new Intl.DateTimeFormat(locale, { ...toTheMinute, year: 'numeric' })
const hour_ms = 3_600_000

/** With `is_ahead` for what is yet to come: once it is due, it is now, and never a while ago. */
export function Moment({
  at,
  is_exact = false,
  is_ahead = false,
}: {
  at: string
  is_exact?: boolean
  is_ahead?: boolean
}) {
  const now = useNow(!is_exact)
  const date = is_ahead ? new Date(Math.max(new Date(at).getTime(), now)) : new Date(at)
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {is_exact || now - date.getTime() >= hour_ms ? exactWords(date) : relativeWords(date, now)}
    </time>
  )
}

function useNow(is_moving = true): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!is_moving) return
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [is_moving])
  return now
}

/** When something must be done by: the clock's time, and how long yet. */
export function Deadline({ at }: { at: string }) {
  const now = useNow()
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {deadlineWords(new Date(at), now)}
    </time>
  )
}

/** `27 Nov, 23:29 (in 2 hours)`; the time alone where it is longer than a week off. Once it is due, it is now. */
export function deadlineWords(date: Date, now: number): string {
  const words = relativeWords(new Date(Math.max(date.getTime(), now)), now)
  const when = exactWords(date)
  return words === dayWords(date) ? when : `${isolated(when)} (${isolated(words)})`
}

/** Keeps its own direction beside brackets. */
const isolated = (text: string) => `\u2068${text}\u2069`

/** `3 minutes ago`, `in 2 days`; a date where that is longer than a week off. */
export function relativeWords(date: Date, now: number): string {
  let distance = (date.getTime() - now) / 1000
  for (const [unit, many] of steps) {
    if (Math.abs(distance) < many) return relative.format(Math.round(distance), unit)
    distance /= many
  }
  return dayWords(date)
}

export function dayWords(date: Date): string {
  return onDay.format(date)
}

export function exactWords(date: Date): string {
  return (date.getFullYear() === new Date().getFullYear() ? withHour : withYear).format(date)
}
