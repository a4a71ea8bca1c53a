// A database with charges and a simulated acquirer whose books do not always agree: what the tests of orphans begin with.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, expect } from 'vitest'
import type { Acquirer, AuthoriseRequest } from '../../src/acquirers/acquirer.ts'
import { openSimulator } from '../../src/acquirers/simulated-acquirer/simulator.ts'
import { rowValues } from '../../src/database/driver/rows.ts'
import type { Sql } from '../../src/database/open.ts'
import { keepInstallation } from '../../src/database/rollback-detection/installation.ts'
import { openLedger } from '../../src/database/stores/simulator-ledger.ts'
import { openIds } from '../../src/kernel/ids.ts'
import { openKeyring } from '../../src/kernel/keyring.ts'
import type { ComparisonContext } from '../../src/payments/acquirer-comparison/compare-books.ts'
import { newOperation, type OperationState } from '../../src/payments/operation.ts'
import { type Orphan, type OrphanStanding, standingOf } from '../../src/payments/orphan.ts'
import type { OrphanContext } from '../../src/payments/orphans/orphan-context.ts'
import { sweepOrphans } from '../../src/payments/orphans/sweep-orphans.ts'
import type { Payment, PaymentStatus } from '../../src/payments/payment.ts'
import { newRefund } from '../../src/payments/refund.ts'
import { authoriseRequest } from '../adapters/acquirer-requests.ts'
import { manualClock } from './clock.ts'
import { freshDatabase } from './database.ts'
import { type LogLine, logInto } from './service.ts'

export const minute_ms = 60_000
export const hour_ms = 60 * minute_ms
export const visa = '4242424242424242'
export const merchants = ['m_a', 'm_b', 'm_c'] as const

/** What `booksOf` tells of an authorisation that nobody touched, and of one that was taken back. */
export const untouched = { live: true, reversals: 0, refusals: 0 }
export const reversed = { live: false, reversals: 1, refusals: 0 }

type ChargeStates = { state: OperationState; payment: PaymentStatus; merchant_id?: string }

/**
 * The stage of a test file: empty before each test, gone after all. Its clock goes on from test to test. `rule` is what
 * becomes of authorisations that nothing here knows, where the operator says something.
 */
