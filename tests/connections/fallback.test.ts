// A charge that is declined softly goes to the fallback acquirer of the merchant's profile, as a second operation; after anything
// else it does not. Whatever is lost on the way, at most one acquirer is paid from.

import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type AuthoriseAnswer,
  type AuthoriseRequest,
  type DeclineCategory,
  type LookUpAnswer,
  NotSent,
  Unanswered,
} from '../../src/acquirers/acquirer.ts'
import { failed, suggests } from '../../src/acquirers/answers.ts'
import { readAccounts } from '../../src/cli/doctor/accounts.ts'
import { readConfig } from '../../src/config/config.ts'
import { createConnection, disableConnection } from '../../src/connections/manage-connections.ts'
import { changeMerchant } from '../../src/merchants/manage.ts'
import { notifyOfChange } from '../../src/merchants/store.ts'
import { readLife, viewLife } from '../../src/payments/history/payment-history.ts'
import { saveNotices } from '../../src/payments/notices/notice-store.ts'
import { verifyPayments } from '../../src/payments/reading/verify-payments.ts'
import type { SessionSecret } from '../support/client.ts'
import { freshDatabase } from '../support/database.ts'
import { openDatabaseProxy } from '../support/database-proxy.ts'
import { eventsOf, openUnverified, runJob } from '../support/holding.ts'
import { shopperAt } from '../support/live-shopper.ts'
import { type Account, drivenClock, driving, startService, until } from '../support/service.ts'
import { minute_ms, second_ms, settleAll } from '../support/settling.ts'
import { openVendor } from '../support/vendor.ts'

const clock = drivenClock()
const vendor = openVendor()
const database = await freshDatabase()
const proxy = await openDatabaseProxy(database.url)
const shared = {
  clock,
  database,
  master_key: randomBytes(32),
  connectors: [vendor.connector],
  trusted_proxies: ['127.0.0.1'],
  three_ds: {
    server_reference_number: 'R',
    operator_id: 'O',
    requestor_id: 'I',
    requestor_name: 'N',
    requestor_url: 'https://ripper.example',
    directory_servers: [],
  },
}
const service = await startService({ ...shared, database_url: proxy.url })
const other = await startService(shared)
afterAll(async () => {
  await service.close()
  await other.close()
  await proxy.close()
  await database.drop()
})

const profile = { acquirer: 'main', descriptor_name: 'TEA', mcc: '5499', country: 'GB' }
let account: Account
let shopper: ReturnType<typeof shopperAt>
let names: Record<'main' | 'second', string>

const connect = async (label: string) => {
  const asked = { kind: 'acquirer', connector: 'bank', label, mode: 'live' } as const
  const credentials = { secret_key: label }
  const { merchant_id } = account
  const made = await createConnection(other.operator, merchant_id, { ...asked, credentials })
  return `bank:${made.connection_id}`
}
const inProfile = (change: object) =>
  changeMerchant(other.operator, account.merchant_id, {
    acquiring_profile: { ...profile, ...change },
  })

/** As an earlier release may have stored it, which judged no profile. */
const storedInProfile = (change: object) =>
  other.sql.begin(async (tx) => {
    const { merchant_id } = account
    await tx`
      update merchants set acquiring_profile = ${{ ...profile, ...change } as never}
      where merchant_id = ${merchant_id}`
    await notifyOfChange(tx, merchant_id)
  })

beforeEach(async () => {
  const merchant = { live: true, live_enabled: true }
  account = await service.newAccount({ merchant })
  shopper = shopperAt(account, '192.0.2.1')
  names = { main: await connect('main'), second: await connect('second') }
  await inProfile({ fallback_acquirer: 'second' })
  for (const label of ['main', 'second', 'third']) vendor.next(label)
  vendor.asked.length = 0
  vendor.charged.length = 0
  await clock.advance(minute_ms)
})
afterEach(async () => {
  proxy.thaw()
  const { faults } = await verifyPayments(other.sql, account.merchant_id)
  expect(faults).toEqual([])
})

const declined =
  (code: string, category: DeclineCategory = 'soft') =>
  async (): Promise<AuthoriseAnswer> => {
    const decline = { code, category, reason: 'No' }
    return { result: 'declined', decline, acquirer_transaction_id: 'declined_1' }
  }
