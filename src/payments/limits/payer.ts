// Whether an attempt may be charged: by the result of its 3-D Secure, and by the declines of its card, address and
// merchant. The database counts declines, so the limits hold across processes, and for each merchant separately.

import type { Decline } from '../../acquirers/acquirer.ts'
import type { Sql } from '../../database/open.ts'
import type { Attempt } from '../attempt.ts'
import type { Context, SettlementContext } from '../context.ts'
import type { Payment } from '../payment.ts'
import type { Session } from '../session.ts'
import { judge, type Verdict } from '../three-ds-states.ts'
import { digestOf, limitNameOf, limitOf, useOf } from './limits.ts'
import { countFull, type Limit, limitsOfPayer, listExhausted, releasePlace, reservePlaces } from './limits-store.ts'

/** What declines are counted against: an address and, while it is still held, a card. */
export type Payer = {
  merchant_id: string
  limits: (Limit & { is_full?: boolean })[]
  /** There were too many declines: the payment is declined at once, and the acquirer is not called. */
  is_blocked: boolean
  /** The brake of all shoppers together. Missing in rows of an earlier release. */
  brake?: Limit & { used: number; is_full: boolean }
}

/** The facts about a shopper who confirms. */
type Confirmation = { session: Session; attempt: Attempt; address: string; now: Date }

/**
 * The verdict, which is a decline also after too many earlier declines; and what another decline would be counted
 * against, null in test mode.
 */
export async function judgeCharge(
  context: Context,
  paying: Confirmation,
  policy: Parameters<typeof judge>[1],
): Promise<{ payer: Payer | null; verdict: Verdict }> {
  const payer = await payerOf(context, paying)
  const verdict = judge(paying.attempt, policy)
  const decline = verdict.decline ?? declineOf(context, payer, verdict)
  return { payer, verdict: { ...verdict, decline } }
}

/**
 * Null in test mode, where the card number asks for declines. Concurrent confirms do not see each other's declines, so
 * a few more may come through.
 */
async function payerOf(context: Context, { session, attempt, address, now }: Confirmation): Promise<Payer | null> {
  if (session.mode === 'test') return null
  const { merchant_id } = session
  const ofMerchant = brakeOf(session.minted_by ?? 'server')
  const usage = await limitsOfPayer(
    context.sql,
    attempt,
    {
      named: [limitOf('declines_of_address', digestOf(context, merchant_id, address)), ofMerchant],
      any_card: limitOf('declines_of_card', ''),
    },
    now,
  )
  const limits = usage.filter(({ name }) => name !== ofMerchant.name)
  const brake = usage.find(({ name }) => name === ofMerchant.name)!
  return { merchant_id, limits, brake, is_blocked: limits.some(({ is_full }) => is_full) }
}

/** Merchants whose brake is on, for some or all of their sessions; at most `limit`. */
export async function listBraked(sql: Sql, which: { now: Date; limit: number }): Promise<string[]> {
  return listExhausted(sql, minters.map(brakeOf), which)
}

/** How many addresses of each merchant, of the first `limit`, may pay nothing for a while. */
export async function countBlockedAddresses(
  whole: Sql,
  which: { now: Date; limit: number },
): Promise<{ merchant_id: string; count: number }[]> {
  return countFull(whole, limitOf('declines_of_address', ''), which)
}

/** Which sessions a brake applies to. */
const minters = ['server', 'client'] as const satisfies Session['minted_by'][]

function brakeOf(minter: (typeof minters)[number]): Limit {
  return limitOf('declines_of_merchant', minter)
}

const blocked: Decline = { code: 'blocked', category: 'fraud', reason: 'Too many declines' }

/**
 * Why the service declines a payment itself; null where the acquirer is to be called. While a merchant's brake is on,
 * the acquirer is called only for cardholders that the bank has authenticated: a card tester cannot have that, and
 * honest shoppers go on paying, so declines cannot shut a shop.
 */
function declineOf(
  { metrics, limitLog }: Pick<Context, 'metrics' | 'limitLog'>,
  payer: Payer | null,
  { authentication }: Verdict,
): Decline | null {
  if (!payer) return null
  const is_braked = payer.brake?.is_full && authentication?.outcome !== 'Authenticated'
  if (!payer.is_blocked && !is_braked) return null
  metrics.paymentBlocked(payer.is_blocked ? 'payer' : 'merchant')
  const full = payer.is_blocked ? payer.limits.filter(({ is_full }) => is_full) : [payer.brake!]
  for (const { name } of full) limitLog.note(limitNameOf(name), payer.merchant_id)
  return blocked
}

/**
 * Counts a payment that its acquirer or the card's bank declined; the caller makes sure that it was one of them. An
 * approval takes a decline off the merchant's brake again, so that a shop that sells much is not slowed by its share of
 * declines. The payment is saved already, so a failure here is logged, not thrown.
 */
export async function countOutcome(
  { sql, world }: SettlementContext,
  payer: Payer | null,
  { payment_id, status }: Payment,
  now: Date,
): Promise<void> {
  if (!payer) return
  const { merchant_id, limits, brake } = payer
  try {
    if (status === 'declined') {
      const own = [...limits, ...(brake ? [brake] : [])].map((each) => useOf(each, payment_id, now))
      await reservePlaces(sql, merchant_id, { own, shared: [] }, now)
    } else if ((status === 'captured' || status === 'held') && isNearlyFull(brake)) {
      await releasePlace(sql, merchant_id, brake.name, now)
    }
  } catch (error) {
    world.log.warn({ payment_id, error: (error as Error).message }, 'decline not counted')
  }
}

/**
 * If each approval were counted, all payments of a merchant would wait for one row: it is counted only where it may
 * soon matter.
 */
function isNearlyFull(brake: Payer['brake']): brake is NonNullable<Payer['brake']> {
  return brake !== undefined && brake.used * 2 >= brake.places
}
