// Describes pulled brakes, and how far the sweeps of acquirers have come since, in plain words.

import type { Acquirer } from '../../acquirers/acquirer.ts'
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

/** `acquirers` are all that a brake may wait for. One without a list cannot be gone through. */
export function sweptWords(sweeps: Sweep[], acquirers: readonly Pick<Acquirer, 'name' | 'lists'>[]): string {
  const each = sweeps.map(({ acquirer, swept_until }) => `${acquirer} up to ${shortTime(swept_until)}`)
  const never = acquirers.filter(({ name, lists }) => lists && !sweeps.some(({ acquirer }) => acquirer === name))
  const unlisted = acquirers.filter(({ lists }) => !lists)
  const namesOf = (some: typeof never) => some.map(({ name }) => name).join(', ')
  return [
    ...(each.length > 0 ? [`Gone through: ${each.join(', ')}.`] : ['No acquirer was gone through yet.']),
    ...(never.length > 0 && each.length > 0 ? [`Not yet: ${namesOf(never)}.`] : []),
    ...(unlisted.length > 0 ? [`Without a list, so that only notices tell: ${namesOf(unlisted)}.`] : []),
  ].join(' ')
}
