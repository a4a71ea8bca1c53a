// Decisions on held payments that meet, in two processes: exactly one is made, whoever asks and whatever the order.

import { afterEach, describe, expect, test, vi } from 'vitest'
import { Unanswered } from '../../src/acquirers/acquirer.ts'
import type { Sql } from '../../src/database/open.ts'
import { listOperations } from '../../src/payments/acquirer-operations/operation-store.ts'
import { settle, withItsRows } from '../../src/payments/acquirer-operations/record-answer.ts'
import { heldOrRefuse } from '../../src/payments/hold.ts'
import { findPaymentWithHold, findWholePayment } from '../../src/payments/reading/payment-store.ts'
import { expectBooksAgree } from '../support/books.ts'
import { type Answer, refusal } from '../support/client.ts'
import { eventsOf, type Held, hold, runJob } from '../support/holding.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { type Account, until } from '../support/service.ts'
import { type Fault, minute_ms, useStage } from '../support/settling.ts'
import { drawing, together } from '../support/together.ts'

const { clock, acquirer, service, other, proxy, account, elsewhere } = await useStage(undefined, {
  lock_limit: 'none',
})
const { sql } = service

// Hundreds of rounds take their time where the machine is busy.
vi.setConfig({ testTimeout: 120_000 })
afterEach(() => expectBooksAgree(service))

/** How many holds are made, and fought for, at the same time. */
const batch = 10
const batches = (count: number) => Array.from({ length: count }, (_, seed) => seed)
/** A card that no bank has to be asked about, which is quicker. */
const quick = '4000009000030000'
const holdMany = (of: Account, number = quick) => Promise.all(Array.from({ length: batch }, () => hold(of, number)))

type DecisionCall = { verb: 'capture' | 'void' | 'escalate'; at: Account; key?: string }
type AnsweredDecision = DecisionCall & { answer: Answer }

const asking =
  (payment_id: string, asked: DecisionCall): (() => Promise<AnsweredDecision>) =>
  async () => {
    const { verb, at, key } = asked
    return { ...asked, answer: await at.client.decideHold(verb, payment_id, key) }
  }

async function paymentOf(operation_id: string): Promise<string> {
  const [row] = await sql<{ payment_id: string }[]>`
    select payment_id from acquirer_operations where operation_id = ${operation_id}`
  return row!.payment_id
}

const isDecision = ({ verb }: DecisionCall) => verb !== 'escalate'

/** Returns who decided, and how. */
async function expectOneDecision(payment_id: string, told: AnsweredDecision[]): Promise<string> {
  const taken = told.filter(({ answer }) => answer.status === 200)
  for (const { answer } of told) {
    if (answer.status !== 200) expect(refusal(answer)).toBe('409 hold_already_decided')
  }
  const decisions = taken.filter(isDecision)
  expect(decisions.length).toBeLessThanOrEqual(1)
  const { status } = (await told[0]!.at.client.readPayment(payment_id)).body
  const [first, second, ...more] = await eventsOf({ sql }, payment_id)
  expect(first).toMatchObject({ sequence: 1, type: 'payment.held' })
  expect(second).toMatchObject({ sequence: 2, type: `payment.${status}` })
  expect(more).toEqual([])
  const escalated = await sql`
    select 1 from journal where subject = ${payment_id} and change = 'hold.escalated'`
  expect(escalated).toHaveLength(taken.length > decisions.length ? 1 : 0)
  const by = decisions.length === 1 ? 'merchant' : 'rules'
  expect(second!.envelope.data.hold).toMatchObject({ status, decided_by: by })
  for (const { verb, answer } of decisions) {
    expect(answer.body).toMatchObject({ status, hold: { status, decided_by: 'merchant' } })
    expect(status).toBe(verb === 'capture' ? 'captured' : 'voided')
  }
  return `${by} ${status}`
}