/** An issuer's certain refusal of this time. */
const refused = (code: string) => async (): Promise<AuthoriseAnswer> => {
  const answer = await declined(code)()
  return { ...answer, may_retry_elsewhere: true } as AuthoriseAnswer
}
const failing = async () => failed('The account is disabled')
const unanswered = async () => {
  throw new Unanswered('no answer')
}

const charged = () => vendor.asked.flatMap(({ verb, secret_key }) => (verb === 'authorise' ? [secret_key] : []))

/** A session whose card is typed and has been asked about. */
async function presented(): Promise<SessionSecret> {
  const session = await account.client.open()
  const { card_reference } = (await shopper.type(session, 1)).body
  await account.client.authenticate(session, card_reference)
  return session
}

const confirm = async (session: SessionSecret) => (await driving(clock, account.client.confirm(session))).body
const pay = async () => confirm(await presented())

async function rowsOf(payment_id: string) {
  const [payment] = await other.sql`
    select status, acquirer, acquirer_transaction_id, decline->>'code' as code
    from payments where payment_id = ${payment_id}`
  const operations = await other.sql`
    select kind, sequence, acquirer, state from acquirer_operations
    where payment_id = ${payment_id} order by sent_at, kind, sequence`
  return { payment: payment!, operations: operations.map(({ ...row }) => row) }
}

const cards = async () => {
  const [row] = await other.sql`
    select (select count(*)::int from vault.cards where merchant_id = ${account.merchant_id}) as cards,
      (select count(*)::int from vault.security_codes where merchant_id = ${account.merchant_id}) as codes`
  return row
}

/** How often a payer's declines were counted. */
async function countedUses(): Promise<number> {
  const [counted] = await other.sql`
    select count(*)::int from limit_uses where merchant_id = ${account.merchant_id}`
  return counted!.count
}

const settle = () => settleAll(other, clock, () => driving(clock, runJob(other, 'reconcile')))

describe('after a soft decline', () => {
  test('the second acquirer is charged under a reference of its own, and the payment is its', async () => {
    vendor.next('main', refused('do_not_honor'))
    const body = await pay()
    expect(body).toMatchObject({ status: 'captured', decline: null })
    expect(charged()).toEqual(['main', 'second'])
    const [first, second] = vendor.charged
    expect(second).toEqual({ ...first!, reference: second!.reference })
    expect(second!.reference).not.toBe(first!.reference)
    expect(await rowsOf(body.payment_id)).toEqual({
      payment: { status: 'captured', acquirer: names.second, acquirer_transaction_id: 't_2', code: null },
      operations: [
        { kind: 'authorise', sequence: 1, acquirer: names.main, state: 'declined' },
        { kind: 'authorise', sequence: 2, acquirer: names.second, state: 'approved' },
      ],
    })
    expect(await cards()).toEqual({ cards: 0, codes: 0 })
    expect(await eventsOf(other, body.payment_id)).toMatchObject([{ type: 'payment.captured' }])
  })

  test('the journal and `ripper audit show` tell both charges', async () => {
    vendor.next('main', refused('do_not_honor'))
    const { payment_id, session_id } = await pay()
    const { merchant_id } = account
    const life = await readLife(other.sql, { merchant_id, session_id } as never)
    const { lines, payments } = viewLife(life, clock.now())
    const told = lines.filter(({ subject }) => subject === payment_id)
    const [first, second] = vendor.charged.map(({ reference }) => reference)
    // Their times are the same here, so their order says nothing.
    expect(told.map(({ change }) => change).toSorted()).toEqual([
      ...['charge.begun', 'charge.begun', 'payment.captured'],
    ])
    expect(
      told.find(({ change, detail }) => change === 'charge.begun' && detail.operation_id === second)!.detail,
    ).toMatchObject({ acquirer: names.second, declined_operation_id: first, decline_code: 'do_not_honor' })
    expect(payments[0]!.operations.map(({ sequence, state }) => [sequence, state])).toEqual([
      [1, 'declined'],
      [2, 'approved'],
    ])
  })

  test('what the second holds is captured there', async () => {
    vendor.next('main', refused('insufficient_funds'))
    const session = await openUnverified(account)
    const { card_reference } = (await shopper.type(session, 1)).body
    await account.client.authenticate(session, card_reference)
    const { status, payment_id } = await confirm(session)
    expect(status).toBe('held')
    const { body } = await account.client.decideHold('capture', payment_id)
    expect(body).toMatchObject({ status: 'captured' })
    expect(vendor.asked.at(-1)).toMatchObject({ verb: 'capture', name: names.second })
  })

  test('the decline of the second is the payment’s, and one attempt is spent', async () => {
    vendor.next('main', refused('do_not_honor'))
    vendor.next('second', declined('lost_card', 'hard'))
    const body = await pay()
    expect(body).toMatchObject({
      status: 'declined',
      decline: { code: 'lost_card' },
      attempts_left: 2,
    })
    expect(await eventsOf(other, body.payment_id)).toMatchObject([{ type: 'payment.declined' }])
    expect(await cards()).toEqual({ cards: 0, codes: 0 })
  })

  test.each([
    ['fails', failing, 'failed'],
    ['cannot be reached', async () => Promise.reject(new NotSent('refused')), 'failed'],
  ])(
    'the first decline stands where the second acquirer %s, and counts against the payer',
    async (_, outcome, state) => {
      vendor.next('main', refused('do_not_honor'))
      vendor.next('second', outcome)
      const body = await pay()
      expect(body).toMatchObject({ status: 'declined', decline: { code: 'do_not_honor' } })
      const { operations } = await rowsOf(body.payment_id)
      expect(operations.map((each) => each.state)).toEqual(['declined', state])
      expect(await countedUses()).toBeGreaterThan(0)
    },
  )

  test('there is no third', async () => {
    vendor.next('main', refused('do_not_honor'))
    vendor.next('second', refused('do_not_honor'))
    expect(await pay()).toMatchObject({ status: 'declined', decline: { code: 'do_not_honor' } })
    expect(charged()).toEqual(['main', 'second'])
  })
})

