// A day without a time, such as that of a payout: the same in every zone.

import { locale } from '../words.ts'

const days = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })

export function dayWords(day: string | null): string {
  return day === null ? '–' : days.format(new Date(day))
}
