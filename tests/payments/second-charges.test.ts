// Two charges of one request, at an acquirer that cannot be asked: a proxy has repeated it, and only notices tell of both.

import { afterEach, expect, test } from 'vitest'
import type { Acquirer, AuthoriseAnswer, Notice } from '../../src/acquirers/acquirer.ts'
import { contradiction } from '../../src/payments/acquirer-operations/contradiction.ts'
import { listOperations } from '../../src/payments/acquirer-operations/operation-store.ts'
import { saveNotices } from '../../src/payments/notices/notice-store.ts'
import { findWholePayment } from '../../src/payments/reading/payment-store.ts'
import { expectBooksAgree } from '../support/books.ts'
import { findingsOf } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { type Fault, faults, useStage } from '../support/settling.ts'

const connection_id = `conn_${'1'.repeat(24)}`
const name = `bank:${connection_id}`
const { clock, acquirer, service, account, settle, run } = await useStage(
  (simulator): Acquirer => ({
    ...simulator,
    name,
    learned_by: 'notice',
    lists: false,
    lookUp: async () => ({ result: 'only_notices_tell' }),
    listAuthorisations: async () => [],
  }),
)
const { client, merchant_id } = account
const { sql } = service

await sql`
  insert into connections (merchant_id, connection_id, kind, connector, label, mode, sealed_credentials, created_at)
  values (${merchant_id}, ${connection_id}, 'acquirer', 'bank', 'main', 'sandbox', '\\x00', ${clock.now()})`

afterEach(async () => {
  acquirer.calm()
  await settle()
  await expectBooksAgree(service)
})

/** Charges, and hears nothing. */
async function lose(fault: Fault = faults.lost_after) {
  const session = await client.open()
  await client.present(session)
  acquirer.meet('authorise', fault)
  const { body } = await driving(clock, client.confirm(session))
  const [row] = await sql<{ operation_id: string }[]>`
    select operation_id from acquirer_operations where payment_id = ${body.payment_id} and kind = 'authorise'`
  return { payment_id: body.payment_id as string, reference: row!.operation_id }
}

const statusOf = async (payment_id: string) => (await client.readPayment(payment_id)).body.status

let minted = 0

async function post(about: Notice['about'], told: Partial<Notice>): Promise<string> {
  minted += 1
  const notice_id = `evt_${minted}`
  const notice: Notice = {
    notice_id,
    about,
    reference: null,
    acquirer_transaction_id: null,
    answer: null,
    authorisation_transaction_id: null,
    occurred_at: clock.now(),
    is_ours: null,
    ...told,
  }
  await saveNotices(sql, { merchant_id, connection_id }, [notice], clock.now())
  await run('handle_notices')
  const [row] = await sql`select outcome from acquirer_notices where notice_id = ${notice_id}`
  return row!.outcome ?? 'later'
}

const approved: AuthoriseAnswer = {
  result: 'approved',
  acquirer_transaction_id: 'theirs',
  captured: false,
  amount: 4200,
  currency: 'GBP',
}
const declined: AuthoriseAnswer = {
  result: 'declined',
  decline: { code: 'insufficient_funds', category: 'soft', reason: null },
  acquirer_transaction_id: 'theirs',
}
const done = { result: 'approved', acquirer_transaction_id: 'theirs' } as const

/** Of a charge with our reference, and the acquirer's own id. */
const tell = (reference: string, id: string, answer: AuthoriseAnswer) =>
  post('authorise', {
    reference,
    authorisation_transaction_id: id,
    acquirer_transaction_id: id,
    answer: { ...answer, acquirer_transaction_id: id },
  })

test.each<[string, AuthoriseAnswer, Fault, boolean, string]>([
  ['that was declined goes back', declined, faults.lost_before, true, 'taken_back'],
  ['on which a payment stands waits for a person', approved, faults.lost_after, false, 'held_back'],
])('a second charge beside one %s', async (_, answer, fault, is_due, outcome) => {
  const { payment_id, reference } = await lose(fault)
  expect(await tell(reference, `first of ${reference}`, answer)).toBe('settled')
  const status = await statusOf(payment_id)
  const id = `second of ${reference}`
  // A refusal of the second says nothing of the first.
  expect(await tell(reference, id, declined)).toBe('second_charge')
  expect(await tell(reference, id, approved)).toBe(outcome)
  expect(await statusOf(payment_id)).toBe(status)
  const orphans = await sql`
    select acquirer_transaction_id as id, next_try_at is not null as is_due, held_back_at is null as is_free
    from orphan_authorisations where payment_id = ${payment_id}`
  expect(orphans).toEqual([{ id, is_due, is_free: is_due }])
  // What is done to the second ends its orphan, and is not done to the first.
  const voided = { reference, authorisation_transaction_id: id, answer: done }
  expect(await post('void', voided)).toBe('settled')
  expect(await statusOf(payment_id)).toBe(status)
  expect(await findingsOf(service, payment_id)).toEqual([])
  await sql`delete from orphan_authorisations where payment_id = ${payment_id}`
})

test('a second charge waits for the outcome of the first', async () => {
  const { reference } = await lose()
  await sql`update acquirer_operations set acquirer_transaction_id = 'first' where operation_id = ${reference}`
  expect(await tell(reference, 'second', approved)).toBe('later')
  expect(await tell(reference, 'first', approved)).toBe('settled')
  await sql`delete from acquirer_notices where handled_at is null`
})

test('nothing is concluded of an approval while the database cannot be read', async () => {
  const { payment_id, reference } = await lose(faults.lost_before)
  expect(await tell(reference, `first of ${reference}`, declined)).toBe('settled')
  const whole = (await findWholePayment(sql, { merchant_id, payment_id }))!
  const [operation] = await listOperations(sql, whole.payment)
  const away = new Proxy(sql, {
    apply: (target, self, values: [TemplateStringsArray, ...unknown[]]) =>
      values[0].join().includes('from acquirer_operations')
        ? Promise.reject(new Error('it is away'))
        : Reflect.apply(target, self, values),
  })
  const ended = { ...whole, operation: operation!, cause: { actor: 'reconciler' as const, request_id: null } }
  const said = { ...approved, acquirer_transaction_id: `second of ${reference}` }
  const judged = contradiction({ ...service.context, sql: away }, ended, said)
  await expect(judged).rejects.toThrow('it is away')
  expect(await contradiction(service.context, ended, said)).toBe('taken_back')
  await sql`delete from orphan_authorisations where payment_id = ${payment_id}`
})
