// The filters that lists of payments, sessions and events share, and how far one request looks.

import { z } from 'zod'
import { noControls } from '../../kernel/values.ts'
import { moment, must } from '../fields.ts'

/** No request looks at more rows than this, whatever it asks for and however many there are. */
export const looks_max = 5000

/** How many payments of one order reference are looked at, the newest ones. */
export const counted_max = 50

/** Plain text that is compared as it stands. */
export const filterText = (length_max: number) => {
  const words = must(`be 1 to ${length_max} characters, without control characters`)
  return z.string(words).min(1, words).max(length_max, words).regex(noControls, words)
}

export const filterChoice = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, must(`be one of ${values.join(', ')}`))

export const spanQuery = {
  mode: filterChoice(['test', 'live']).optional(),
  created_from: moment.optional().meta({ format: 'date-time', description: 'at that time or later' }),
  created_before: moment.optional().meta({ format: 'date-time', description: 'before that time' }),
}

/** What the members of `spanQuery` become, for a cursor. */
export function boundSpan({ mode, created_from, created_before }: SpanFilters): (string | number | undefined)[] {
  return [mode, created_from?.getTime(), created_before?.getTime()]
}

export type SpanFilters = {
  mode: 'test' | 'live' | undefined
  created_from: Date | undefined
  created_before: Date | undefined
}
