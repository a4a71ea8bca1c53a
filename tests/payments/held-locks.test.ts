// A lock that somebody holds, for longer than a statement waits, while an outcome is saved.

import { afterEach, expect, test } from 'vitest'
import { expectBooksAgree } from '../support/books.ts'
import { refusal } from '../support/client.ts'
import { hold, openUnverified } from '../support/holding.ts'
import { driving, until } from '../support/service.ts'
import { second_ms, useStage } from '../support/settling.ts'

const { clock, acquirer, service, other, account, settle } = await useStage()
const { client } = account

afterEach(async () => {
  acquirer.calm()
  await settle()
  await expectBooksAgree(service)
})

/** A card that no bank has to be asked about, which is quicker. */
const quick = '4000009000030000'

const opened = async () => {
  const session = await client.open()
  await client.present(session, quick)
  return session
}

/** Locks the payment's session once the acquirer has answered, until `letGo`. */
function locking(verb: 'authorise' | 'capture', session_id: string) {
  const let_go = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  let lock: Promise<unknown> = Promise.resolve()
  acquirer.meet(verb, async (act) => {
    const answer = await act()
    lock = other.sql.begin(async (tx) => {
      await tx`select 1 from sessions where session_id = ${session_id} for update`
      locked.resolve()
      await let_go.promise
    })
    await locked.promise
    return answer
  })
  const letGo = async () => {
    let_go.resolve()
    await lock
  }
  return { locked: locked.promise, letGo }
}

/** The lock_timeout of a connection is 1.5 s, in real time. */
const timedOut = async () => {
  const [row] = await other.sql<[{ count: number }]>`
    select deadlocks + xact_rollback as count from pg_stat_database where datname = current_database()`
  return row.count
}

test('it is waited for: a charge is answered as it ended', { timeout: 30_000 }, async () => {
  const session = await opened()
  const { locked, letGo } = locking('authorise', session.id)
  const before = await timedOut()
  const confirming = client.confirm(session)
  await locked
  await until(timedOut, (count) => count > before)
  await letGo()
  expect((await driving(clock, confirming)).body).toMatchObject({ status: 'captured' })
})

test('it is waited for: so is a decision', { timeout: 30_000 }, async () => {
  const { session, payment_id } = await hold(account, quick)
  const { locked, letGo } = locking('capture', session.id)
  const before = await timedOut()
  const capturing = client.decideHold('capture', payment_id)
  await locked
  await until(timedOut, (count) => count > before)
  await letGo()
  const answer = await driving(clock, capturing)
  expect(refusal(answer)).toBe('200 undefined')
  expect(answer.body).toMatchObject({ status: 'captured' })
})

test('it is held for too long: nothing is known yet, and is found', {
  timeout: 60_000,
}, async () => {
  const session = await openUnverified(account)
  await client.present(session, quick)
  const { locked, letGo } = locking('authorise', session.id)
  const before = await timedOut()
  const confirming = client.confirm(session)
  await locked
  await until(timedOut, (count) => count > before)
  await clock.advance(11 * second_ms)
  const { status, body } = await driving(clock, confirming)
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'processing' } })
  await letGo()
  await settle()
  expect((await client.confirm(session)).body).toMatchObject({ status: 'held' })
})
