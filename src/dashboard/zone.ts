// The time zone of the person who looks: which day a moment is of there, and how it is written.

import { z } from 'zod'

const words = 'must be a time zone, such as Europe/London'

export const zoneQuery = z.string({ error: words }).refine(isZone, words)

/** An offset is a zone, too, but people have none as the name of where they are. */
function isZone(zone: string): boolean {
  try {
    return /^[A-Za-z]/.test(zone) && Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }))
  } catch {
    return false
  }
}

/** Reads moments by the clocks of a zone: the day, the hour, and what else is named, each in the digits of ISO 8601. */
export function readerIn(
  zone: string,
  more: Intl.DateTimeFormatOptions = {},
): (at: Date | number) => Partial<Record<Intl.DateTimeFormatPartTypes, string>> {
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    ...more,
  })
  return (at) => Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
}

/** Writes moments as `2026-09-01T00:30:00.000+02:00`: the day is the zone's, and the offset says which zone that is. */
export function timesIn(zone: string): (at: Date) => string {
  const seconds = { minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 } as const
  const read = readerIn(zone, { ...seconds, timeZoneName: 'longOffset' })
  return (at) => {
    const of = read(at)
    const offset = of.timeZoneName === 'GMT' ? '+00:00' : of.timeZoneName!.slice('GMT'.length)
    return `${of.year}-${of.month}-${of.day}T${of.hour}:${of.minute}:${of.second}.${of.fractionalSecond}${offset}`
  }
}
