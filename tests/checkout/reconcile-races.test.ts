// A late answer and the search for it meet: whoever is first is counted, once, and the other changes nothing.

import { afterEach, expect, test, vi } from 'vitest'
import { expectBooksAgree } from '../support/books.ts'
import type { Answer } from '../support/client.ts'
import { booksOf, eventsOf, hold, openUnverified, runJob } from '../support/holding.ts'
import { until } from '../support/service.ts'
import { type Fault, gate, second_ms, useStage, type Verb } from '../support/settling.ts'
import { drawing, turns } from '../support/together.ts'

const { clock, acquirer, service, other, account, elsewhere, settle } = await useStage()
const { client } = account
const there = elsewhere(account).client

// Hundreds of rounds take their time where the machine is busy.
vi.setConfig({ testTimeout: 120_000 })

afterEach(async () => {
  acquirer.calm()
  await settle()
  await expectBooksAgree(service)
})

/** A card that no bank has to be asked about, which is quicker. */
const quick = '4000009000030000'
const batch = 10
const batches = (count: number) => Array.from({ length: count }, (_, seed) => seed)
const each = Array.from({ length: batch }, (_, at) => at)

/** How late answers ended so far: counted, or found out before. */
const lateAnswers = () =>
  [...service.log, ...other.log]
    .filter(({ message }) => message === 'late answer')
    .map(({ fields }) => (fields as { counted: boolean }).counted)

type Gates = Map<string, ReturnType<typeof gate>>

/** Sends them all, and lets the time of their answers pass. Returns what they were told, and what holds each call up. */
async function sendAndWait(
  verb: Verb,
  held_up: 'request' | 'answer',
  send: (() => Promise<Answer>)[],
): Promise<{ told: Answer[]; gates: Gates }> {
  const made = send.map(() => gate(held_up))
  acquirer.meet(verb, ...made.map(({ fault }) => fault))
  const sending = send.map((start) => start())
  const references = await Promise.all(made.map(({ reached }) => reached))
  await clock.advance(20 * second_ms)
  const gates = new Map(references.map((reference, at) => [reference, made[at]!]))
  return { told: await Promise.all(sending), gates }
}

/** Each answer comes in the moment in which it is looked for; `look` is what that finds. Both processes look. */
async function meet(seed: number, gates: Gates, look: Fault = (act) => act()): Promise<void> {
  const expected = lateAnswers().length + gates.size
  const next = drawing(seed)
  const looks = Array.from(
    gates,
    (): Fault => async (act, call) => {
      // A look goes on with several statements, a late answer with one: to meet it has to come later.
      void turns(next(40)).then(() => gates.get(call.reference)!.open())
      return look(act, call)
    },
  )
  acquirer.meet('lookUp', ...looks)
  await Promise.all([service, other].map((each) => runJob(each, 'reconcile')))
  await until(
    async () => lateAnswers().length,
    (count) => count === expected,
  )
}

test.each(['answer', 'request'] as const)(
  'charges, the %s being late, 100 rounds',
  async (held_up) => {
    const before = lateAnswers().length
    for (const seed of batches(10)) {
      const sessions = await Promise.all(
        each.map((at) => (at % 2 === 0 ? client.open() : openUnverified(account))),
      )
      await Promise.all(sessions.map((session) => client.present(session, quick)))
      const confirms = sessions.map(
        (session, at) => () => (at % 3 === 0 ? there : client).confirm(session),
      )
      const { told, gates } = await sendAndWait('authorise', held_up, confirms)
      for (const { body } of told) expect(body.status).toBe('processing')
      await clock.advance(5 * second_ms)
      await meet(seed, gates)
      await settle()
      for (const [at, session] of sessions.entries()) {
        const status = at % 2 === 0 ? 'captured' : 'held'
        const { payment_id } = told[at]!.body
        expect((await client.confirm(session)).body).toMatchObject({ status, payment_id })
        expect(await eventsOf(service, payment_id)).toMatchObject([{ type: `payment.${status}` }])
      }
    }
    // The race is one: now the answer is first, now the search.
    expect(new Set(lateAnswers().slice(before))).toEqual(new Set([true, false]))
  },
)

test.each(['answer', 'request'] as const)(
  'captures and voids, the %s being late, 100 rounds',
  async (held_up) => {
    const before = lateAnswers().length
    for (const seed of batches(10)) {
      const verb = seed % 2 === 0 ? 'capture' : 'void'
      const holds = await Promise.all(each.map(() => hold(account, quick)))
      const decisions = holds.map(
        ({ payment_id }, at) =>
          () =>
            (at % 3 === 0 ? there : client).decideHold(verb, payment_id),
      )
      const { told, gates } = await sendAndWait(verb, held_up, decisions)
      for (const { body } of told)
        expect(body).toMatchObject({ status: 'held', settlement: 'awaiting_reconciliation' })
      await clock.advance(5 * second_ms)
      await meet(seed, gates)
      await settle()
      const status = verb === 'capture' ? 'captured' : 'voided'
      for (const { payment_id } of holds) {
        expect((await there.readPayment(payment_id)).body.status).toBe(status)
        expect(await eventsOf(service, payment_id)).toMatchObject([
          { type: 'payment.held' },
          { type: `payment.${status}`, sequence: 2 },
        ])
      }
    }
    // The race is one: now the answer is first, now the search.
    expect(new Set(lateAnswers().slice(before))).toEqual(new Set([true, false]))
  },
)

test('a charge that is being taken back while its answer comes, 100 rounds', async () => {
  const outcomes: string[] = []
  for (const seed of batches(10)) {
    const sessions = await Promise.all(each.map(() => client.open()))
    await Promise.all(sessions.map((session) => client.present(session, quick)))
    const hidden: Fault = async () => ({ result: 'not_found' })
    acquirer.meet('lookUp', ...Array(100).fill(hidden))
    const confirms = sessions.map((session) => () => client.confirm(session))
    const { gates, told } = await sendAndWait('authorise', 'answer', confirms)
    for (const seconds of [5, 6]) {
      await clock.advance(seconds * second_ms)
      await runJob(service, 'reconcile')
    }
    await clock.advance(5 * second_ms)
    await meet(seed, gates, hidden)
    acquirer.calm()
    await settle()
    for (const [at, session] of sessions.entries()) {
      const { status, payment_id } = (await client.confirm(session)).body
      expect(payment_id).toBe(told[at]!.body.payment_id)
      outcomes.push(status)
      const books = (await booksOf(service, payment_id))!
      expect(books.reversed_at === null).toBe(status === 'captured')
      expect(await eventsOf(service, payment_id)).toMatchObject([{ type: `payment.${status}` }])
    }
  }
  expect(new Set(outcomes)).toEqual(new Set(['captured', 'failed']))
})
