// Kinds of acquirers that the simulated one is not: one that names an authorisation before any money moves, and one that
// cannot be asked what became of a request.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Acquirer, type PrepareAnswer, Unanswered } from '../../src/acquirers/acquirer.ts'
import { expectBooksAgree } from '../support/books.ts'
import { booksOf, eventsOf, hold } from '../support/holding.ts'
import { driving, until } from '../support/service.ts'
import { faults, second_ms, useStage } from '../support/settling.ts'

/** Whether the acquirer can be asked, and what it does before the next charge. */
let tells = true
let prepare: () => Promise<PrepareAnswer> = prepared
const handles: (string | null)[] = []

async function prepared(): Promise<PrepareAnswer> {
  return { result: 'prepared', handle: 'theirs_1' }
}

const { clock, acquirer, service, other, account, settle, run } = await useStage(
  (simulator): Acquirer => ({
    ...simulator,
    prepare: () => prepare(),
    authorise(request) {
      handles.push(request.handle)
      return simulator.authorise(request)
    },
    async lookUp(request) {
      if (!tells) return { result: 'only_notices_tell' }
      handles.push(request.authorisation.handle)
      return simulator.lookUp(request)
    },
  }),
)
const { client } = account

beforeEach(() => {
  tells = true
  handles.length = 0
  prepare = prepared
})

afterEach(async () => {
  acquirer.calm()
  await settle()
  await expectBooksAgree(service)
})

async function charge() {
  const session = await client.open()
  await client.present(session)
  const { body } = await driving(clock, client.confirm(session))
  return { session, body }
}

const sent = () => acquirer.calls.filter(({ verb }) => verb === 'authorise').length

describe('an acquirer that names an authorisation before any money moves', () => {
  test('is sent its name, and asked by it', async () => {
    acquirer.meet('authorise', faults.lost_after)
    const { session, body } = await charge()
    expect(body.status).toBe('processing')
    const [row] = await service.sql`
      select handle, state from acquirer_operations where payment_id = ${body.payment_id}`
    expect(row).toEqual({ handle: 'theirs_1', state: 'unknown' })
    await settle()
    expect((await client.confirm(session)).body.status).toBe('captured')
    expect(handles).toEqual(['theirs_1', 'theirs_1'])
  })

  test.each<[string, () => Promise<PrepareAnswer>, string, string]>([
    [
      'declines',
      async () => ({
        result: 'declined',
        decline: { code: 'expired_card', category: 'hard', reason: 'Expired' },
        acquirer_transaction_id: null,
      }),
      'declined',
      'expired_card',
    ],
    [
      'does not answer',
      async () => {
        throw new Unanswered('nothing was heard')
      },
      'failed',
      'processing_error',
    ],
    [
      'is broken',
      async () => {
        throw new Error('a defect')
      },
      'failed',
      'processing_error',
    ],
  ])('that %s then is not charged', async (_, answer, status, code) => {
    prepare = answer
    const before = sent()
    const { body } = await charge()
    expect(body).toMatchObject({ status, decline: { code } })
    expect(sent()).toBe(before)
    expect(await settle()).toBe(0)
  })

  test('may take longer for it than an intent may age', async () => {
    prepare = async () => {
      await clock.sleep(10 * second_ms)
      return prepared()
    }
    const { body } = await charge()
    expect(body.status).toBe('captured')
  })

  test('is not charged if the reconciler looks for the answer by then', async () => {
    const before = sent()
    const reached = Promise.withResolvers<void>()
    const opened = Promise.withResolvers<void>()
    prepare = async () => {
      reached.resolve()
      await opened.promise
      return prepared()
    }
    const session = await client.open()
    await client.present(session)
    const confirming = client.confirm(session)
    await reached.promise
    // The deadline of the call itself is over at 20 s; the process stands still at that moment.
    await service.sql`update acquirer_operations set next_check_at = ${clock.now()}, answer_by = ${clock.now()}
      where state = 'sent'`
    await run('reconcile', [other])
    opened.resolve()
    expect((await confirming).body.status).toBe('processing')
    expect(sent()).toBe(before)
    await settle()
    const { body } = await client.confirm(session)
    expect(body.status).toBe('failed')
    expect(await booksOf(service, body.payment_id)).toMatchObject({ authorised_at: null })
  })
})

describe('an acquirer that cannot be asked', () => {
  beforeEach(() => {
    tells = false
  })

  test.each([
    ['reached it', faults.lost_after],
    ['never did', faults.lost_before],
  ] as const)('has a charge taken back that %s and was not answered', async (_, fault) => {
    acquirer.meet('authorise', fault)
    const { session, body } = await charge()
    expect(body.status).toBe('processing')
    await settle()
    expect((await client.confirm(session)).body.status).toBe('failed')
    const books = await booksOf(service, body.payment_id)
    expect(!books?.authorised_at || books.reversed_at !== null).toBe(true)
    expect(await eventsOf(service, body.payment_id)).toMatchObject([{ type: 'payment.failed' }])
  })

  test.each([
    ['reached it', faults.lost_after],
    ['never did', faults.lost_before],
  ] as const)('is sent a capture again that %s and was not answered', async (_, fault) => {
    const { payment_id } = await hold(account)
    acquirer.meet('capture', fault)
    await driving(clock, client.decideHold('capture', payment_id))
    await settle()
    await until(
      async () => (await client.readPayment(payment_id)).body.status,
      (status) => status === 'captured',
    )
    const references = acquirer.calls.filter(({ verb }) => verb === 'capture').map(({ reference }) => reference)
    expect(new Set(references.slice(-2)).size).toBe(1)
  })
})
