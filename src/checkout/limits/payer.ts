// Whether an attempt may be charged: by the end of its 3-D Secure, and by the declines of its card, address and merchant.
// Declines are counted in the database, so that the limits hold across processes, and for each merchant by itself.

import type { Decline } from '../../acquirers/acquirer.ts'
import type { Sql } from '../../database/open.ts'
import { type Attempt, judge, type Verdict } from '../attempt.ts'
import type { Context, SettlementContext } from '../context.ts'
import type { Payment } from '../payment.ts'
import type { Session } from '../session.ts'
import { digestOf, limitOf, useOf } from './limits.ts'
import { freePlace, type Limit, limitsOfPayer, listFull, takePlaces } from './limits-store.ts'

/** Whom declines are counted against: an address, and a card where it is still held. */
export type Payer = {
  merchant_id: string
  limits: Limit[]
  /** There were too many: the payment is to be declined at once, without its acquirer being asked. */
  is_blocked: boolean
  /** Of all shoppers together. Missing where a release before wrote it down. */
  brake?: Limit & { used: number; is_full: boolean }
}

/** What is judged of a shopper who confirms. */
type Confirmation = { session: Session; attempt: Attempt; address: string; now: Date }

/**
 * The verdict, which declines also where there were too many declines before; and whom another decline would be counted
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
 * Null in test mode, where a decline is what the card number asks for. Confirms that run at the same time do not see each
 * other's declines, so that a few more may come through.
 */
async function payerOf(
  context: Context,
  { session, attempt, address, now }: Confirmation,
): Promise<Payer | null> {
  if (session.mode === 'test') return null
  const { merchant_id } = session
  const of_merchant = brakeOf(session.minted_by ?? 'server')
  const found = await limitsOfPayer(
    context.sql,
    attempt,
    {
      named: [limitOf('declines_of_address', digestOf(context, merchant_id, address)), of_merchant],
      any_card: limitOf('declines_of_card', ''),
    },
    now,
  )
  const limits = found.filter(({ name }) => name !== of_merchant.name)
  const brake = found.find(({ name }) => name === of_merchant.name)!
  return { merchant_id, limits, brake, is_blocked: limits.some(({ is_full }) => is_full) }
}

/** Merchants whose brake is on, for some of their sessions or for all; no more than `limit` of them. */
export async function listBraked(sql: Sql, which: { now: Date; limit: number }): Promise<string[]> {
  return listFull(sql, minters.map(brakeOf), which)
}

/** Whose sessions a brake is of. */
const minters = ['server', 'client'] as const satisfies Session['minted_by'][]

function brakeOf(minter: (typeof minters)[number]): Limit {
  return limitOf('declines_of_merchant', minter)
}

const blocked: Decline = { code: 'blocked', category: 'fraud', reason: 'Too many declines' }

/**
 * Why a payment is declined here; null where its acquirer is to be asked. While a merchant's brake is on, that is where the
 * bank has authenticated the cardholder: a tester of cards cannot have that, and an honest shopper goes on paying, so that
 * nobody shuts a shop by being declined.
 */
function declineOf(
  { metrics }: Pick<Context, 'metrics'>,
  payer: Payer | null,
  { authentication }: Verdict,
): Decline | null {
  if (!payer) return null
  const is_braked = payer.brake?.is_full && authentication?.outcome !== 'Authenticated'
  if (!payer.is_blocked && !is_braked) return null
  metrics.paymentBlocked(payer.is_blocked ? 'payer' : 'merchant')
  return blocked
}

/**
 * Counts a payment that its acquirer or the card's bank declined, whatever their words: only those who call this know who
 * spoke. One that was approved takes a decline off the merchant's brake again, so that a shop which sells much is not
 * slowed by its share of declines. The payment is saved already: what goes wrong here is logged, not thrown.
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
      await takePlaces(sql, merchant_id, { own, shared: [] }, now)
    } else if ((status === 'captured' || status === 'held') && isNearlyFull(brake)) {
      await freePlace(sql, merchant_id, brake.name, now)
    }
  } catch (error) {
    world.log.warn({ payment_id, error: (error as Error).message }, 'decline not counted')
  }
}

/** All payments of a merchant would wait for one row if each approval were counted: it is where it may soon matter. */
function isNearlyFull(brake: Payer['brake']): brake is NonNullable<Payer['brake']> {
  return brake !== undefined && brake.used * 2 >= brake.places
}
