// A short campaign of the fuzzer, and that each of its oracles finds what it is there for.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { replayFaults, runCampaign, twinFaults } from '../../proofs/fuzz/campaign.ts'
import { type Composed, compose } from '../../proofs/fuzz/compose.ts'
import { type Document, type Operation, operationsOf } from '../../proofs/fuzz/document.ts'
import { faultsOf, logFaults } from '../../proofs/fuzz/judge.ts'
import type { Plan } from '../../proofs/fuzz/plan.ts'
import { describe as tell } from '../../proofs/fuzz/report.ts'
import { openStage, type Stage } from '../../proofs/fuzz/stage.ts'
import { tablesWithCards } from '../../proofs/fuzz/stored.ts'
import { startTarget } from '../../proofs/fuzz/target.ts'
import { type Answer, openLine } from '../../proofs/fuzz/wire.ts'
import { visa } from '../support/client.ts'
import type { Service } from '../support/service.ts'

let service: Service
let document: Document
let operations: Operation[]
let stage: Stage
beforeAll(async () => {
  service = await startTarget()
  document = (await (await fetch(`${service.base_url}/openapi.json`)).json()) as Document
  operations = operationsOf(document)
  stage = await openStage(service)
})
afterAll(() => service.close())

const seed = 1

test('700 requests of one seed find nothing', { timeout: 60_000 }, async () => {
  const report = await runCampaign(service, { seed, requests: 700, only: null })
  expect(report.failures.map((failure) => tell(failure, seed))).toEqual([])
  expect(report.exposed).toEqual([])
  expect(report.coverage.counts().seen).toBeGreaterThan(80)
})

const plan: Plan = {
  operation: '',
  caller: 'main',
  secret: 'own',
  origin: null,
  key: 'fresh',
  query: [],
  place: { from: 'fitting', at: 0 },
  body: null,
  as: 'json',
  type: 'good',
  values: [],
  bytes: [],
  headers: [],
  method: null,
  path: 'plain',
  hazard: null,
  times: 'once',
}

function composed(name: string, asked: Partial<Plan>): Composed {
  const operation = operations.find((each) => each.name === name)!
  const key = crypto.randomUUID()
  return compose({ ...plan, operation: name, ...asked }, operation, stage, key)
}

async function ask(asked: Partial<Plan>): Promise<{ request: Composed; answer: Answer }> {
  const request = composed(create, asked)
  const line = openLine(Number(new URL(service.base_url).port))
  const { pieces } = request.ruined
  const { answers } = await line.send({ pieces, answers: 1, patience_ms: 5_000 })
  line.close()
  return { request, answer: answers[0]! }
}

const create = 'POST /v1/checkout/sessions'
const marked = 'zqbcdfghjk'
const refusedCreate = { body: { amount: marked, currency: `card ${visa}` } }
const judge = (request: Composed, answers: Answer[]) =>
  faultsOf({ document, operations }, request, { answers, ended: 'open', rest: Buffer.alloc(0), took_ms: 1 }).join('; ')
const saying = (answer: Answer, change: (text: string) => string): Answer => ({
  ...answer,
  body: Buffer.from(change(answer.body.toString())),
})

test.each<[string, RegExp, (answer: Answer) => Answer]>([
  ['nothing wrong', /^$/, (answer) => answer],
  ['a failure of the service', /a status of 500/, (answer) => ({ ...answer, status: 500 })],
  ['a status that is not described', /418 .*not described/, (answer) => ({ ...answer, status: 418 })],
  ['no request id', /no Rip-Request-Id/, (answer) => ({ ...answer, headers: [] })],
  ['another request id', /request_id/, (answer) => saying(answer, (text) => text.replace(/req_./, 'req_'))],
  ['another family', /missing/, (answer) => saying(answer, () => '{"code":"invalid_request"}')],
  [
    'a code of other routes',
    /none of/,
    (answer) => saying(answer, (text) => text.replace('invalid_request', 'handle_not_found')),
  ],
  ['no JSON', /no JSON/, (answer) => saying(answer, () => 'Not found')],
  ['what was sent', /repeats a sent value/, (answer) => saying(answer, (text) => text.replace('amount', marked))],
  [
    'a card number',
    /repeats a card number/,
    (answer) => saying(answer, (text) => text.replace('amount', visa.replace(/.{4}/g, '$& '))),
  ],
  ['a secret key', /secret key/, (answer) => saying(answer, (text) => text.replace('amount', stage.secret_keys.main))],
  [
    'a client secret',
    /client secret/,
    (answer) => saying(answer, (text) => text.replace('amount', stage.pool.own.sessions[0]!.client_secret)),
  ],
  [
    'a refusal that may be cached',
    /cached/,
    (answer) => ({
      ...answer,
      headers: answer.headers.filter(([name]) => name !== 'cache-control'),
    }),
  ],
])('the judge finds %s', async (_, words, change) => {
  const { request, answer } = await ask(refusedCreate)
  expect(answer.status).toBe(400)
  expect(judge(request, [change(answer)])).toMatch(words)
})

test('the judge finds that there was no answer, but not where HTTP allows none', () => {
  expect(judge(composed(create, refusedCreate), [])).toMatch(/no answer/)
  expect(judge(composed(create, { ...refusedCreate, hazard: 'cut_head' }), [])).toBe('')
})

test('the judge finds that bytes which are not HTTP were taken', async () => {
  const { request, answer } = await ask({ ...refusedCreate, hazard: 'nul_in_header' })
  expect(judge(request, [answer])).toBe('')
  const taken = await ask(refusedCreate)
  expect(judge(request, [taken.answer])).toBe('bytes that are not HTTP were taken: 400')
  expect(judge(request, [{ ...answer, headers: [] }])).toMatch(/no Rip-Request-Id/)
})

test('a replay that differs, or does not say that it is one, is found', async () => {
  const asked = { body: { amount: 1, currency: 'GBP' } }
  const { request, answer } = await ask(asked)
  expect(answer.status).toBe(201)
  const said: Answer = { ...answer, headers: [['Rip-Idempotent-Replayed', 'true']] }
  expect(replayFaults(request, answer, said)).toEqual([])
  expect(replayFaults(request, answer, answer)).toEqual(['a replay does not say so'])
  const other = saying(said, (text) => `${text} `)
  expect(replayFaults(request, answer, other)).toEqual(['a replay has another body'])
  expect(twinFaults(request, answer, other)).toEqual(['two answers under one key differ'])
})

test('what the log or the database gives away is found', async () => {
  const request = composed(create, refusedCreate)
  expect(logFaults('{"message":"request"}', request)).toEqual([])
  expect(logFaults(`{"body":"${visa}"}`, request)).toEqual(['the log repeats a card number'])
  expect(logFaults(marked, request)).toEqual(['the log repeats a sent value'])
  expect(logFaults(stage.secret_keys.main, request)).toEqual(['the log says a secret_key'])
  const [merchant_id] = stage.merchant_ids
  await service.sql`update merchants set name = ${`Tea ${visa}`} where merchant_id = ${merchant_id!}`
  expect(await tablesWithCards(service.sql, new Set([visa]))).toEqual(['public.merchants'])
})
