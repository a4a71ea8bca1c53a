// What happens to shoppers when a database machine dies, and when its standby is far away: both simulated.

import { percentile, type Table, whole } from './report.ts'
import type { Figures } from './scale-figures.ts'
import { isPaid, simulate, type Taken } from './scale-load.ts'
import { offeredAt, percent } from './scale-plans.ts'

const fall = { at_s: 10, for_s: 28 }
const after_s = 15
const size = { machines: 2, databases: 4, cells: 32, looking: 2 }
const per_second = 1_000

/** One database of four dies, and its merchants wait for its standby. */
export function fallTable(figures: Figures): Table {
  const { taken } = simulate({
    ...offeredAt(per_second, size, figures),
    seconds: fall.at_s + fall.for_s + after_s,
    warm_seconds: 0,
    fall,
    again_ms: 5_000,
  })
  const up_s = fall.at_s + fall.for_s
  const spans = [
    ['before', 0, fall.at_s],
    ['while it is down', fall.at_s, up_s],
    ['the first 5 s after', up_s, up_s + 5],
    ['then', up_s + 5, up_s + after_s],
  ] as const
  const rows = spans.flatMap(([name, from_s, to_s]) => {
    const within = taken.filter(({ began_ms }) => began_ms >= from_s * 1000 && began_ms < to_s * 1000)
    return [
      rowOf(
        name,
        'of that database',
        within.filter(({ cell }) => cell % size.databases === 0),
        to_s - from_s,
      ),
      rowOf(
        name,
        'of the other three',
        within.filter(({ cell }) => cell % size.databases !== 0),
        to_s - from_s,
      ),
    ]
  })
  const headings = ['', 'merchants', 'begun /s', 'refused', 'paid /s', 'p50 ms', 'p99 ms']
  const notes = [
    `Simulated: ${whole(per_second)} checkouts a second on ${size.machines} service machines and ${size.databases} databases. One database dies, and its standby takes over after ${fall.for_s} s. A shopper who is refused presses again after 5 s in the mean, and that counts as begun anew. A shopper whose checkout was under way when it died is refused, too.`,
  ]
  return { name: 'scale-fall', headings, rows, notes }
}

function rowOf(name: string, whose: string, taken: Taken[], seconds: number): string[] {
  const paid = taken.filter(isPaid)
  const ascending = paid.map(({ own_ms }) => own_ms).sort((a, b) => a - b)
  const times = [0.5, 0.99].map((share) => (paid.length === 0 ? '' : percentile(ascending, share).toFixed(1)))
  const refused = (taken.length - paid.length) / taken.length
  const perSecond = (count: number) => whole(count / seconds)
  return [name, whose, perSecond(taken.length), percent(refused), perSecond(paid.length), ...times]
}

/** Of a standby: of the same site, of another site nearby, of another country, of another continent. */
const round_trips_ms = [0.3, 1, 10, 80]

export function distanceTable(figures: Figures): Table {
  const rows = round_trips_ms.map((round_trip_ms) => {
    const offered = offeredAt(per_second, size, figures)
    offered.shape.databases.standby_round_trip_ms = round_trip_ms
    const { p50_ms, p99_ms } = simulate(offered)
    const commits = offered.plan.checkout.filter((step) => step.on === 'database' && step.flushes)
    const held = (per_second * commits.length * round_trip_ms) / 1000
    return [`${round_trip_ms} ms`, String(commits.length), ...[p50_ms.toFixed(1), p99_ms.toFixed(1), whole(held)]]
  })
  const headings = [
    ...['there and back to the standby', 'commits of a checkout', 'p50 ms', 'p99 ms'],
    'connections that wait for it at a time',
  ]
  const notes = ['Simulated, on the machines of the table before, none of which dies.']
  return { name: 'scale-distance', headings, rows, notes }
}
