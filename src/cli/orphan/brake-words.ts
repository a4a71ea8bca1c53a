// Describes pulled brakes, and how far the sweeps of acquirers have come since, in plain words.

import { type Brake, every_acquirer } from '../../checkout/orphan.ts'
import type { Sweep } from '../../checkout/orphans/orphan-store.ts'
import { oneLine, shortTime } from '../terminal/print.ts'

const reason_max = 200

/** Without the article, so that it fits into a sentence. */
export function brakeWords(brake: Brake): string {
  const { acquirer, pulled_at, pulled_by, reason, released_at, released_by } = brake
  const whose = acquirer === every_acquirer ? 'every acquirer' : acquirer
  const pulled = `pulled at ${shortTime(pulled_at)} by ${pulled_by}: ${oneLine(reason, reason_max)}`
  if (released_at === null) return `brake of ${whose} is ${pulled}`
  return `brake of ${whose} was ${pulled}; released at ${shortTime(released_at)} by ${released_by}`
}

/** `acquirers` are the names of all acquirers that must be swept. */
export function sweptWords(sweeps: Sweep[], acquirers: string[]): string {
  if (sweeps.length === 0) return 'No acquirer was gone through yet.'
  const each = sweeps.map(
    ({ acquirer, swept_until }) => `${acquirer} up to ${shortTime(swept_until)}`,
  )
  const never = acquirers.filter((name) => !sweeps.some(({ acquirer }) => acquirer === name))
  const through = `Gone through: ${each.join(', ')}.`
  return never.length === 0 ? through : `${through} Not yet: ${never.join(', ')}.`
}
