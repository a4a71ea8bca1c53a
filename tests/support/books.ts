// Compares what the service says of every payment with the acquirer's own books, with the events and with the journal.

import { expect } from 'vitest'
import type { Sql } from '../../src/database/open.ts'
import type { Hold } from '../../src/payments/hold.ts'
import type { Operation, OperationState } from '../../src/payments/operation.ts'
import type { Payment } from '../../src/payments/payment.ts'
import { verifyPayments } from '../../src/payments/reading/verify-payments.ts'
import type { Refund } from '../../src/payments/refund.ts'
import type { Session } from '../../src/payments/session.ts'
import type { Json } from './client.ts'

type Entry = {
  reference: string
  kind: Operation['kind']
  amount: number
  captured_amount: number | null
  refunded_amount: number
  result: string | null
  capture: boolean | null
  authorised_at: Date | null
  captured_at: Date | null
  voided_at: Date | null
  reversed_at: Date | null
}

/** All that is known of one payment. Times of its first three rows are texts. */
type Life = {
  payment: Payment
  session: Session
  result: Json
  hold: Hold | null
  operations: (Operation & { waits_for_person_since: Date | null })[]
  /** The acquirer's. */
  entries: Entry[]
  events: { sequence: number; type: string; body: string }[]
  refunds: (Refund & { events: Life['events'] })[]
  /** What the journal says of the payment. */
  changes: string[]
  /** 1 where the number of its card is still kept. */
  kept: number
}

const unanswered: OperationState[] = ['sent', 'unknown', 'reversing']

/**
 * Both ledgers agree, nothing is under way, and all that is not known waits for a person. To be asked once the search for
 * answers has come to rest.
 */
export async function expectBooksAgree({ sql }: { sql: Sql }): Promise<void> {
  const lives = await livesOf(sql)
  const faults = [...(await faultsOfSessions(sql)), ...(await faultsOfLines(sql, lives))]
  expect([...lives.flatMap(faultsOf), ...faults]).toEqual([])
}

/** What `ripper audit verify` finds between payments and their lines. */
async function faultsOfLines(sql: Sql, lives: Life[]): Promise<string[]> {
  const faults: string[] = []
  for (const merchant_id of new Set(lives.map(({ payment }) => payment.merchant_id))) {
    const { faults: found, not_bound } = await verifyPayments(sql, merchant_id)
    faults.push(...found.map((fault) => JSON.stringify(fault)))
    faults.push(...unless(not_bound === 0, `${not_bound} payments of ${merchant_id} are not bound`))
  }
  return faults
}

function faultsOf(life: Life): string[] {
  const { payment, operations } = life
  const open = operations.filter(({ state }) => unanswered.includes(state))
  const faults = [
    ...faultsOfMoney(life),
    ...faultsOfTelling(life),
    ...faultsOfSettlement(
      life,
      open.filter(({ kind }) => kind !== 'refund'),
    ),
    ...faultsOfRefunds(life),
    ...(open.length === 0 ? [...faultsOfOutcome(life), ...faultsOfHold(life)] : []),
  ]
  return faults.map((fault) => `${payment.payment_id}, ${payment.status}: ${fault}`)
}

/** Whatever happened, money moves once. */
function faultsOfMoney({ entries, operations }: Life): string[] {
  const authorised = entries.filter(({ authorised_at }) => authorised_at !== null)
  const live = authorised.filter(isLive)
  const captures = entries.filter(
    ({ kind, result, capture, captured_at }) =>
      (kind === 'capture' && result === 'approved') || (capture && captured_at !== null),
  )
  const voids = entries.filter(({ kind, result }) => kind === 'void' && result === 'approved')
  const charges = operations.filter(({ kind }) => kind === 'authorise')
  return [
    ...unless(charges.length <= 1, 'it was charged under two references'),
    ...unless(live.length <= 1, 'two live authorisations'),
    ...unless(captures.length + voids.length <= 1, 'captured or voided more than once'),
  ]
}

