// Sends request after request and judges each answer. A seed decides every plan; an episode has accounts of its own.

import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import type { Service } from '../../tests/support/service.ts'
import { type Composed, compose } from './compose.ts'
import { type Coverage, openCoverage } from './coverage.ts'
import { type Document, type Operation, operationsOf } from './document.ts'
import { bytesOf } from './hazards.ts'
import { cardNumbersIn, codeOf, faultsOf, logFaults } from './judge.ts'
import { pageOperations } from './pages.ts'
import { type Plan, planOf } from './plan.ts'
import { learn } from './pool.ts'
import { openStage, type Stage } from './stage.ts'
import { tablesWithCards } from './stored.ts'
import { type Answer, type Exchange, headerOf, type Line, openLine } from './wire.ts'

export type FuzzOptions = {
  seed: number
  requests: number
  /** Only this request is judged; those before it in its episode are sent to make its state. */
  only: number | null
  /** So many requests have the same accounts. */
  episode?: number
  onProgress?(done: number, failures: number): void
  /** Ends it before its last request. */
  isOver?(): boolean
  /** Told at once, since a campaign may be long. */
  onFailure?(failure: Failure): void
}

/** A request that was answered wrongly. `bytes` are those that were sent, after shrinking where that was possible. */
export type Failure = {
  index: number
  operation: string
  faults: string[]
  shrunk: number
  bytes: Buffer
  answer: string
}

export type Report = {
  sent: number
  failures: Failure[]
  /** Tables that keep the number of a card in clear text. */
  exposed: string[]
  coverage: Coverage
  took_ms: number
}

const failures_max = 50
const shrinks_max = 150

type Course = {
  service: Service
  document: Document
  operations: Operation[]
  plans: fc.Arbitrary<Plan>
  coverage: Coverage
  /** Two, for what is sent at the same time. */
  lines: [Line, Line]
  /** Card numbers that were sent to where cards are entered: nothing may ever say them. */
  cards: Set<string>
  told: number
  keys: number
  /** Rows are counted around each create, and not only now and then. */
  counts_always: boolean
}

export async function runCampaign(service: Service, asked: FuzzOptions): Promise<Report> {
  const started = performance.now()
  const { seed, requests, only, episode = 500 } = asked
  const course = { ...(await openCourse(service)), counts_always: only !== null }
  const failures: Failure[] = []
  const first = only === null ? 0 : only - (only % episode)
  const last = only === null ? requests : only + 1
  let stage: Stage | null = null
  let sent = 0
  for (let index = first; index < last && failures.length < failures_max; index++) {
    if (asked.isOver?.()) break
    if (stage === null || index % episode === 0) stage = await openStage(service)
    const is_judged = only === null || index === only
    sent++
    const failure = await sendOne(course, stage, { seed, index, is_judged })
    if (failure) {
      failures.push(failure)
      asked.onFailure?.(failure)
    }
    if (service.log.length > 5_000) service.log.length = 0
    if (index % 1_000 === 999) asked.onProgress?.(index + 1, failures.length)
  }
  for (const line of course.lines) line.close()
  const { coverage, cards } = course
  const exposed = await tablesWithCards(service.sql, cards)
  return { sent, failures, exposed, coverage, took_ms: performance.now() - started }
}

async function openCourse(service: Service): Promise<Course> {
  const document = (await (await fetch(`${service.base_url}/openapi.json`)).json()) as Document
  const described = operationsOf(document)
  const port = Number(new URL(service.base_url).port)
  return {
    service,
    document,
    operations: described,
    coverage: openCoverage(described),
    plans: fc.oneof(...[...described, ...pageOperations].map((each) => planOf(each))),
    lines: [openLine(port), openLine(port)],
    cards: new Set(),
    told: 0,
    keys: 0,
    counts_always: false,
  }
}

/** A request and, where it is answered wrongly, smaller ones that are too. */
async function sendOne(
  course: Course,
  stage: Stage,
  { seed, index, is_judged }: { seed: number; index: number; is_judged: boolean },
): Promise<Failure | null> {
  let last: Omit<Failure, 'index' | 'shrunk'> | null = null
  let shrinks = 0
  const property = fc.asyncProperty(course.plans, async (plan) => {
    if (last && ++shrinks > shrinks_max) return
    const failure = await attempt(course, stage, plan)
    if (!failure || !is_judged) return
    last = failure
    throw new Error(failure.faults.join())
  })
  // Plans of neighbouring seeds look alike; a multiplication keeps them apart.
  const own_seed = Math.imul(seed * 1_000_003 + index, 0x9e3779b1)
  const { numShrinks } = await fc.check(property, { seed: own_seed, numRuns: 1, verbose: 0 })
  return last === null ? null : { ...(last as Failure), index, shrunk: numShrinks }
}

async function attempt(course: Course, stage: Stage, plan: Plan): Promise<Omit<Failure, 'index' | 'shrunk'> | null> {
  const operation = [...course.operations, ...pageOperations].find(({ name }) => name === plan.operation)!
  const composed = compose(plan, operation, stage, `fuzz ${course.keys++}`)
  course.told = course.service.log.length
  if (operation.path.endsWith('/card_references')) {
    for (const number of cardNumbersIn(composed.sent)) course.cards.add(number)
  }
  const before = await rowsBefore(course, stage, composed)
  const { exchange, faults } = await converse(course, composed)
  const [answer] = exchange.answers
  if (answer) {
    keep(course, stage, composed, answer)
    if (before !== null && answer.status >= 400) {
      const after = await countRows(course.service, stage)
      if (after !== before) faults.push(`a refusal left rows: ${before}, then ${after}`)
    }
  }
  faults.push(...saidCards(course, answer), ...(await logged(course, composed)))
  if (faults.length === 0) return null
  const bytes = Buffer.concat(composed.ruined.pieces)
  return { operation: operation.name, faults, bytes, answer: told(exchange) }
}