export async function useOrphanStage(rule?: OrphanContext['unknown_authorisations']) {
  const database = await freshDatabase()
  const opened = await database.open({ connections_max: 8 })
  const { sql } = opened
  await prepare(sql)
  const clock = manualClock()
  const random = { bytes: randomBytes }
  const ids = openIds(random, openKeyring([randomBytes(32)], random))
  const log: LogLine[] = []
  const simulator = openSimulator({ clock, random }, openLedger(sql))
  const context = contextOf(simulator)
  beforeEach(async () => {
    await sql`truncate disputes, refunds, acquirer_operations, payments, holds, events, journal, simulator.ledger,
      orphan_authorisations, orphan_sweeps, orphan_brakes, high_water_marks,
      acquirer_comparisons, acquirer_findings`
    log.length = 0
  })
  afterAll(async () => {
    await opened.close()
    await database.drop()
  })

  function contextOf(acquirer: Acquirer, through: Sql = sql): ComparisonContext {
    return {
      sql: through,
      ids,
      world: { clock, random, log: logInto(log) },
      installation: 'ours',
      listAcquirers: async () => [{ mode: 'test', acquirer }],
      acquirerOf: () => acquirer,
      wakeDeliveries: () => {},
      metrics: { paymentConfirmed: () => {} },
      unknown_authorisations: rule,
    }
  }

  /** Authorises at the acquirer under a reference of which we have nothing written down. */
  async function authorise(
    reference = ids.operation(clock.now()),
    capture = true,
    change: Partial<AuthoriseRequest> = {},
  ) {
    const request = authoriseRequest(visa, { reference, capture, ...change })
    expect(await simulator.authorise(request)).toMatchObject({ result: 'approved' })
    return request
  }

  /** So many of them. */
  async function authoriseMany(count: number): Promise<string[]> {
    const references: string[] = []
    for (let each = 0; each < count; each++) references.push((await authorise()).reference)
    return references
  }

  /** Writes down an operation and a payment, as a charge does. */
  async function writeCharge(written: ChargeStates, reference = ids.operation(clock.now())) {
    const at = clock.now()
    const payment: Payment = {
      merchant_id: written.merchant_id ?? 'm_b',
      payment_id: ids.payment(at),
      session_id: ids.session(1, at),
      attempt_id: ids.attempt(at),
      mode: 'test',
      amount: 4200,
      captured_amount: null,
      capture_method: null,
      currency: 'GBP',
      acquirer: 'simulator',
      acquirer_transaction_id: null,
      authentication: null,
      amount_verified: true,
      order_reference: null,
      created_at: at,
      refunded_amount: 0,
      refund_count: 0,
      dispute: null,
      customer_email: null,
      card_brand: 'visa' as const,
      card_last4: '4242',
      ...statusOf(written.payment, at),
    }
    const operation = newOperation(payment, { operation_id: reference, kind: 'authorise', sequence: 1, at })
    const { state } = written
    await sql`insert into payments ${rowValues(sql, payment)}`
    await sql`insert into acquirer_operations ${rowValues(sql, { ...operation, state, next_check_at: null })}`
    return { ...payment, reference }
  }

  async function charge(written: ChargeStates) {
    const made = await writeCharge(written)
    await authorise(made.reference, written.payment === 'captured')
    return made
  }

  /** Writes down a refund of the whole payment, or of so much; the acquirer hears nothing of it. */
  async function writeRefund(
    payment: Payment,
    status: 'pending' | 'succeeded',
    amount = payment.amount,
  ): Promise<void> {
    const at = clock.now()
    const operation_id = ids.operation(at)
    const operation = newOperation(payment, { operation_id, kind: 'refund', sequence: 1, at })
    const state = status === 'pending' ? 'accepted' : 'approved'
    const wish = { amount, reason: null, metadata: {} }
    const refund = newRefund({ payment }, wish, { refund_id: ids.refund(at), operation_id, at })
    const settled = { ...refund, status, settled_at: status === 'pending' ? null : at }
    await sql`insert into acquirer_operations ${rowValues(sql, { ...operation, state, next_check_at: null })}`
    await sql`insert into refunds ${rowValues(sql, settled)}`
    await sql`
      update payments set refunded_amount = ${amount}, refund_count = 1
      where payment_id = ${payment.payment_id}`
  }

  /** What the acquirer's own books say of an authorisation. */
  async function booksOf(reference: string) {
    const [row] = await sql<(typeof untouched)[]>`
      select voided_at is null and reversed_at is null as live,
        (select count(*)::int from simulator.ledger r where r.authorisation_reference = a.reference
          and r.kind = 'reverse' and r.result = 'approved') as reversals,
        (select count(*)::int from simulator.ledger r where r.authorisation_reference = a.reference
          and r.result = 'refused') as refusals
      from simulator.ledger a where a.reference = ${reference}`
    return row!
  }

  /** How many of these the acquirer took back, each once. */
  async function countReversed(references: string[]): Promise<number> {
    const books = await Promise.all(references.map(booksOf))
    for (const each of books) expect([untouched, reversed]).toContainEqual(each)
    return books.filter(({ live }) => !live).length
  }

  /** How many there are in each state that people see. */
  async function countStandings(): Promise<Partial<Record<OrphanStanding, number>>> {
    const counts: Partial<Record<OrphanStanding, number>> = {}
    for (const orphan of await sql<Orphan[]>`select * from orphan_authorisations`) {
      const standing = standingOf(orphan, clock.now())
      counts[standing] = (counts[standing] ?? 0) + 1
    }
    return counts
  }

  async function orphanOf(reference: string): Promise<Orphan | undefined> {
    const [row] = await sql<Orphan[]>`
      select * from orphan_authorisations where reference = ${reference}`
    return row
  }

  /** Lets so much time pass, and sweeps. */
  async function sweepAfter(duration_ms: number, swept = context): Promise<number> {
    await clock.advance(duration_ms)
    return sweepOrphans(swept)
  }

  const told = (level: LogLine['level']) => log.filter((line) => line.level === level)

  return {
    database,
    sql,
    clock,
    ids,
    log,
    simulator,
    context,
    contextOf,
    authorise,
    authoriseMany,
    writeCharge,
    writeRefund,
    charge,
    booksOf,
    orphanOf,
    sweepAfter,
    told,
    countReversed,
    countStandings,
  }
}

/** Payments stand without sessions: of them nothing is asked here. */
async function prepare(sql: Sql): Promise<void> {
  await keepInstallation(sql, { installation_id: 'ours', created_at: new Date(0) })
  await sql`alter table payments drop constraint payments_merchant_id_session_id_fkey`
  for (const [routing, merchant_id] of merchants.entries()) {
    await sql`insert into merchants ${rowValues(sql, {
      merchant_id,
      routing,
      name: 'Tea',
      status: 'active',
      live: false,
      live_enabled: false,
      created_at: new Date(0),
    })}`
  }
}

function statusOf(status: PaymentStatus, at: Date) {
  const isOver = status === 'declined' || status === 'failed'
  const category = 'provider_error' as const
  const capture_states: Partial<Record<PaymentStatus, Payment['capture_state']>> = {
    captured: 'captured',
    held: 'authorised',
    voided: 'voided',
  }
  return {
    status,
    capture_state: capture_states[status] ?? null,
    decline: isOver ? { code: 'processing_error', category, reason: null } : null,
    executed_at: status === 'captured' ? at : null,
  }
}
