// Holds whose authorisation was captured, voided or has lapsed at the acquirer without the service: each comes to an end.

import { afterEach, describe, expect, test } from 'vitest'
import { nameOf } from '../adapters/acquirer-requests.ts'
import { expectBooksAgree } from '../support/books.ts'
import { refusal } from '../support/client.ts'
import { booksOf, eventsOf, hold } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { day_ms, faults, useStage } from '../support/settling.ts'

const { clock, acquirer, service, account, settle, run } = await useStage()
const { client } = account

afterEach(async () => {
  acquirer.calm()
  await settle()
  await expectBooksAgree(service)
})

/** A card that no bank has to be asked about, which is quicker. */
const quick = '4000009000030000'

/** What a person does in the acquirer's portal. */
async function inPortal(verb: 'capture' | 'void' | 'reverse', payment_id: string): Promise<void> {
  const [row] = await service.sql<{ reference: string }[]>`
    select operation_id as reference from acquirer_operations
    where payment_id = ${payment_id} and kind = 'authorise'`
  const answer = await service.context.acquirerOf('test', null)[verb]({
    reference: service.context.ids.operation(clock.now()),
    authorisation: nameOf(row!.reference),
    amount: 4200,
    currency: 'GBP',
  })
  expect(answer).toMatchObject({ result: 'approved' })
}

const heldElsewhere = async (verb: 'capture' | 'void' | 'reverse') => {
  const { payment_id } = await hold(account, quick)
  await inPortal(verb, payment_id)
  return payment_id
}

async function expectEnd(payment_id: string, status: 'captured' | 'voided'): Promise<void> {
  const { body } = await client.readPayment(payment_id)
  expect(body).toMatchObject({ status, capture_state: status })
  const events = await eventsOf(service, payment_id)
  expect(events.map(({ type }) => type)).toEqual(['payment.held', `payment.${status}`])
  const next = await client.decideHold('void', payment_id)
  expect(refusal(next)).toBe('409 hold_already_decided')
}

