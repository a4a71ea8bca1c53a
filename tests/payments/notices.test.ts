// What acquirers post by themselves: late, twice, out of order, before the answer to the request, and about what is not ours.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type Acquirer,
  type AuthoriseAnswer,
  type Notice,
  type SettleAnswer,
  Unanswered,
} from '../../src/acquirers/acquirer.ts'
import { suggests } from '../../src/acquirers/answers.ts'
import { listGivenUp, saveNotices } from '../../src/payments/notices/notice-store.ts'
import { expectBooksAgree } from '../support/books.ts'
import { booksOf, eventsOf, findingsOf, hold } from '../support/holding.ts'
import { driving } from '../support/service.ts'
import { day_ms, type Fault, faults, gate, minute_ms, useStage } from '../support/settling.ts'

const connection_id = `conn_${'1'.repeat(24)}`
const name = `bank:${connection_id}`

/** Whether the acquirer can be asked, too. */
let can_be_asked = false

const { clock, acquirer, service, other, account, settle, run } = await useStage(
  (simulator): Acquirer => ({
    ...simulator,
    name,
    get learned_by() {
      return can_be_asked ? ('reference' as const) : ('notice' as const)
    },
    lookUp: async (request) => (can_be_asked ? simulator.lookUp(request) : { result: 'only_notices_tell' }),
  }),
)
const { client, merchant_id } = account
const { sql } = service

await sql`
  insert into connections (merchant_id, connection_id, kind, connector, label, mode, sealed_credentials, created_at)
  values (${merchant_id}, ${connection_id}, 'acquirer', 'bank', 'main', 'sandbox', '\\x00', ${clock.now()})`

beforeEach(() => {
  can_be_asked = false
})

afterEach(async () => {
  acquirer.calm()
  await settle()
  await expectBooksAgree(service)
  // The next test may let days pass, and has another acquirer.
  await sql`delete from acquirer_notices where handled_at is null`
})

let minted = 0

function notice(said: Partial<Notice> & Pick<Notice, 'about' | 'reference'>): Notice {
  minted += 1
  return {
    notice_id: `evt_${minted}`,
    acquirer_transaction_id: null,
    authorisation_transaction_id: null,
    answer: null,
    occurred_at: clock.now(),
    is_ours: true,
    ...said,
  }
}

async function post(...notices: Notice[]): Promise<string[]> {
  await saveNotices(sql, { merchant_id, connection_id }, notices, clock.now())
  await run('handle_notices')
  return outcomesOf(...notices)
}

async function outcomesOf(...notices: Notice[]): Promise<string[]> {
  const ids = notices.map(({ notice_id }) => notice_id)
  const rows = await sql<{ outcome: string | null }[]>`
    select outcome from acquirer_notices where notice_id = any(${ids}) order by notice_id`
  return rows.map(({ outcome }) => outcome ?? 'later')
}