async function converse(course: Course, composed: Composed): Promise<{ exchange: Exchange; faults: string[] }> {
  const { ruined, plan, made } = composed
  const may_stay_silent = ruined.expects !== 'route'
  const sending = {
    pieces: ruined.pieces,
    pause_ms: ruined.pause_ms,
    answers: ruined.answers ?? 1,
    half_close: ruined.half_close,
    is_last: plan.hazard !== null,
    is_head: made.method === 'HEAD',
    patience_ms: may_stay_silent ? 300 : 15_000,
  }
  const [line, other] = course.lines
  const twins = plan.times === 'twins' && !plan.hazard
  const [exchange, beside] = await Promise.all([line.send(sending), twins ? other.send(sending) : null])
  const faults = faultsOf(course, composed, exchange)
  if (beside) {
    faults.push(...faultsOf(course, composed, beside))
    note(course, composed, beside.answers[0])
    faults.push(...twinFaults(composed, exchange.answers[0], beside.answers[0]))
  }
  if (plan.times === 'again' && !plan.hazard && exchange.answers[0]) {
    const again = await line.send({ ...sending, pieces: [bytesOf(made)] })
    faults.push(...faultsOf(course, composed, again))
    note(course, composed, again.answers[0])
    faults.push(...replayFaults(composed, exchange.answers[0], again.answers[0]))
  }
  return { exchange, faults }
}

/** A success under a key is answered again to the byte, and says that it is. */
export function replayFaults({ key, operation }: Composed, first: Answer, again?: Answer): string[] {
  const replayed = again && headerOf(again, 'rip-idempotent-replayed')
  if (!key || first.status >= 300 || operation.keys.length === 0 || !again) return []
  // The limit of a webhook route comes before its replays.
  if (again.status === 429) return []
  if (again.status !== first.status) return [`a replay of ${first.status} is ${again.status}`]
  if (replayed !== 'true') return ['a replay does not say so']
  return again.body.equals(first.body) ? [] : ['a replay has another body']
}

/** Two at once under one key: one does it, and the other hears the same or that it is running. */
export function twinFaults({ key, operation }: Composed, one?: Answer, other?: Answer): string[] {
  if (!key || operation.keys.length === 0 || !one || !other) return []
  const done = [one, other].filter(({ status }) => status < 300)
  if (done.length < 2) return []
  return one.body.equals(other.body) ? [] : ['two answers under one key differ']
}

function keep(course: Course, stage: Stage, composed: Composed, answer: Answer): void {
  const { operation, session, key, plan } = composed
  note(course, composed, answer)
  if (plan.method !== null && plan.method !== operation.method) return
  if (key && answer.status < 300) stage.pool.keys.push(key)
  learn(stage.pool, operation, { answer, session })
}

function note({ coverage, operations }: Course, composed: Composed, answer?: Answer): void {
  const { operation, plan, ruined } = composed
  const is_its_own = plan.method === null && plan.path === 'plain' && ruined.expects === 'route'
  if (!answer || !is_its_own || !operations.includes(operation)) return
  coverage.saw(operation, answer.status, codeOf(answer))
}

/** Now and then rows are counted around a request, to see that a refused one makes none. */
async function rowsBefore(course: Course, stage: Stage, { operation, plan }: Composed): Promise<string | null> {
  const creates = operation.method === 'POST' && !operation.params.includes('session_id')
  const is_turn = course.counts_always || course.keys % 8 === 0
  if (!creates || plan.times !== 'once' || !is_turn) return null
  return countRows(course.service, stage)
}

async function countRows({ sql }: Service, { merchant_ids }: Stage): Promise<string> {
  const [row] = await sql<{ counts: string }[]>`
    select concat_ws(' ',
      (select count(*) from sessions where merchant_id = any(${merchant_ids})),
      (select count(*) from payments where merchant_id = any(${merchant_ids})),
      (select count(*) from webhook_endpoints where merchant_id = any(${merchant_ids})),
      (select count(*) from webhook_deliveries where merchant_id = any(${merchant_ids})),
      (select count(*) from idempotency_keys where merchant_id = any(${merchant_ids}))) as counts`
  return row!.counts
}

function saidCards({ cards }: Course, answer?: Answer): string[] {
  if (!answer) return []
  const said = cardNumbersIn(answer.body.toString())
  return said.some((number) => cards.has(number)) ? ['it says a card that was entered'] : []
}

async function logged({ service, told, cards }: Course, composed: Composed): Promise<string[]> {
  // What is logged of an answer is logged after it.
  if (service.log.length === told) await pause(0)
  const lines = service.log
    .slice(told)
    .map((line) => JSON.stringify(line))
    .join('\n')
  const faults = logFaults(lines, composed)
  const said = cardNumbersIn(lines).some((number) => cards.has(number))
  const failed = /"level":"error".*/.exec(lines)?.[0]
  return [
    ...faults,
    ...(said ? ['the log says a card that was entered'] : []),
    ...(failed ? [`the log tells of ${failed.slice(0, 600)}`] : []),
  ]
}

function told({ answers, ended, rest }: Exchange): string {
  const texts = answers.map(
    ({ status, headers, body }) =>
      `${status}\n${headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${body.toString().slice(0, 400)}`,
  )
  return [...texts, `(the connection is ${ended}, ${rest.length} more bytes)`].join('\n---\n')
}