describe.each(['void', 'capture'] as const)('the deadline has passed, at which rules %s', (rule) => {
  const open = async () => {
    const here = await service.newAccount({
      integration: { review_window_seconds: 60, at_deadline: rule },
    })
    return { here, there: elsewhere(here) }
  }
  const callsOf = (one: Account, two: Account): DecisionCall[] => [
    { verb: 'capture', at: one },
    { verb: 'void', at: two },
    { verb: 'escalate', at: one },
    { verb: 'escalate', at: two },
  ]
  const jobs = [service, other, service, other].map((each) => async () => {
    await runJob(each, 'apply_hold_rules')
  })
  const applyRules = () => Promise.all(jobs.map((apply) => apply()))

  test.each([
    ['capture', 'merchant captured'],
    ['void', 'merchant voided'],
    ['rules', `rules ${rule === 'void' ? 'voided' : 'captured'}`],
  ] as const)('%s first, while the others come', async (first, winner) => {
    const { here, there } = await open()
    const holds = await holdMany(here)
    await clock.advance(minute_ms)
    const calls = callsOf(here, there)
    const told = new Map<string, AnsweredDecision[]>()
    const all_sent = Promise.withResolvers<void>()
    // What is first has been sent, and is answered when all others have been.
    const meetOthers: Fault = async (act, { reference }) => {
      const payment_id = await paymentOf(reference)
      const late = calls.filter(({ verb }) => verb !== first)
      const asks = late.map((call) => asking(payment_id, call)())
      told.set(payment_id, await Promise.all(asks))
      if (told.size === batch) all_sent.resolve()
      // The rules decide whatever is open.
      if (first !== 'rules') await all_sent.promise.then(applyRules)
      return act()
    }
    acquirer.meet(first === 'rules' ? rule : first, ...holds.map(() => meetOthers))
    if (first === 'rules') await applyRules()
    const call = calls.find(({ verb }) => verb === first)
    const fights = holds.map(async ({ payment_id }) => {
      const answered = call ? [await asking(payment_id, call)()] : []
      return expectOneDecision(payment_id, [...answered, ...told.get(payment_id)!])
    })
    expect(await Promise.all(fights)).toEqual(holds.map(() => winner))
  })

  test('capture, void, escalate and the rules at the same instant, 150 rounds', async () => {
    const { here, there } = await open()
    for (const seed of batches(15)) {
      const holds = await holdMany(here)
      await clock.advance(minute_ms)
      const draw = drawing(seed)
      const fights = holds.map(({ payment_id }, at) => {
        const [one, two] = draw(2) === 0 ? [here, there] : [there, here]
        return together(seed * batch + at, ...callsOf(one, two).map((call) => asking(payment_id, call)))
      })
      const [told] = await Promise.all([Promise.all(fights), together(seed, ...jobs)])
      for (const [at, { payment_id }] of holds.entries()) {
        await expectOneDecision(payment_id, told[at]!)
      }
    }
  })
})

test('before the deadline: two captures and two voids at the same instant, 100 rounds', async () => {
  const there = elsewhere(account)
  for (const seed of batches(10)) {
    const holds = await holdMany(account)
    await Promise.all(
      holds.map(async ({ payment_id }, at) => {
        const told = await together(
          seed * batch + at,
          asking(payment_id, { verb: 'capture', at: account }),
          asking(payment_id, { verb: 'capture', at: there }),
          asking(payment_id, { verb: 'void', at: account }),
          asking(payment_id, { verb: 'void', at: there }),
        )
        expect(await expectOneDecision(payment_id, told)).toMatch(/^merchant/)
      }),
    )
  }
})

test('the acquirer refuses a capture once while a void is asked for, 50 rounds', async () => {
  const there = elsewhere(account)
  for (const seed of batches(5)) {
    const holds = await holdMany(account, '4000009190520000')
    await Promise.all(
      holds.map(async ({ payment_id }, at) => {
        const told = await together(
          seed * batch + at,
          asking(payment_id, { verb: 'capture', at: account }),
          asking(payment_id, { verb: 'void', at: there }),
          asking(payment_id, { verb: 'capture', at: there }),
        )
        const refused = told.filter(({ answer }) => refusal(answer) === '409 operation_refused')
        expect(refused.length).toBeLessThanOrEqual(1)
        const rest = told.filter((each) => !refused.includes(each))
        if (rest.every(({ answer }) => answer.status !== 200)) {
          // Nobody decided: it is still held, and the next one can.
          rest.push(await asking(payment_id, { verb: 'capture', at: there })())
        }
        expect(await expectOneDecision(payment_id, rest)).toMatch(/^merchant/)
      }),
    )
  }
})

