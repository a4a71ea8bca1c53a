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
    .map(({ fields }) => fields as { operation_id: string; counted: boolean })

/** Who is first: one of both, made to, or whoever a seed lets be first. */
type Order = 'answer' | 'search' | number
const pinned: Order[] = ['answer', 'search']
/** How late answers end if it is pinned who is first: they are counted, or found out before. */
const pinnedEnds = (order: Order) => each.map(() => order === 'answer')

type Gates = Map<string, ReturnType<typeof holdUp>>

/** Holds up a call's answer, and first perhaps its request. */
function holdUp(held_up: 'request' | 'answer') {
  const [way_there, way_back] = [gate('request'), gate('answer')]
  if (held_up === 'answer') way_there.open()
  const fault: Fault = (act, call) => way_back.fault(() => way_there.fault(act, call), call)
  /** Lets the acquirer do it, and still holds up the answer. */
  const arrive = () => {
    way_there.open()
    return way_back.reached
  }
  const open = () => {
    way_there.open()
    way_back.open()
  }
  return { fault, reached: (held_up === 'request' ? way_there : way_back).reached, arrive, open }
}

/** Sends them all, and lets the time of their answers pass. Returns what they were told, and what holds each call up. */
async function sendAndWait(
  verb: Verb,
  held_up: 'request' | 'answer',
  send: (() => Promise<Answer>)[],
): Promise<{ told: Answer[]; gates: Gates }> {
  const made = send.map(() => holdUp(held_up))
  acquirer.meet(verb, ...made.map(({ fault }) => fault))
  const sending = send.map((start) => start())
  const references = await Promise.all(made.map(({ reached }) => reached))
  await clock.advance(20 * second_ms)
  const gates = new Map(references.map((reference, at) => [reference, made[at]!]))
  return { told: await Promise.all(sending), gates }
}

/**
 * Each answer comes in the moment in which it is looked for; `look` is what that finds. Both processes look. Returns how
 * the answers ended.
 */
async function meet(order: Order, gates: Gates, look: Fault = (act) => act()): Promise<boolean[]> {
  const next = drawing(typeof order === 'number' ? order : 0)
  const looks = Array.from(
    gates,
    (): Fault => async (act, call) => {
      const held = gates.get(call.reference)!
      if (typeof order === 'number') {
        // A look goes on with several statements, a late answer with one: to meet it has to come later.
        void turns(next(40)).then(held.open)
      } else {
        await held.arrive()
        if (order === 'answer') await letIn(held, call.reference)
      }
      return look(act, call)
    },
  )
  acquirer.meet('lookUp', ...looks)
  await Promise.all([service, other].map((each) => runJob(each, 'reconcile')))
  for (const held of gates.values()) held.open()
  const ends = await until(
    async () => lateAnswers().filter(({ operation_id }) => gates.has(operation_id)),
    ({ length }) => length === gates.size,
  )
  return ends.map(({ counted }) => counted)
}

/** The answer to a call comes, and what it says is recorded. */
async function letIn({ open }: ReturnType<typeof holdUp>, reference: string): Promise<void> {
  open()
  await until(async () => lateAnswers().some(({ operation_id }) => operation_id === reference), Boolean)
}

test.each(['answer', 'request'] as const)(
  'charges, the %s being late: either is first, and then 100 rounds',
  async (held_up) => {
    for (const order of [...pinned, ...batches(10)]) {
      const sessions = await Promise.all(each.map((at) => (at % 2 === 0 ? client.open() : openUnverified(account))))
      await Promise.all(sessions.map((session) => client.present(session, quick)))
      const confirms = sessions.map((session, at) => () => (at % 3 === 0 ? there : client).confirm(session))
      const { told, gates } = await sendAndWait('authorise', held_up, confirms)
      for (const { body } of told) expect(body.status).toBe('processing')
      await clock.advance(5 * second_ms)
      const ends = await meet(order, gates)
      if (pinned.includes(order)) expect(ends).toEqual(pinnedEnds(order))
      await settle()
      for (const [at, session] of sessions.entries()) {
        const status = at % 2 === 0 ? 'captured' : 'held'
        const { payment_id } = told[at]!.body
        expect((await client.confirm(session)).body).toMatchObject({ status, payment_id })
        expect(await eventsOf(service, payment_id)).toMatchObject([{ type: `payment.${status}` }])
      }
    }
  },
)

test.each(['answer', 'request'] as const)(
  'captures and voids, the %s being late: either is first, and then 100 rounds',
  async (held_up) => {
    const rounds: [Verb, Order][] = [
      ...pinned.flatMap((order): [Verb, Order][] => [
        ['capture', order],
        ['void', order],
      ]),
      ...batches(10).map((seed): [Verb, Order] => [seed % 2 === 0 ? 'capture' : 'void', seed]),
    ]
    for (const [verb, order] of rounds) {
      const holds = await Promise.all(each.map(() => hold(account, quick)))
      const decisions = holds.map(
        ({ payment_id }, at) =>
          () =>
            (at % 3 === 0 ? there : client).decideHold(verb, payment_id),
      )
      const { told, gates } = await sendAndWait(verb, held_up, decisions)
      for (const { body } of told) expect(body).toMatchObject({ status: 'held', settlement: 'awaiting_reconciliation' })
      await clock.advance(5 * second_ms)
      const ends = await meet(order, gates)
      if (pinned.includes(order)) expect(ends).toEqual(pinnedEnds(order))
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
  },
)

test('a charge that is being taken back while its answer comes: either is first, and then 100 rounds', async () => {
  for (const order of [...pinned, ...batches(10)]) {
    const outcomes: string[] = []
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
    const ends = await meet(order, gates, hidden)
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
    if (pinned.includes(order)) {
      expect(ends).toEqual(pinnedEnds(order))
      expect(outcomes).toEqual(each.map(() => (order === 'answer' ? 'captured' : 'failed')))
    }
  }
})
