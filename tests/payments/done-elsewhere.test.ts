// What a person does in the portal of an acquirer that cannot be asked: a capture, void or refund that nobody here asked for.

import { afterEach, describe, expect, test } from 'vitest'
import type { Acquirer, Notice, SettleAnswer } from '../../src/acquirers/acquirer.ts'
import { saveNotices } from '../../src/payments/notices/notice-store.ts'
import { expectBooksAgree } from '../support/books.ts'
import { booksOf, eventsOf, findingsOf, hold } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { useStage } from '../support/settling.ts'

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

let minted = 0

/** As the portal's acts are told: by the charge's reference, under an id that we have never heard. */
async function tell(
  payment_id: string,
  about: Notice['about'],
  { result = 'approved', money = whole }: { result?: 'approved' | 'refused'; money?: Money } = {},
) {
  minted += 1
  const theirs = `portal_${minted}`
  const done = { result: 'approved', acquirer_transaction_id: theirs, ...(money && { money }) }
  const no = { result, reason: 'No', decline_code: null, authorisation_known: true }
  const notice: Notice = {
    notice_id: `evt_${minted}`,
    about,
    reference: await chargeOf(payment_id),
    is_ours: null,
    acquirer_transaction_id: theirs,
    authorisation_transaction_id: null,
    answer: (result === 'approved' ? done : no) as SettleAnswer,
    occurred_at: clock.now(),
  }
  await saveNotices(sql, { merchant_id, connection_id }, [notice], clock.now())
  return { theirs, outcome: () => outcomeOf(notice) }
}

/** What is done in the portal stands in the bank's books. */
async function act(payment_id: string, verb: 'capture' | 'void', money = whole) {
  const simulated = service.context.acquirerOf('test', null)
  const reference = await chargeOf(payment_id)
  const authorisation = { reference, handle: null, acquirer_transaction_id: null }
  const asked = { authorisation, reference: service.context.ids.operation(clock.now()) }
  expect(await simulated[verb]({ ...asked, ...money })).toMatchObject({ result: 'approved' })
}

type Money = { amount: number; currency: string } | null
const whole = { amount: 4200, currency: 'GBP' }
const part = { amount: 1200, currency: 'GBP' }

async function outcomeOf({ notice_id }: Notice): Promise<string> {
  const [row] = await sql`select outcome from acquirer_notices where notice_id = ${notice_id}`
  return row!.outcome ?? 'later'
}

async function chargeOf(payment_id: string): Promise<string> {
  const [row] = await sql<{ operation_id: string }[]>`
    select operation_id from acquirer_operations where payment_id = ${payment_id} and kind = 'authorise'`
  return row!.operation_id
}

const statusOf = async (payment_id: string) => (await client.readPayment(payment_id)).body.status

test.each(['void', 'expiry'] as const)('%s of what a capture of a part left is no news', async (about) => {
  const { payment_id } = await hold(account)
  const captured = await driving(clock, client.decideHold('capture', payment_id, crypto.randomUUID(), { amount: 1200 }))
  expect(captured.body).toMatchObject({ status: 'captured', captured_amount: 1200 })
  const told = await tell(payment_id, about, { money: { amount: 3000, currency: 'GBP' } })
  await run('handle_notices')
  expect(await told.outcome()).toBe('nothing_new')
  expect(await findingsOf(service, payment_id)).toEqual([])
})