describe('no second acquirer is charged', () => {
  test.each<[string, () => Promise<AuthoriseAnswer>, string]>([
    ['a hard decline', declined('expired_card', 'hard'), 'declined'],
    ['a suspected fraud', declined('suspected_fraud', 'fraud'), 'declined'],
    ['an unreachable issuer', declined('issuer_unavailable', 'network'), 'declined'],
    ['a wrong security code', declined('incorrect_cvc'), 'declined'],
    ['a soft decline that is not marked', declined('do_not_honor'), 'declined'],
    ['an error of the acquirer', failing, 'failed'],
    ['a lost answer', unanswered, 'processing'],
    ['a request that never left', () => Promise.reject(new NotSent('refused')), 'failed'],
  ])('after %s', async (_, outcome, status) => {
    vendor.next('main', outcome)
    expect((await pay()).status).toBe(status)
    await settle()
    expect(charged()).toEqual(['main'])
  })

  test('after a decline that took ten seconds', async () => {
    vendor.next('main', async () => {
      await clock.sleep(11 * second_ms)
      return refused('do_not_honor')()
    })
    expect(await pay()).toMatchObject({ status: 'declined' })
    expect(charged()).toEqual(['main'])
  })

  test('after a decline that came once its answer was lost', async () => {
    vendor.next('main', async () => {
      await clock.sleep(25 * second_ms)
      return refused('do_not_honor')()
    })
    const { payment_id, status } = await pay()
    // On a slow machine the late answer overtakes the shopper's.
    expect(['processing', 'declined']).toContain(status)
    await clock.advance(5 * second_ms)
    await until(
      () => rowsOf(payment_id),
      ({ payment }) => payment.status === 'declined',
    )
    expect(charged()).toEqual(['main'])
  })

  test('with a result of 3-D Secure', async () => {
    vendor.next('main', refused('do_not_honor'))
    const session = await presented()
    const outcome = {
      status: 'Y',
      eci: '05',
      authentication_value: 'x',
      reason: null,
      challenge_cancel: null,
      unavailable_cause: null,
    }
    await other.sql`
      update attempts set three_ds_state = 'authenticated', three_ds_version = '2.2.0',
        authentication_outcome = ${outcome as never} where session_id = ${session.id}`
    expect(await confirm(session)).toMatchObject({ status: 'declined' })
    expect(vendor.charged[0]!.three_ds).toMatchObject({ eci: '05' })
    expect(charged()).toEqual(['main'])
  })

  test.each([
    ['where the profile names none', {}],
    ['where it names the acquirer itself', { fallback_acquirer: 'main' }],
    ['where it names what is not there', { fallback_acquirer: 'nobody' }],
  ])('%s', async (_, change) => {
    await storedInProfile(change)
    const told = async () => (await service.context.directory.account(account.merchant_id))!.merchant.acquiring_profile
    await until(told, (each) => each?.fallback_acquirer !== 'second')
    vendor.next('main', refused('do_not_honor'))
    expect(await pay()).toMatchObject({ status: 'declined' })
    expect(charged()).toEqual(['main'])
  })

  test('where it is disabled', async () => {
    await disableConnection(other.operator, names.second.split(':')[1] as never)
    const told = async () => (await service.context.directory.account(account.merchant_id))!.connections
    await until(told, (all) => all.some(({ state }) => state === 'disabled'))
    vendor.next('main', refused('do_not_honor'))
    expect(await pay()).toMatchObject({ status: 'declined' })
    expect(charged()).toEqual(['main'])
  })
})