describe('a hold that is captured while it is escalated and escalated', () => {
  const shown = ({ body }: Answer) => `${body.status} ${body.hold.status}`

  test('every answer shows payment and hold of one moment: one after the other, and then 100 rounds', async () => {
    const there = elsewhere(account)
    /** Escalates until that is refused. */
    const escalating = (payment_id: string, at: Account) => async () => {
      const answers: Answer[] = []
      for (;;) {
        const { answer } = await asking(payment_id, { verb: 'escalate', at })()
        if (answer.status !== 200) return answers
        answers.push(answer)
      }
    }
    const possible = ['held escalated', 'captured captured']
    const { payment_id } = await hold(account, quick)
    for (const [at, verb] of (['escalate', 'capture'] as const).entries()) {
      const { answer } = await asking(payment_id, { verb, at: account })()
      expect(shown(answer)).toBe(possible[at])
    }
    for (const seed of batches(10)) {
      const holds = await holdMany(account)
      await Promise.all(
        holds.map(async ({ payment_id }, at) => {
          const capturing = async () => [(await asking(payment_id, { verb: 'capture', at: there })()).answer]
          const told = await together(
            seed * batch + at,
            capturing,
            escalating(payment_id, account),
            escalating(payment_id, there),
          )
          for (const answer of told.flat()) expect(possible).toContain(shown(answer))
        }),
      )
    }
  })
})

describe('one idempotency key', () => {
  const running = '409 idempotency_key_reused'

  test.each(['capture', 'void', 'escalate'] as const)('%s, eight times at once, 20 rounds', async (verb) => {
    const there = elsewhere(account)
    for (const seed of batches(2)) {
      const holds = await holdMany(account)
      await Promise.all(
        holds.map(async ({ payment_id }, at) => {
          const key = `${verb} ${seed} ${at}`
          const starts = Array.from({ length: 8 }, (_, each) =>
            asking(payment_id, { verb, key, at: each % 2 === 0 ? account : there }),
          )
          const told = await together(seed * batch + at, ...starts)
          told.push(await asking(payment_id, { verb, key, at: there })())
          const answered = told.filter(({ answer }) => answer.status === 200)
          const others = told.filter((each) => !answered.includes(each))
          for (const { answer } of others) expect(refusal(answer)).toBe(running)
          expect(answered).not.toEqual([])
          expect(new Set(answered.map(({ answer }) => answer.text)).size).toBe(1)
          const first = answered.filter(({ answer }) => answer.headers.get('rip-idempotent-replayed') === 'false')
          expect(first).toHaveLength(1)
          const operations = await sql`select 1 from acquirer_operations
            where payment_id = ${payment_id} and kind <> 'authorise'`
          expect(operations).toHaveLength(verb === 'escalate' ? 0 : 1)
        }),
      )
    }
  })

  test('for capture and void at once: the one that came first has it, 30 rounds', async () => {
    const there = elsewhere(account)
    for (const seed of batches(3)) {
      const holds = await holdMany(account)
      await Promise.all(
        holds.map(async ({ payment_id }, at) => {
          const key = `both ${seed} ${at}`
          const told = await together(
            seed * batch + at,
            asking(payment_id, { verb: 'capture', at: account, key }),
            asking(payment_id, { verb: 'void', at: there, key }),
          )
          expect(told.map(({ answer }) => refusal(answer)).sort()).toEqual(['200 undefined', running])
        }),
      )
    }
  })
})

test('the acquirer is found to have refused a capture just before its answer is recorded', async () => {
  const { payment_id } = await hold(account, quick)
  const called = Promise.withResolvers<void>()
  const lost = Promise.withResolvers<never>()
  acquirer.meet('capture', () => {
    called.resolve()
    return lost.promise
  })
  const capture = asking(payment_id, { verb: 'capture', at: account, key: 'refused late' })
  const countWaits = () => countLockWaits(other.sql)
  const told = [capture()]
  await called.promise
  await sql.begin(async (tx) => {
    await tx`select 1 from idempotency_keys where key = 'refused late' for update`
    lost.reject(new Unanswered('the answer was lost'))
    await until(countWaits, (count) => count === 1)
    told.push(capture())
    await until(countWaits, (count) => count === 2)
    await refuse(tx as never, payment_id)
  })
  for (const { answer } of await Promise.all(told)) {
    expect(refusal(answer)).toBe('409 operation_refused')
  }
  const { answer } = await capture()
  expect(answer.body).toMatchObject({ status: 'captured', settlement: null })
  expect(answer.headers.get('rip-idempotent-replayed')).toBe('false')
})

test('a decision that loses its connection once it is made is no replay', async () => {
  const { payment_id } = await hold(account, quick)
  const lost = proxy.lost()
  acquirer.meet('capture', (act) => {
    // The first is saved, the second read for the answer.
    proxy.loseNextAnswer(payment_id, 2)
    return act()
  })
  const ask = asking(payment_id, { verb: 'capture', at: account, key: 'lost while read' })
  const [first, again] = [await ask(), await ask()]
  expect(proxy.lost() - lost).toBe(1)
  const replayed = [first, again].map(({ answer }) => answer.headers.get('rip-idempotent-replayed'))
  expect(replayed).toEqual(['false', 'true'])
  expect(again.answer.text).toBe(first.answer.text)
  expect(first.answer.body).toMatchObject({ status: 'captured' })
})