/** A payment and what the acquirer holds. */
function faultsOfOutcome({ payment, hold, entries, result }: Life): string[] {
  const { status } = payment
  const first = hold ? 'held' : status
  const books = entries.filter(({ kind }) => kind === 'authorise')
  const taken = books.some((entry) => isLive(entry) && entry.captured_at !== null)
  const reserved = books.some((entry) => isLive(entry) && entry.captured_at === null)
  const voided = books.some(({ voided_at }) => voided_at !== null)
  const given_back = voided || books.some(({ reversed_at }) => reversed_at !== null)
  return [
    ...unless((status === 'captured') === taken, `the acquirer took the money: ${taken}`),
    ...unless(
      books.every((entry) => !isLive(entry) || entry.captured_amount === payment.captured_amount),
      `the acquirer took another amount than ${payment.captured_amount ?? payment.amount}`,
    ),
    ...unless((status === 'held') === reserved, `the acquirer holds the money: ${reserved}`),
    ...unless(status !== 'voided' || given_back, 'the acquirer did not give the money back'),
    ...unless(status === 'voided' || !voided, 'the acquirer gave the money back'),
    ...unless(status !== 'pending', 'pending, with nothing under way'),
    ...unless(result?.status === first, `confirm answers ${result?.status}`),
  ]
}

/** One event for an outcome, a second for a decision on a hold, none before; and a line of the journal for each. */
function faultsOfTelling({ payment, hold, events, changes }: Life): string[] {
  const { status } = payment
  const outcome = status === 'pending' ? [] : [hold ? 'payment.held' : `payment.${status}`]
  const decision = hold && status !== 'held' ? [`payment.${status}`] : []
  const expected = [...outcome, ...decision]
  const types = events.map(({ type }) => type)
  const lines = changes.filter((change) => change.startsWith('payment.'))
  const last = events.length > 0 && JSON.parse(events.at(-1)!.body)
  return [
    ...unless(same(types, expected), `events ${types}`),
    ...unless(
      events.every(({ sequence }, at) => sequence === at + 1),
      'events out of sequence',
    ),
    ...unless(same(lines.toSorted(), expected.toSorted()), `the journal tells ${lines}`),
    ...unless(!last || last.data.status === status, `the last event says ${last.data?.status}`),
    ...unless(!last || (last.data.hold?.status ?? null) === shown(hold), 'its hold differs'),
  ]
}

function faultsOfSettlement({ session, payment, kept }: Life, open: Life['operations']): string[] {
  const { status, settlement, answer_by } = session
  const is_known = open.length === 0
  const is_newest = session.payment_id === payment.payment_id
  const processing = open.some(({ kind }) => kind === 'authorise')
  const paid = ['captured', 'held', 'voided'].includes(payment.status)
  return [
    ...unless(
      open.every(({ waits_for_person_since }) => waits_for_person_since !== null),
      'an answer is missing and nobody looks for it',
    ),
    ...unless((payment.status === 'pending') === processing, `charge unanswered: ${processing}`),
    ...unless(!is_newest || (settlement === null) === is_known, `settlement ${settlement}`),
    ...unless(!is_newest || !is_known || answer_by === null, 'an answer is due'),
    ...unless(!is_newest || (status === 'processing') === processing, `session ${status}`),
    ...unless(!is_newest || (status === 'succeeded') === paid, `session ${status}`),
    ...unless(is_newest || !(processing || paid), 'another payment of its session came after it'),
    ...unless(kept === 0, 'its card is still kept'),
  ]
}

/** Each refund is in the acquirer's books as often as it is in ours, and never more than was captured. */
function faultsOfRefunds({ payment, operations, entries, refunds }: Life): string[] {
  const given = entries.filter(({ kind, result }) => kind === 'refund' && result === 'approved')
  const counted = refunds.filter(({ status }) => status !== 'failed')
  const sum = (rows: { amount: number }[]) => rows.reduce((total, { amount }) => total + amount, 0)
  const asked = operations.filter(({ kind }) => kind === 'refund')
  return [
    ...unless(sum(given) <= (payment.captured_amount ?? payment.amount), 'more was refunded than captured'),
    ...unless(Number(payment.refunded_amount) === sum(counted), `counts ${payment.refunded_amount} as refunded`),
    ...unless(asked.length === refunds.length, `${asked.length} refunds were sent`),
    ...refunds.flatMap(({ refund_id, operation_id, status, events }) => {
      const there = given.filter(({ reference }) => reference === operation_id)
      const types = events.map(({ type }) => type)
      const expected = { pending: [], succeeded: ['refund.succeeded'], failed: ['refund.failed'] }
      const late = status === 'failed' && same(types, ['refund.succeeded', 'refund.failed'])
      return [
        ...unless(status !== 'succeeded' || there.length === 1, `${refund_id} was not given`),
        ...unless(late || same(types, expected[status]), `${refund_id}, ${status}: ${types}`),
        ...unless(status !== 'failed' || late || there.length === 0, `${refund_id} was given`),
      ]
    }),
  ]
}