describe('the second charge', () => {
  test('is looked up at the second acquirer when its answer is lost', async () => {
    vendor.next('main', refused('do_not_honor'))
    vendor.next('second', unanswered)
    const { payment_id, status } = await pay()
    expect(status).toBe('processing')
    expect(await cards()).toEqual({ cards: 0, codes: 0 })
    const { reference, amount, currency } = vendor.charged[1]!
    vendor.books.set(reference, {
      result: 'found',
      kind: 'authorise',
      answer: { result: 'approved', captured: true, amount, currency, acquirer_transaction_id: 'theirs_2' },
      standing: null,
    })
    await settle()
    const { payment, operations } = await rowsOf(payment_id)
    expect(payment).toMatchObject({ status: 'captured', acquirer: names.second })
    expect(operations.map(({ state }) => state)).toEqual(['declined', 'approved'])
    const asked = vendor.asked.filter(({ verb }) => verb === 'lookUp')
    expect(new Set(asked.map(({ name }) => name))).toEqual(new Set([names.second]))
  })

  test('is reversed there when it never arrived, and the first decline stands and counts', async () => {
    vendor.next('main', refused('do_not_honor'))
    vendor.next('second', unanswered)
    const { payment_id } = await pay()
    await settle()
    const { payment, operations } = await rowsOf(payment_id)
    expect(payment).toMatchObject({ status: 'declined', code: 'do_not_honor', acquirer: names.second })
    expect(operations.map(({ kind, state }) => [kind, state])).toEqual([
      ['authorise', 'declined'],
      ['authorise', 'failed'],
      ['reverse', 'approved'],
    ])
    expect(await countedUses()).toBeGreaterThan(0)
    expect(charged()).toEqual(['main', 'second'])
  })

  test('is not sent by a process that stood still when it was written, while another looks', async () => {
    vendor.next('main', refused('do_not_honor'))
    const session = await presented()
    proxy.freezeAt('declined_operation_id')
    const confirming = account.client.confirm(session)
    await until(async () => proxy.isFrozen(), Boolean)
    await clock.advance(minute_ms)
    await settle()
    expect(await cards()).toEqual({ cards: 0, codes: 0 })
    proxy.thaw()
    const { body } = await driving(clock, confirming)
    expect(body).toMatchObject({ status: 'declined', decline: { code: 'do_not_honor' } })
    expect(charged()).toEqual(['main'])
    const { operations } = await rowsOf(body.payment_id)
    expect(operations.map(({ kind, state }) => [kind, state])).toEqual([
      ['authorise', 'declined'],
      ['authorise', 'failed'],
      ['reverse', 'approved'],
    ])
  })

  test('is not sent when nobody heard that it was written', async () => {
    vendor.next('main', refused('do_not_honor'))
    const session = await presented()
    proxy.loseNextAnswer('declined_operation_id')
    const body = await confirm(session)
    expect(body).toMatchObject({ status: 'processing' })
    await settle()
    expect(charged()).toEqual(['main'])
    expect((await rowsOf(body.payment_id)).payment).toMatchObject({ status: 'declined' })
  })

  test('is not written where the database stops before it: the decline is found again', async () => {
    vendor.next('main', refused('do_not_honor'))
    const session = await presented()
    proxy.stopAt('declined_operation_id', 'before')
    const confirming = account.client.confirm(session).catch(() => null)
    await until(async () => proxy.isStopped(), Boolean)
    const { reference } = vendor.charged[0]!
    vendor.books.set(reference, {
      result: 'found',
      kind: 'authorise',
      answer: await refused('do_not_honor')(),
      standing: null,
    })
    await driving(clock, confirming)
    proxy.start()
    await settle()
    const [row] = await other.sql`select payment_id from payments where session_id = ${session.id}`
    const { payment, operations } = await rowsOf(row!.payment_id)
    expect(payment).toMatchObject({
      status: 'declined',
      code: 'do_not_honor',
      acquirer: names.main,
    })
    expect(operations).toHaveLength(1)
    expect(charged()).toEqual(['main'])
    expect(await cards()).toEqual({ cards: 0, codes: 0 })
  })
})