/** What the search for the answer to a capture does once it finds that it was refused. */
async function refuse(tx: Sql, payment_id: string): Promise<void> {
  const key = { merchant_id: account.merchant_id, payment_id }
  const held = heldOrRefuse(await findWholePayment(tx, key))
  const operation = (await listOperations(tx, key)).find(({ kind }) => kind === 'capture')!
  const cause = { actor: 'reconciler', request_id: null } as const
  const subject = await withItsRows(service.context, { ...held, operation, cause })
  const settled = await settle({ ...service.context, sql: tx }, subject, {
    result: 'refused',
    authorisation_known: true,
    reason: 'The issuer refused it',
    decline_code: null,
  })
  expect(settled).toMatchObject({ kind: 'decision', event: null, operation: { state: 'refused' } })
}

test('a read beside a decision sees payment, hold and operation of one moment', async () => {
  const { merchant_id } = account
  const { payment_id } = await hold(account, quick)
  const read = async () => heldOrRefuse(await findPaymentWithHold(sql, { merchant_id, payment_id }))
  acquirer.meet('capture', async (act) => {
    expect(await read()).toMatchObject({
      payment: { status: 'held' },
      hold: { operation_id: expect.any(String) },
      operation: { kind: 'capture', asked_by: 'merchant', sent_at: clock.now() },
    })
    return act()
  })
  const seen: Awaited<ReturnType<typeof read>>[] = []
  let is_over = false
  const reading = (async () => {
    while (!is_over) seen.push(await read())
  })()
  await account.client.decideHold('capture', payment_id)
  is_over = true
  await reading
  for (const { payment, hold, operation } of [...seen, await read()]) {
    expect(operation === null).toBe(hold.operation_id === null)
    expect(payment.status).toBe(hold.decided_at === null ? 'held' : hold.status)
  }
  expect(await read()).toMatchObject({ hold: { status: 'captured' }, operation: null })
})

describe('captured payments of one order reference', () => {
  const count = async (of: Account, payment_id: string) =>
    (await of.client.readPayment(payment_id)).body.order_reference_captured_payments

  test('captured at the same instant in two processes, 200 rounds of 2 to 5', async () => {
    const there = elsewhere(account)
    const round = async (seed: number) => {
      const draw = drawing(seed)
      const order_reference = `order ${seed}`
      const holds = await Promise.all(
        Array.from({ length: 2 + draw(4) }, () => hold(account, quick, { order_reference })),
      )
      const [{ payment_id }] = holds as [Held]
      expect(await count(account, payment_id)).toBe(0)
      const starts = holds.map(({ payment_id }) =>
        asking(payment_id, { verb: 'capture', at: draw(2) === 0 ? account : there }),
      )
      const told = await together(seed, ...starts)
      const counts = told.map(({ answer }) => answer.body.order_reference_captured_payments)
      // Whoever looked last saw all of them; nobody saw none, nor more than there are.
      expect(Math.max(...counts)).toBe(holds.length)
      expect(Math.min(...counts)).toBeGreaterThanOrEqual(1)
      expect(await count(there, payment_id)).toBe(holds.length)
    }
    for (const seed of batches(25)) {
      await Promise.all(Array.from({ length: 8 }, (_, each) => round(seed * 8 + each)))
    }
  })

  test('one after the other, with what is only held, voided or paid at once between them', async () => {
    const order_reference = 'one after the other'
    const holds = await Promise.all(Array.from({ length: 4 }, () => hold(account, quick, { order_reference })))
    const [first, second, third, fourth] = holds.map(({ payment_id }) => payment_id)
    const decide = async (verb: string, payment_id: string) =>
      (await account.client.decideHold(verb, payment_id)).body.order_reference_captured_payments
    expect(await decide('escalate', first!)).toBe(0)
    expect(await decide('capture', first!)).toBe(1)
    expect(await decide('void', second!)).toBe(1)
    expect(await decide('capture', third!)).toBe(2)
    const { body } = await account.client.pay(undefined, {
      amount: 100,
      currency: 'GBP',
      customer: { email: 'ada@example.com' },
      order_reference,
    })
    expect(await count(account, body.payment_id)).toBe(3)
    expect(await count(account, fourth!)).toBe(3)
    const stranger = await service.newAccount()
    const { payment_id } = await hold(stranger, quick, { order_reference })
    await stranger.client.decideHold('capture', payment_id)
    expect(await count(stranger, payment_id)).toBe(1)
  })
})