/** A hold, its payment, and the captures and voids of it. */
function faultsOfHold({ payment, hold, operations }: Life): string[] {
  const decisions = operations.filter(({ kind }) => kind === 'capture' || kind === 'void')
  const [made] = decisions.filter(({ state }) => state === 'approved')
  if (!hold) {
    return [
      ...unless(!['held', 'voided'].includes(payment.status), 'it has no hold'),
      ...unless(decisions.length === 0, 'it was decided without being held'),
    ]
  }
  const waits = hold.status === 'pending_review' || hold.status === 'escalated'
  const by = made?.asked_by ?? null
  return [
    ...unless(payment.status === (waits ? 'held' : hold.status), `hold ${hold.status}`),
    ...unless(hold.decided_by === by, `decided by ${hold.decided_by}, asked by ${by}`),
    ...unless((hold.decided_at === null) === waits, `decided at ${hold.decided_at}`),
    ...unless(hold.operation_id === null, 'something is under way'),
    ...unless(hold.operation_count === decisions.length, `${hold.operation_count} were counted`),
    ...unless((hold.rules_at !== null) === waits, `rules_at ${hold.rules_at}`),
  ]
}

async function faultsOfSessions(sql: Sql): Promise<string[]> {
  const unknown = await sql<{ reference: string }[]>`
    select reference from simulator.ledger l
    where kind = 'authorise' and authorised_at is not null and voided_at is null and reversed_at is null
      and not exists (select 1 from acquirer_operations o where o.operation_id = l.reference)`
  const alone = await sql<{ session_id: string }[]>`
    select session_id from sessions s where not exists (
      select 1 from payments p where p.merchant_id = s.merchant_id and p.session_id = s.session_id)
      and (status <> 'requires_payment' or settlement is not null or answer_by is not null)`
  return [
    ...unknown.map(({ reference }) => `${reference}: authorised, and no payment knows it`),
    ...alone.map(({ session_id }) => `${session_id}: moved on without a payment`),
  ]
}

async function livesOf(sql: Sql): Promise<Life[]> {
  // Each table is read whole and once: the payments of a test file are many, and its tables have few of our indexes.
  const rows = await sql<Pick<Life, 'payment' | 'session' | 'result' | 'hold' | 'kept'>[]>`
    select row_to_json(p) as payment, row_to_json(s) as session, row_to_json(h) as hold, a.result,
      (c.card_reference is not null)::int as kept
    from payments p
    join sessions s on s.merchant_id = p.merchant_id and s.session_id = p.session_id
    join attempts a on a.merchant_id = p.merchant_id and a.attempt_id = p.attempt_id
    left join holds h on h.merchant_id = p.merchant_id and h.payment_id = p.payment_id
    left join vault.cards c on c.merchant_id = a.merchant_id and c.card_reference = a.card_reference`
  const operations = by('payment_id', await sql`select * from acquirer_operations order by sent_at`)
  const entries = by(
    'payment_id',
    await sql`
    select l.*, o.payment_id from simulator.ledger l
    join acquirer_operations o on o.operation_id = l.authorisation_reference`,
  )
  const events = by('payment_id', await sql`select * from events order by sequence`)
  const refunds = by('payment_id', await sql`select * from refunds order by operation_id`)
  const lines = by('subject', await sql`select subject, change from journal`)
  return rows.map((row) => {
    const { payment_id } = row.payment
    const changes = (lines.get(payment_id) ?? []).map(({ change }) => change)
    return {
      ...row,
      operations: operations.get(payment_id) ?? [],
      entries: entries.get(payment_id) ?? [],
      events: events.get(payment_id) ?? [],
      refunds: (refunds.get(payment_id) ?? []).map((refund) => ({
        ...(refund as Refund),
        events: events.get(refund.refund_id) ?? [],
      })),
      changes,
    }
  })
}

function by(column: string, rows: readonly Json[]): Map<string, Json[]> {
  return Map.groupBy(rows, (row) => row[column])
}

function isLive({ authorised_at, voided_at, reversed_at }: Entry): boolean {
  return authorised_at !== null && voided_at === null && reversed_at === null
}

function shown(hold: Hold | null): string | null {
  if (hold === null) return null
  // An event tells of the hold as it was made or decided.
  return hold.status === 'escalated' ? 'pending_review' : hold.status
}

function same(some: string[], others: string[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others)
}

function unless(holds: boolean, fault: string): string[] {
  return holds ? [] : [fault]
}
