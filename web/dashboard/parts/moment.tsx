// A time: how long ago or how long yet, with the exact one behind it.

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
const withHour = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

export function Moment({ at, is_exact = false }: { at: string; is_exact?: boolean }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (is_exact) return
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [is_exact])
  const date = new Date(at)
  return (
    <time dateTime={at} title={exact.format(date)}>
      {is_exact ? exactWords(date) : relativeWords(date, now)}
    </time>
  )
}

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
  return withHour.format(date)
}
