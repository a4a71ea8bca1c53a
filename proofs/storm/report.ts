// What a storm has to say of itself in the end.

import type { Checked } from './check.ts'
import type { Crew } from './crew.ts'
import type { Diary } from './diary.ts'
import type { Disturbance } from './disturb.ts'
import type { FailedOver } from './fail-over.ts'
import type { Verdict } from './verdict.ts'

export type StormReport = {
  disturbances: Map<Disturbance, number>
  /** Processes that stood still on the wire, at their bank's door. */
  stopped: string[]
  processes: Crew['counts']
  answers: Diary['counts']
  refusals: Diary['refusals']
  keys: number
  payments: Record<string, number>
  deliveries: { accepted: number; duplicates: number; dead_lettered: number }
  /** Of the vendor that was the bank, in words; null where none was. */
  books: string | null
  rest_ms: number
  /** Null where there was no failover. */
  failed_over: FailedOver | null
  /** Where logs are kept; null where nothing was wrong. */
  folder: string | null
} & Verdict

type EndedStorm = Checked & { crew: Crew }

export async function countsOf({ opened, diary, crew, market }: EndedStorm) {
  const { sql } = opened.database
  const payments = await sql<{ status: string; count: number }[]>`
    select status, count(*)::int from payments group by 1 order by 1`
  const [dead] = await sql<[{ count: number }]>`
    select count(*)::int from webhook_deliveries where status = 'dead_lettered'`
  const events = market.receivers.flatMap((receiver) => [...receiver.events.values()])
  const heard = events.filter(({ accepted }) => accepted > 0)
  const duplicates = heard.reduce((sum, { accepted }) => sum + accepted - 1, 0)
  return {
    processes: crew.counts,
    answers: diary.counts,
    refusals: diary.refusals,
    keys: diary.promises.length,
    payments: Object.fromEntries(payments.map(({ status, count }) => [status, count])),
    deliveries: { accepted: heard.length, duplicates, dead_lettered: dead.count },
  }
}

/** For people, in lines. */
export function describe(ended: StormReport): string[] {
  const { answers, deliveries, faults, histories, lost, processes } = ended
  const { acked, refused, unavailable, unknown } = answers
  const requests = acked + refused + unavailable + unknown
  const rows: [string, string][] = [
    ['faults', listOf(ended.disturbances)],
    ['on the wire', ended.stopped.join(', ') || 'nobody was stopped'],
    ['processes', `${processes.started} started, ${processes.gave_up} of them gave up before they ran`],
    ['requests', `${requests}, under ${ended.keys} keys`],
    ['answers', `${acked} acked, ${refused} refused, ${unavailable} unavailable (503), ${unknown} unknown`],
    ['refusals', listOf(ended.refusals)],
    ['payments', listOf(Object.entries(ended.payments))],
    [
      'deliveries',
      `${deliveries.accepted} accepted, ${deliveries.duplicates} more than once, ${deliveries.dead_lettered} dead-lettered`,
    ],
    [
      'histories',
      `${histories.sessions} sessions, ${histories.contended} of them contended, and ${histories.keys} keys, ${histories.not_judged.length} not judged`,
    ],
    ...(ended.books === null ? [] : [['vendor', ended.books] as [string, string]]),
    ['time to rest', `${(ended.rest_ms / 1000).toFixed(1)} s`],
    ['lost', `${lost.length}; ${ended.touched} sessions had something under way then`],
    ['broken facts', String(faults.length)],
  ]
  return [
    '',
    ...rows.map(([name, text]) => `${name.padEnd(14)}${text}`),
    ...lost.map((each) => `  lost: ${each}`),
    ...faults.slice(0, 30).map((fault) => `  ${fault.slice(0, 600)}`),
    ...(ended.folder ? [`\nall is kept in ${ended.folder}`] : []),
  ]
}

function listOf(counts: Iterable<[string, number]>): string {
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
}