async function referenceOf(payment_id: string, kind = 'authorise'): Promise<string> {
  const rows = await sql<{ operation_id: string }[]>`
    select operation_id from acquirer_operations where payment_id = ${payment_id} and kind = ${kind}
    order by sequence desc`
  return rows[0]!.operation_id
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
const done: SettleAnswer = { result: 'approved', acquirer_transaction_id: 'theirs' }

function refused(decline_code: string, authorisation_known = true): SettleAnswer {
  return { result: 'refused', reason: 'No', decline_code, authorisation_known }
}

/** Charges, and hears nothing. */
async function lose(fault: Fault = faults.lost_after) {
  const session = await client.open()
  await client.present(session)
  acquirer.meet('authorise', fault)
  const { body } = await driving(clock, client.confirm(session))
  expect(body.status).toBe('processing')
  const { payment_id } = body
  return { session, payment_id, reference: await referenceOf(payment_id) }
}

const statusOf = async (payment_id: string) => (await client.readPayment(payment_id)).body.status

describe('where only notices bring the outcome', () => {
  test.each<[string, AuthoriseAnswer, string]>([
    ['approved', approved, 'captured'],
    ['declined', declined, 'declined'],
  ])('a lost charge is %s by its notice', async (_, answer, status) => {
    const fault = status === 'captured' ? faults.lost_after : faults.lost_before
    const { payment_id, reference } = await lose(fault)
    expect(await post(notice({ about: 'authorise', reference, answer }))).toEqual(['settled'])
    expect(await statusOf(payment_id)).toBe(status)
    expect(await settle()).toBe(0)
    expect(await eventsOf(service, payment_id)).toMatchObject([{ type: `payment.${status}` }])
  })

  test('a notice may come before the answer to the request', async () => {
    const session = await client.open()
    await client.present(session)
    const { fault, reached, open } = gate('answer')
    acquirer.meet('authorise', fault)
    const confirming = client.confirm(session)
    const reference = await reached
    expect(await post(notice({ about: 'authorise', reference, answer: approved }))).toEqual(['settled'])
    open()
    const { body } = await confirming
    expect(body.status).toBe('captured')
    expect(await eventsOf(service, body.payment_id)).toHaveLength(1)
  })

  test('the same notice twice is one, and another about what is known changes nothing', async () => {
    const { payment_id, reference } = await lose()
    const first = notice({ about: 'authorise', reference, answer: approved })
    await post(first)
    expect(await saveNotices(sql, { merchant_id, connection_id }, [first], clock.now())).toBe(0)
    const second = notice({ about: 'authorise', reference, answer: approved })
    expect(await post(second)).toEqual(['nothing_new'])
    expect(await eventsOf(service, payment_id)).toHaveLength(1)
  })

  test.each<[string, SettleAnswer, string]>([
    ['approved', done, 'captured'],
    ['refused', refused('insufficient_funds'), 'held'],
  ])('a capture that was accepted is %s days later', async (_, answer, status) => {
    const { payment_id, session } = await hold(account)
    acquirer.meet('capture', async (act) => {
      if (status === 'captured') await act()
      return { result: 'accepted', acquirer_transaction_id: 'theirs' }
    })
    expect((await client.decideHold('capture', payment_id)).status).toBe(202)
    await clock.advance(40 * minute_ms)
    await run('reconcile')
    // The notice of a modification may bear the reference of the charge alone.
    const reference = await referenceOf(payment_id)
    const posted = notice({
      about: 'capture',
      reference,
      acquirer_transaction_id: 'theirs',
      answer,
    })
    expect(await post(posted)).toEqual(['settled'])
    const { body } = await client.readSession(session.id)
    expect(body).toMatchObject({
      settlement: null,
      hold: { status: status === 'held' ? 'pending_review' : status },
    })
    if (status === 'held') expect(body.hold.operation_refusal).toMatchObject({ kind: 'capture' })
  })

  /** Nobody hears of a charge, so it is reversed; then a notice about the reversal comes, and makes it fail. */
  async function takeBack(answer: SettleAnswer, before: (reference: string) => Promise<void>) {
    const { payment_id, reference } = await lose(faults.lost_before)
    acquirer.meet('reverse', async () => ({ result: 'accepted', acquirer_transaction_id: 'r' }))
    for (let look = 0; look < 6; look++) {
      await clock.advance(minute_ms)
      await run('reconcile')
    }
    const [row] = await sql`select state from acquirer_operations where operation_id = ${reference}`
    expect(row).toEqual({ state: 'reversing' })
    await before(reference)
    const reversal = await referenceOf(payment_id, 'reverse')
    await post(notice({ about: 'reverse', reference: reversal, answer }))
    await run('reconcile')
    expect(await statusOf(payment_id)).toBe('failed')
    await clock.advance(minute_ms)
    return reference
  }

  test('a decline that comes while its reversal is not answered leaves no session waiting', async () => {
    const { session, payment_id, reference } = await lose(faults.lost_before)
    acquirer.meet('reverse', async () => {
      expect(await post(notice({ about: 'authorise', reference, answer: declined }))).toEqual(['settled'])
      throw new Unanswered('nothing came')
    })
    for (let look = 0; look < 6; look++) {
      await clock.advance(minute_ms)
      await run('reconcile')
    }
    expect(await statusOf(payment_id)).toBe('declined')
    expect((await client.readSession(session.id)).body).toMatchObject({ settlement: null })
  })

  test('an approval that comes after the charge was reversed is no news: nothing is reversed again', async () => {
    const reference = await takeBack(done, async () => {})
    const late = notice({ about: 'authorise', reference, answer: approved })
    expect(await post(late)).toEqual(['nothing_new'])
    const orphans = await sql`select 1 from orphan_authorisations where reference = ${reference}`
    expect(orphans).toHaveLength(0)
  })

  test('an approval that comes while the charge is taken back waits for its end, and is reversed', async () => {
    let late: Notice | undefined
    const reference = await takeBack(refused('unknown_authorisation', false), async (of_charge) => {
      late = notice({ about: 'authorise', reference: of_charge, answer: approved })
      expect(await post(late)).toEqual(['later'])
    })
    await run('handle_notices')
    expect(await outcomesOf(late!)).toEqual(['taken_back'])
    const [orphan] = await sql`
      select state, acquirer_transaction_id from orphan_authorisations where reference = ${reference}`
    expect(orphan).toEqual({ state: 'found', acquirer_transaction_id: 'theirs' })
    await run('reverse_orphans')
  })

  test('a reservation that lapsed ends its hold as voided', async () => {
    const { payment_id } = await hold(account)
    const reference = await referenceOf(payment_id)
    const simulated = service.context.acquirerOf('test', null)
    const authorisation = { reference, handle: null, acquirer_transaction_id: null }
    const asked = { authorisation, amount: 4200, currency: 'GBP' }
    await simulated.void({ ...asked, reference: service.context.ids.operation(clock.now()) })
    expect(await post(notice({ about: 'expiry', reference }))).toEqual(['settled'])
    expect(await statusOf(payment_id)).toBe('voided')
    expect(await booksOf(service, payment_id)).toMatchObject({ captured_at: null })
  })
})

test('a refusal of what was approved changes no book, and is an error and a finding for people', async () => {
  const { payment_id } = await hold(account)
  acquirer.meet('capture', async (act) => {
    await act()
    return { result: 'accepted', acquirer_transaction_id: 'theirs' }
  })
  await client.decideHold('capture', payment_id)
  const reference = await referenceOf(payment_id, 'capture')
  const captured = notice({ about: 'capture', reference, answer: done })
  expect(await post(captured)).toEqual(['settled'])
  const failed = notice({ about: 'capture', reference, answer: refused('insufficient_funds') })
  expect(await post(failed)).toEqual(['contradicts'])
  expect(await statusOf(payment_id)).toBe('captured')
  const lines = [service, other].flatMap(({ log }) => log)
  expect(lines).toContainEqual({
    level: 'error',
    fields: expect.objectContaining({ operation_id: reference, payment_id, kind: 'capture' }),
    message: 'the acquirer has taken back what it approved',
  })
  const finding = { reference: await referenceOf(payment_id), kind: 'declined_there' }
  expect(await findingsOf(service, payment_id)).toMatchObject([finding])
})

describe('where the acquirer can be asked, a notice about what has ended', () => {
  beforeEach(() => {
    can_be_asked = true
  })

  const looks = () => acquirer.calls.filter(({ verb }) => verb === 'lookUp').length
  const standing = (state: 'reserved' | 'voided') => ({ state, amount: 4200, currency: 'GBP' })
  const found = (answer: AuthoriseAnswer, state: 'reserved' | 'voided' = 'reserved') =>
    acquirer.meet('lookUp', async () => {
      return { result: 'found', kind: 'authorise', answer, standing: standing(state) }
    })

  /** A charge that failed, since nothing of it arrived in time. */
  async function fail() {
    const { payment_id, reference } = await lose(faults.lost_before)
    await settle()
    expect(await statusOf(payment_id)).toBe('failed')
    return { payment_id, reference }
  }

  const late = (reference: string) => notice({ about: 'authorise', reference, answer: suggests('approved') })

  test('and says the same as we do asks nobody', async () => {
    const { payment_id } = await hold(account)
    const reference = await referenceOf(payment_id)
    const before = looks()
    expect(await post(late(reference))).toEqual(['nothing_new'])
    expect(looks()).toBe(before)
  })

  test('and says that a charge was approved after all: it is an orphan, and reversed', async () => {
    const { payment_id, reference } = await fail()
    found(approved)
    expect(await post(late(reference))).toEqual(['taken_back'])
    expect(await statusOf(payment_id)).toBe('failed')
    const [orphan] = await sql`
      select state, acquirer_transaction_id from orphan_authorisations where reference = ${reference}`
    expect(orphan).toEqual({ state: 'found', acquirer_transaction_id: 'theirs' })
    await run('reverse_orphans')
  })

  test('and says so of what holds nothing any more', async () => {
    const { reference } = await fail()
    found(approved, 'voided')
    expect(await post(late(reference))).toEqual(['nothing_new'])
  })

  test('and cannot be asked at this moment is asked again', async () => {
    const { reference } = await fail()
    acquirer.meet('lookUp', faults.broken_before)
    const posted = late(reference)
    expect(await post(posted)).toEqual(['later'])
    await clock.advance(minute_ms)
    await run('handle_notices')
    expect(await outcomesOf(posted)).toEqual(['nothing_new'])
  })

  const toldOfTakingBack = (reference: string) =>
    expect([service, other].flatMap(({ log }) => log)).toContainEqual({
      level: 'error',
      fields: expect.objectContaining({ operation_id: reference }),
      message: 'the acquirer has taken back what it approved',
    })

  test('and takes back a capture changes no book, and is an error for people', async () => {
    const { payment_id } = await hold(account)
    await client.decideHold('capture', payment_id)
    const reference = await referenceOf(payment_id, 'capture')
    acquirer.meet('lookUp', async () => {
      return { result: 'found', kind: 'capture', answer: refused('do_not_honor') }
    })
    const answer = suggests('refused')
    expect(await post(notice({ about: 'capture', reference, answer }))).toEqual(['contradicts'])
    expect(await statusOf(payment_id)).toBe('captured')
    toldOfTakingBack(reference)
  })

  test('and takes back the capture that came with a charge does so, too', async () => {
    const session = await client.open()
    await client.present(session)
    const { payment_id } = (await client.confirm(session)).body
    const reference = await referenceOf(payment_id)
    found(approved)
    const answer = suggests('refused')
    expect(await post(notice({ about: 'capture', reference, answer }))).toEqual(['contradicts'])
    expect(await statusOf(payment_id)).toBe('captured')
    toldOfTakingBack(reference)
  })

  test('and says that a capture was done that had been refused is an error for people', async () => {
    const { payment_id } = await hold(account)
    acquirer.meet('capture', async () => refused('do_not_honor'))
    await client.decideHold('capture', payment_id)
    const reference = await referenceOf(payment_id, 'capture')
    acquirer.meet('lookUp', async () => ({ result: 'found', kind: 'capture', answer: done }))
    const answer = suggests('approved')
    expect(await post(notice({ about: 'capture', reference, answer }))).toEqual(['contradicts'])
    expect([service, other].flatMap(({ log }) => log)).toContainEqual({
      level: 'error',
      fields: expect.objectContaining({ operation_id: reference, recorded: 'refused' }),
      message: 'an answer contradicts what was recorded before',
    })
    expect(await findingsOf(service, payment_id)).toMatchObject([{ kind: 'captured_there' }])
  })
})

test('a notice about the capture that comes with a charge has the charge asked at once', async () => {
  can_be_asked = true
  const { payment_id, reference } = await lose()
  const answer = suggests('approved')
  expect(await post(notice({ about: 'capture', reference, answer }))).toEqual(['asked_at_once'])
  await run('reconcile')
  expect(await statusOf(payment_id)).toBe('captured')
})

test('a lapse is not believed where the acquirer can be asked and still reserves the amount', async () => {
  can_be_asked = true
  const { payment_id } = await hold(account)
  const reference = await referenceOf(payment_id)
  expect(await post(notice({ about: 'expiry', reference }))).toEqual(['nothing_new'])
  expect(await statusOf(payment_id)).toBe('held')
  acquirer.meet('lookUp', faults.broken_before)
  expect(await post(notice({ about: 'expiry', reference }))).toEqual(['later'])
  expect(await statusOf(payment_id)).toBe('held')
})

test('a notice has asked again what waits for a person', async () => {
  can_be_asked = true
  const { payment_id } = await hold(account)
  acquirer.meet('capture', async (act) => {
    await act()
    return { result: 'accepted', acquirer_transaction_id: 'theirs' }
  })
  await client.decideHold('capture', payment_id)
  const reference = await referenceOf(payment_id, 'capture')
  await sql`
    update acquirer_operations set next_check_at = null, waits_for_person_since = ${clock.now()}
    where operation_id = ${reference}`
  expect(await post(notice({ about: 'capture', reference }))).toEqual(['asked_at_once'])
  await run('reconcile')
  expect(await statusOf(payment_id)).toBe('captured')
})

test('where the acquirer can be asked, a notice has it asked at once', async () => {
  can_be_asked = true
  const { payment_id } = await hold(account)
  acquirer.meet('capture', async (act) => {
    await act()
    return { result: 'accepted', acquirer_transaction_id: 'theirs' }
  })
  await client.decideHold('capture', payment_id)
  expect(await run('reconcile')).toBe(0)
  const reference = await referenceOf(payment_id, 'capture')
  // What it says does not count: the acquirer's books do.
  const posted = notice({ about: 'capture', reference, answer: refused('do_not_honor') })
  expect(await post(posted)).toEqual(['asked_at_once'])
  expect(await run('reconcile')).toBe(1)
  expect(await statusOf(payment_id)).toBe('captured')
})

test('what is about another connection, or nothing of ours, changes nothing', async () => {
  const { payment_id, reference } = await lose(faults.lost_before)
  await sql`update acquirer_operations set acquirer = 'bank:another' where payment_id = ${payment_id}`
  const strangers = [
    notice({ about: 'authorise', reference, answer: approved }),
    notice({ about: 'authorise', reference: 'f'.repeat(32), answer: approved, is_ours: null }),
    notice({ about: 'dispute', reference: null }),
  ]
  expect(new Set(await post(...strangers))).toEqual(new Set(['unknown_here']))
  await sql`update acquirer_operations set acquirer = ${name} where payment_id = ${payment_id}`
})

test('a notice whose operation stays open is given up after a week, and counted', async () => {
  const { reference } = await lose()
  // The charge has a notice of its own, which never comes.
  const posted = notice({ about: 'capture', reference, answer: done })
  expect(await post(posted)).toEqual(['later'])
  await clock.advance(6 * day_ms)
  await run('handle_notices')
  expect(await outcomesOf(posted)).toEqual(['later'])
  await clock.advance(day_ms)
  expect(await run('handle_notices')).toBe(1)
  expect(await outcomesOf(posted)).toEqual(['given_up'])
  const told = [service, other].flatMap(({ log }) => log)
  const fields = expect.objectContaining({ connection_id, notice_id: posted.notice_id, reference })
  expect(told).toContainEqual({ level: 'error', fields, message: 'notice given up' })
  const texts = await Promise.all([service, other].map((each) => each.context.metrics.text()))
  expect(texts.join('')).toContain('ripper_notices_given_up_total{about="capture"} 1')
  const named = { connection_id, about: 'capture', reference }
  const ago = (ms: number) => ({ after: new Date(clock.now().getTime() - ms), limit: 10 })
  expect(await listGivenUp(sql, ago(minute_ms))).toEqual([named])
  await clock.advance(day_ms)
  expect(await run('handle_notices')).toBe(0)
  expect(await listGivenUp(sql, ago(minute_ms))).toEqual([])
})

test('a notice that cannot be handled is given up, too', async () => {
  const { reference } = await lose()
  const posted = notice({ about: 'authorise', reference, answer: approved })
  const broken = JSON.stringify({ result: 'approved' })
  await saveNotices(sql, { merchant_id, connection_id }, [posted], clock.now())
  await sql`update acquirer_notices set answer = ${broken}::json where notice_id = ${posted.notice_id}`
  await run('handle_notices')
  const told = () => [service, other].flatMap(({ log }) => log)
  const fields = expect.objectContaining({ notice_id: posted.notice_id })
  expect(told()).toContainEqual({ level: 'error', fields, message: 'notice not handled' })
  await clock.advance(7 * day_ms)
  await run('handle_notices')
  expect(await outcomesOf(posted)).toEqual(['given_up'])
  expect(told()).toContainEqual({ level: 'error', fields, message: 'notice given up' })
})

test('handled notices are forgotten after a season', async () => {
  const [posted] = [notice({ about: 'dispute', reference: null })]
  await post(posted!)
  await run('purge_notices')
  expect(await outcomesOf(posted!)).toEqual(['unknown_here'])
  await clock.advance(91 * 24 * 60 * minute_ms)
  await run('purge_notices')
  expect(await outcomesOf(posted!)).toEqual([])
})