describe('of a held payment', () => {
  test.each([
    ['capture', 'captured'],
    ['void', 'voided'],
  ] as const)('a %s ends the hold as %s, and the merchant hears of it', async (about, status) => {
    const { payment_id } = await hold(account)
    await act(payment_id, about)
    const told = await tell(payment_id, about)
    const before = acquirer.calls.length
    await run('handle_notices')
    expect(await told.outcome()).toBe('settled')
    expect(await statusOf(payment_id)).toBe(status)
    const events = await eventsOf(service, payment_id)
    expect(events.map(({ type }) => type)).toEqual(['payment.held', `payment.${status}`])
    const asked = acquirer.calls.slice(before).map(({ verb }) => verb)
    expect(asked).not.toContain(about)
    const again = await tell(payment_id, about)
    await run('handle_notices')
    expect(await again.outcome()).toBe('nothing_new')
    // The acquirer itself has said so: there is nothing to take back.
    const orphans = await sql`select 1 from orphan_authorisations where payment_id = ${payment_id}`
    expect(orphans).toEqual([])
  })

  test.each([
    ['of more than was authorised', { amount: 4201, currency: 'GBP' }],
    ['of nothing', { amount: 0, currency: 'GBP' }],
    ['in another currency', { amount: 4200, currency: 'EUR' }],
    ['of an unknown amount', null],
  ])('a capture %s is a finding, and the hold waits', async (_, money) => {
    const { payment_id } = await hold(account)
    const told = await tell(payment_id, 'capture', { money })
    await run('handle_notices')
    expect(await told.outcome()).toBe('contradicts')
    expect(await statusOf(payment_id)).toBe('held')
    expect(await findingsOf(service, payment_id)).toMatchObject([
      {
        reference: await chargeOf(payment_id),
        kind: 'captured_there',
        theirs: { state: 'captured', amount: money?.amount ?? null },
      },
    ])
  })

  test('the capture of a part captures that part, and is a finding; so is a second one', async () => {
    const { payment_id } = await hold(account)
    await act(payment_id, 'capture', part)
    const told = await tell(payment_id, 'capture', { money: part })
    await run('handle_notices')
    expect(await told.outcome()).toBe('settled')
    const { body } = await client.readPayment(payment_id)
    expect(body).toMatchObject({ status: 'captured', amount: 4200, captured_amount: 1200 })
    expect((await client.refund(payment_id, { amount: 1201 })).status).toBe(409)
    const reference = await chargeOf(payment_id)
    const found = { reference, kind: 'amount_differs', theirs: { state: 'captured', amount: 1200 } }
    expect(await findingsOf(service, payment_id)).toMatchObject([found])
    const second = await tell(payment_id, 'capture', { money: { amount: 1000, currency: 'GBP' } })
    await run('handle_notices')
    expect(await second.outcome()).toBe('contradicts')
    expect(await findingsOf(service, payment_id)).toMatchObject([
      { ...found, theirs: { state: 'captured', amount: 1000 } },
    ])
  })

  test('a capture that was refused there changes nothing', async () => {
    const { payment_id } = await hold(account)
    const told = await tell(payment_id, 'capture', { result: 'refused' })
    await run('handle_notices')
    expect(await told.outcome()).not.toBe('settled')
    expect(await statusOf(payment_id)).toBe('held')
    expect(await booksOf(service, payment_id)).toMatchObject({ captured_at: null })
  })

  test('a capture waits for the answer to the one that is asked for here', async () => {
    const { payment_id } = await hold(account)
    acquirer.meet('void', async (act) => {
      await act()
      return { result: 'accepted', acquirer_transaction_id: 'ours' }
    })
    await client.decideHold('void', payment_id)
    const told = await tell(payment_id, 'capture')
    await run('handle_notices')
    expect(await told.outcome()).toBe('later')
    expect(await statusOf(payment_id)).toBe('held')
    const [own] = await sql`
      select operation_id from acquirer_operations where payment_id = ${payment_id} and kind = 'void'`
    const answer = { result: 'approved', acquirer_transaction_id: 'ours' } as const
    const notice = {
      ...({ notice_id: 'evt_own', about: 'void', reference: own!.operation_id, answer } as const),
      acquirer_transaction_id: 'ours',
      authorisation_transaction_id: null,
      occurred_at: clock.now(),
      is_ours: null,
    }
    await saveNotices(sql, { merchant_id, connection_id }, [notice], clock.now())
    await run('handle_notices')
    expect(await statusOf(payment_id)).toBe('voided')
  })
})

describe('of a captured payment', () => {
  test('each refund is a finding, told once', async () => {
    const { payment_id } = (await client.pay()).body
    const parts = [1000, 200].map((amount) => ({ amount, currency: 'GBP' }))
    const told = [
      await tell(payment_id, 'refund', { money: parts[0]! }),
      await tell(payment_id, 'refund', { money: parts[1]! }),
    ]
    await run('handle_notices')
    for (const { outcome } of told) expect(await outcome()).toBe('contradicts')
    const found = await findingsOf(service, payment_id)
    expect(found.map(({ reference, kind, theirs }) => [reference, kind, theirs.amount])).toEqual(
      expect.arrayContaining([
        [told[0]!.theirs, 'reversed_there', 1000],
        [told[1]!.theirs, 'reversed_there', 200],
      ]),
    )
    expect(found).toHaveLength(2)
    expect(await statusOf(payment_id)).toBe('captured')
  })

  test('another capture changes nothing', async () => {
    const { payment_id } = (await client.pay()).body
    const told = await tell(payment_id, 'capture')
    await run('handle_notices')
    expect(await told.outcome()).toBe('nothing_new')
    expect(await findingsOf(service, payment_id)).toEqual([])
  })
})

test('a reversal that a bank sends back makes its charge an orphan, which is reversed again', async () => {
  const session = await client.open()
  await client.present(session, '4000009190290000')
  const { payment_id } = (await driving(clock, client.confirm(session))).body
  await settle()
  expect(await statusOf(payment_id)).toBe('failed')
  const [reversal] = await sql<{ operation_id: string; state: string }[]>`
    select operation_id, state from acquirer_operations where payment_id = ${payment_id} and kind = 'reverse'`
  expect(reversal).toMatchObject({ state: 'approved' })
  const failure: Notice = {
    notice_id: 'evt_back',
    about: 'refund',
    reference: reversal!.operation_id,
    is_ours: null,
    acquirer_transaction_id: 'theirs',
    authorisation_transaction_id: null,
    answer: { result: 'refused', reason: 'No', decline_code: null, authorisation_known: true },
    occurred_at: clock.now(),
  }
  await saveNotices(sql, { merchant_id, connection_id }, [failure], clock.now())
  await run('handle_notices')
  expect(await outcomeOf(failure)).toBe('taken_back')
  const [orphan] = await sql`
    select reference, state, next_try_at from orphan_authorisations where payment_id = ${payment_id}`
  expect(orphan).toEqual({ reference: await chargeOf(payment_id), state: 'found', next_try_at: clock.now() })
  expect(await findingsOf(service, payment_id)).toEqual([])
})