describe('what was captured in the portal', () => {
  test('a capture finds captured, and answers so', async () => {
    const payment_id = await heldElsewhere('capture')
    const answer = await client.decideHold('capture', payment_id)
    expect(refusal(answer), answer.text).toBe('200 undefined')
    expect(answer.body).toMatchObject({
      status: 'captured',
      hold: { status: 'captured', decided_by: 'merchant' },
    })
    await expectEnd(payment_id, 'captured')
  })

  test('a void is refused, and the payment counts as captured', async () => {
    const payment_id = await heldElsewhere('capture')
    const answer = await client.decideHold('void', payment_id)
    expect(refusal(answer)).toBe('409 operation_refused')
    expect(answer.body.message).toMatch(/It counts as captured now\.$/)
    await expectEnd(payment_id, 'captured')
  })

  test('so do the rules', async () => {
    const payment_id = await heldElsewhere('capture')
    await clock.advance(6 * day_ms)
    await run('apply_hold_rules')
    await expectEnd(payment_id, 'captured')
    expect((await client.readPayment(payment_id)).body).toMatchObject({ status: 'captured' })
  })

  test('a refusal that the search finds does the same', async () => {
    const payment_id = await heldElsewhere('capture')
    acquirer.meet('void', faults.lost_after)
    const answer = await driving(clock, client.decideHold('void', payment_id))
    expect(answer.body).toMatchObject({ settlement: 'awaiting_reconciliation' })
    await settle()
    await expectEnd(payment_id, 'captured')
  })

  test('stays held where the acquirer cannot be reached; the next decision asks again', async () => {
    const payment_id = await heldElsewhere('capture')
    acquirer.meet('lookUp', faults.broken_before)
    const answer = await client.decideHold('void', payment_id)
    expect(answer.body.message).toMatch(/It is still held\.$/)
    expect((await client.readPayment(payment_id)).body).toMatchObject({ status: 'held' })
    expect(refusal(await client.decideHold('void', payment_id))).toBe('409 operation_refused')
    await expectEnd(payment_id, 'captured')
  })

  test('is found in the list where the acquirer has forgotten its reference', async () => {
    const payment_id = await heldElsewhere('capture')
    acquirer.meet('lookUp', async () => ({ result: 'not_found' }))
    const answer = await client.decideHold('capture', payment_id)
    expect(answer.body).toMatchObject({ status: 'captured' })
    await expectEnd(payment_id, 'captured')
  })

  test.each([
    [100, true],
    [4199, true],
    [0, false],
    [4201, false],
  ])('%i of 4200 that were taken are recorded, and found: %s', async (amount, is_part) => {
    const payment_id = await heldElsewhere('capture')
    acquirer.meet('lookUp', async (act) => {
      const look = (await act()) as { standing: object }
      return { ...look, standing: { ...look.standing, amount } }
    })
    const answer = await client.decideHold('capture', payment_id)
    const found = await service.sql`select kind, theirs from acquirer_findings where payment_id = ${payment_id}`
    if (is_part) {
      expect(answer.body, answer.text).toMatchObject({ status: 'captured', amount: 4200, captured_amount: amount })
      expect(found).toMatchObject([{ kind: 'amount_differs', theirs: { state: 'captured', amount } }])
      expect(refusal(await client.refund(payment_id, { amount: amount + 1 }))).toMatch(/^409 /)
      // The simulator took the whole: its books are set to what it said.
      await service.sql`update simulator.ledger set captured_amount = ${amount} where captured_at is not null
        and reference = (select operation_id from acquirer_operations where payment_id = ${payment_id} and kind = 'authorise')`
      return
    }
    expect(refusal(answer)).toBe('409 operation_refused')
    expect((await client.readPayment(payment_id)).body).toMatchObject({ status: 'held' })
    expect(found).toEqual([])
    await client.decideHold('capture', payment_id)
    await expectEnd(payment_id, 'captured')
  })

  test('two at once end in one', async () => {
    const payment_id = await heldElsewhere('capture')
    await Promise.all([client.decideHold('capture', payment_id), client.decideHold('void', payment_id)])
    await client.decideHold('capture', payment_id)
    await expectEnd(payment_id, 'captured')
  })
})

describe.each(['void', 'reverse'] as const)('what the portal did: %s', (verb) => {
  test('a void of it is done', async () => {
    const payment_id = await heldElsewhere(verb)
    const answer = await client.decideHold('void', payment_id)
    expect(answer.body).toMatchObject({ status: 'voided', hold: { status: 'voided' } })
    await expectEnd(payment_id, 'voided')
  })

  test('a capture of it is refused, and a void ends it', async () => {
    const payment_id = await heldElsewhere(verb)
    expect(refusal(await client.decideHold('capture', payment_id))).toBe('409 operation_refused')
    expect((await client.readPayment(payment_id)).body).toMatchObject({ status: 'held' })
    await client.decideHold('void', payment_id)
    await expectEnd(payment_id, 'voided')
  })
})

test('rules that would capture what has lapsed end it as voided', async () => {
  const account = await service.newAccount({ integration: { at_deadline: 'capture' } })
  const { payment_id } = await hold(account, quick)
  await inPortal('void', payment_id)
  const expired = async () => ({
    result: 'refused',
    reason: 'It has lapsed',
    decline_code: 'expired',
    authorisation_known: true,
  })
  acquirer.meet('capture', expired)
  acquirer.meet('void', expired)
  await clock.advance(6 * day_ms)
  await run('apply_hold_rules')
  expect((await account.client.readPayment(payment_id)).body).toMatchObject({ status: 'held' })
  await clock.advance(day_ms)
  await run('apply_hold_rules')
  const { body } = await account.client.readPayment(payment_id)
  expect(body).toMatchObject({ status: 'voided' })
  expect(await booksOf(service, payment_id)).toMatchObject({ voided_at: expect.any(Date) })
})
