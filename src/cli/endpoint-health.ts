// `ripper endpoint health`: shows which endpoints fail, since when, and how many deliveries wait for them.

import { inCell } from '../database/cells/cells.ts'
import { idsFrom } from '../kernel/ids.ts'
import {
  deliveries_waiting_max,
  type EndpointStanding,
  type RecentOutcome,
  readRecentOutcomes,
  readStandings,
} from '../webhooks/deliveries/standing-store.ts'
import { breakerState, closedBreaker } from '../webhooks/sending/breaker.ts'
import { type CommandContext, merchantOption, withCommandContext } from './command-context.ts'
import { type EndpointSelection, endpointsOf, noEndpoint } from './endpoint.ts'
import { answerOf, failureWords } from './terminal/failure-words.ts'
import { command } from './terminal/option.ts'
import { duration, printJson, printLine, shortTime } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

const hour_ms = 3600 * 1000

export const endpointHealth = command({
  name: 'endpoint health',
  summary: "Shows the state of a merchant's active endpoints, or of one of them",
  positionals: ['[ENDPOINT_ID]'],
  options: { merchant: merchantOption },
  remarks: [
    'The service pauses an endpoint that keeps failing: its breaker is open. When it is half open, the service sends one\n' +
      'delivery as a test. Deliveries that wait lose none of their attempts.',
    `It counts waiting deliveries up to ${deliveries_waiting_max}.`,
  ],
  async run({ options: { merchant }, positionals: [endpoint], json }) {
    const { merchant_id, endpoints } = await withCommandContext(async (context) => {
      const which = await endpointsOf(context, { endpoint, merchant, json })
      return { ...which, endpoints: await readHealth(context, which) }
    })
    if (json) printJson({ merchant_id, endpoints })
    else if (endpoints.length === 0) printLine(noEndpoint(merchant_id))
    else terminal().stdout.write(endpoints.map(words).join('\n'))
  },
})

async function readHealth(context: CommandContext, which: EndpointSelection) {
  const { sql, clock } = await inCell(context, which.merchant_id)
  const now = clock.now()
  const hour_ago = new Date(now.getTime() - hour_ms)
  const { merchant_id } = which
  const standings = await readStandings(sql, which, now)
  const recent = await readRecentOutcomes(sql, { merchant_id, from: idsFrom(hour_ago) })
  return standings.map((standing) => {
    const outcomes = recent.outcomes.filter((each) => each.endpoint_id === standing.endpoint_id)
    return viewHealth(standing, { since: recent.since ?? hour_ago, outcomes }, now)
  })
}

type Recent = { since: Date; outcomes: RecentOutcome[] }

function viewHealth(standing: EndpointStanding, { since, outcomes }: Recent, now: Date) {
  const { endpoint_id, url, breaker, oldest_due_at, ...counts } = standing
  const { first_attempts, retries, under_way } = counts
  const open_until_ms = breaker?.open_until?.getTime() ?? null
  const countOf = (status: RecentOutcome['status']) => {
    const { count = 0, median_duration_ms = null } = outcomes.find((outcome) => outcome.status === status) ?? {}
    return { count, median_duration_ms }
  }
  return {
    id: endpoint_id,
    url,
    breaker: {
      state: breakerState({ ...closedBreaker, open_until_ms }, now.getTime()),
      open_until: breaker?.open_until ?? null,
      changed_at: breaker?.changed_at ?? null,
      last_failure: breaker?.last_failure ?? null,
    },
    waiting: {
      first_attempts,
      retries,
      under_way,
      oldest_due_at,
      oldest_due_seconds: oldest_due_at && (now.getTime() - oldest_due_at.getTime()) / 1000,
    },
    attempts: {
      since,
      succeeded: countOf('succeeded'),
      failed: countOf('failed'),
      dead_lettered: countOf('dead_lettered'),
      last_failure: lastFailure(outcomes),
    },
  }
}

function lastFailure(outcomes: RecentOutcome[]) {
  const [newest] = outcomes
    .filter(({ status }) => status !== 'succeeded')
    .sort((a, b) => b.occurred_at.getTime() - a.occurred_at.getTime())
  if (!newest) return null
  const { occurred_at, response_status_code, failure } = newest
  return { occurred_at, response_status_code, failure }
}

type Health = ReturnType<typeof viewHealth>

function words({ id, url, breaker, waiting, attempts }: Health): string {
  const lines = [
    ['breaker', breakerWords(breaker)],
    ['waiting', waitingWords(waiting)],
    [`since ${shortTime(attempts.since)}`, attemptWords(attempts)],
    ['last failure', failureOf(breaker, attempts)],
  ]
  const width = Math.max(...lines.map(([name]) => name!.length))
  const body = lines.map(([name, words]) => `  ${name!.padEnd(width)}  ${words}\n`)
  return `${id}  ${url}\n${body.join('')}`
}

function breakerWords({ state, open_until }: Health['breaker']): string {
  switch (state) {
    case 'closed':
      return 'closed: deliveries are sent'
    case 'open':
      return `open until ${shortTime(open_until!)}: the service sends nothing before`
    case 'half_open':
      return `half open since ${shortTime(open_until!)}: the service sends the next delivery as a test`
  }
}

function waitingWords({ first_attempts, retries, under_way, ...oldest }: Health['waiting']): string {
  const { oldest_due_seconds } = oldest
  const late = oldest_due_seconds === null ? '' : `, the oldest due for ${age(oldest_due_seconds)}`
  const going = under_way > 0 ? `, ${counted(under_way)} under way` : ''
  return `${counted(first_attempts)} for a first attempt, ${counted(retries)} for a retry or replay${going}${late}`
}

function attemptWords({ succeeded, failed, dead_lettered }: Health['attempts']): string {
  const attemptCounts = { succeeded, failed, 'dead-lettered': dead_lettered }
  const words = Object.entries(attemptCounts).map(([name, { count, median_duration_ms }]) => {
    const median = median_duration_ms === null ? '' : ` (median ${duration(median_duration_ms)})`
    return `${count} ${name}${median}`
  })
  return words.join(', ')
}

/** The newest of the counted attempts, else the attempt that opened the breaker last. */
function failureOf({ last_failure }: Health['breaker'], attempts: Health['attempts']): string {
  const newest = attempts.last_failure
  if (newest) return `${shortTime(newest.occurred_at)}  ${answerOf(newest)}`
  return last_failure === null ? '–' : failureWords(last_failure)
}

function counted(count: number): string {
  return count >= deliveries_waiting_max ? `at least ${deliveries_waiting_max}` : String(count)
}

function age(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}
