// What endpoints that hang cost those that answer.

import { newSeries, type Target } from './deliver-events.ts'
import { type Length, offer, type RateResult, timeHeadings, timesOf } from './deliver-rates.ts'
import { endpoints, type Stage } from './deliver-stage.ts'
import { type Table, whole } from './report.ts'

const per_second = 500
/** One event of so many goes to an endpoint that hangs. */
const hanging_of = 5

export async function deliverHanging(stage: Stage, length: Length): Promise<Table[]> {
  const { answering, hanging, engine, receiver, sql } = stage
  const answered_per_second = (per_second * (hanging_of - 1)) / hanging_of
  const measure = async (targets: Target[], rate: number): Promise<RateResult> => {
    await engine.ask({ order: 'start' })
    const how = { per_second: rate, by: engine, ...length }
    const found = await offer(stage, newSeries(targets), how)
    const stopped = engine.ask({ order: 'stop' })
    await receiver.ask({ order: 'release' })
    await stopped
    return found
  }
  const alone = await measure(answering, answered_per_second)
  const beside = await measure(mixed(answering, hanging), per_second)
  await sql`truncate webhook_queue`
  const hang = `${endpoints.hanging} that hang ${endpoints.hang_ms / 1000} s`
  return [
    {
      name: 'deliver-hanging',
      headings: ['events a second', ...timeHeadings, 'target ms'],
      rows: [
        [
          `${whole(answered_per_second)} to ${endpoints.answering} endpoints that answer`,
          ...timesOf(alone.latencies_ms),
          '',
        ],
        [
          `the same, and ${whole(per_second - answered_per_second)} to ${hang}`,
          ...timesOf(beside.latencies_ms),
          'p99 < 200',
        ],
      ],
      notes: [
        `Of the deliveries to those that answer; each row ${length.seconds} s, after ${length.lead_seconds} s that do not count.`,
      ],
    },
  ]
}

/** So that in turn every fifth is one that hangs, and those of a kind have equal shares. */
function mixed(answering: Target[], hanging: Target[]): Target[] {
  return hanging.flatMap((each, round) => {
    const from = round * (hanging_of - 1)
    const others = Array.from({ length: hanging_of - 1 }, (_, at) => answering[(from + at) % answering.length]!)
    return [...others, each]
  })
}