describe('the first acquirer tells later that it approved after all', () => {
  /** The outcome of its notice, and the orphans that were made. `known_as` is the charge's id in its books, if they have it. */
  async function told(known_as: string | null) {
    vendor.next('main', refused('do_not_honor'))
    const { payment_id } = await pay()
    const [first, second] = vendor.charged as [AuthoriseRequest, AuthoriseRequest]
    const { amount, currency } = first
    const found = (acquirer_transaction_id: string): LookUpAnswer => ({
      result: 'found',
      kind: 'authorise',
      standing: null,
      answer: { result: 'approved', captured: true, amount, currency, acquirer_transaction_id },
    })
    vendor.books.set(second.reference, found('t_2'))
    if (known_as !== null) vendor.books.set(first.reference, found(known_as))
    const { merchant_id } = account
    const [, connection_id] = names.main.split(':') as [string, string]
    const notice = {
      notice_id: first.reference,
      about: 'authorise' as const,
      reference: first.reference,
      acquirer_transaction_id: null,
      authorisation_transaction_id: null,
      answer: suggests('approved'),
      occurred_at: clock.now(),
      is_ours: true,
    }
    await saveNotices(other.sql, { merchant_id, connection_id }, [notice], clock.now())
    await runJob(other, 'handle_notices')
    const [row] = await other.sql`
      select outcome from acquirer_notices where notice_id = ${first.reference}`
    const orphans = await other.sql`
      select acquirer, acquirer_transaction_id from orphan_authorisations where reference = ${first.reference}`
    const { payment } = await rowsOf(payment_id)
    expect(payment).toMatchObject({ status: 'captured', acquirer_transaction_id: 't_2' })
    return { outcome: row!.outcome, orphans: orphans.map((each) => ({ ...each })) }
  }

  test('what it holds is taken back', async () => {
    expect(await told('first_1')).toEqual({
      outcome: 'taken_back',
      orphans: [{ acquirer: names.main, acquirer_transaction_id: 'first_1' }],
    })
  })

  test('the second’s charge is not taken for the first’s on an account that both share', async () => {
    expect(await told(null)).toEqual({ outcome: 'nothing_new', orphans: [] })
  })

  test('the authorisation of the payment that stands is not taken back', async () => {
    const { orphans } = await told('t_2')
    expect(orphans).toEqual([])
  })
})

test.each([
  ['second', []],
  ['nobody', ['acquirer nobody, which is missing']],
  ['main', ['acquirer main, which is its own fallback']],
])('the doctor judges a fallback to %s', async (fallback_acquirer, unusable) => {
  await storedInProfile({ fallback_acquirer })
  const { live_merchants } = await readAccounts(readConfig({}), other.sql, clock.now())
  const own = live_merchants.find(({ merchant_id }) => merchant_id === account.merchant_id)
  expect(own!.unusable).toEqual(unusable)
})
