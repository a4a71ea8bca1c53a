// A session: one amount, one shopper, 30 minutes. Its status at a given time, and what its shopper may still do.

import type { Decline } from '../acquirers/acquirer.ts'
import type { JournalLine } from '../audit/journal.ts'
import { column, type Row, timesOf } from '../database/driver/columns.ts'
import type { KeyRow } from '../http/idempotency.ts'
import { Refusal, type RefusalCode } from '../kernel/errors.ts'
import type { CheckoutSessionId, MerchantId, Mode, PaymentLinkId, SessionId } from '../kernel/values.ts'
import type { Customer, Item } from './purchase.ts'

export const session_life_ms = 30 * 60 * 1000
export const attempts_max = 3

export type AmountVerificationSource = 'server_minted' | 'integration_default' | 'price_list' | 'none' | 'mismatch'

export const cancellationReasons = ['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'] as const
/**
 * How a merchant ended a session before its time: as if it had expired, or canceled it, perhaps for a reason. Of a paid one: why its hold
 * was voided.
 */
export type Cancellation = 'expired' | 'canceled' | (typeof cancellationReasons)[number]

/**
 * All columns of a session, each once. A column that a create may set is also a member of `sessionCreate`, with the same name.
 */
export const sessionColumns = {
  merchant_id: column<MerchantId>('text'),
  session_id: column<SessionId>('text'),
  mode: column<Mode>('text'),
  status: column<'requires_payment' | 'processing' | 'succeeded' | 'declined'>('text'),
  amount: column<number>('bigint'),
  currency: column<string>('text'),
  items: column<Item[] | null>('json'),
  customer: column<Customer | null>('json'),
  metadata: column<Record<string, string>>('json'),
  statement_descriptor_suffix: column<string | null>('text'),
  order_reference: column<string | null>('text'),
  confirmation_url: column<string | null>('text'),
  integration_id: column<string | null>('text'),
  integration: column<string | null>('text'),
  minted_by: column<'server' | 'client' | null>('text'),
  public_key: column<string | null>('text'),
  amount_verified: column<boolean>('boolean'),
  amount_verification_source: column<AmountVerificationSource>('text'),
  amount_verification_detail: column<string | null>('text'),
  attempt_count: column<number>('integer'),
  last_decline: column<Decline | null>('json'),
  payment_id: column<string | null>('text'),
  settlement: column<'awaiting_reconciliation' | null>('text'),
  answer_by: column<Date | null>('timestamptz'),
  created_at: column<Date>('timestamptz'),
  expires_at: column<Date>('timestamptz'),
  checkout_session_id: column<CheckoutSessionId | null>('text'),
  cancellation: column<Cancellation | null>('text'),
  /** By which its shopper came; null without one. */
  payment_link_id: column<PaymentLinkId | null>('text'),
}

export type Session = Row<typeof sessionColumns>

/** The columns with times. In rows that arrive as JSON they are texts. */
export const sessionTimes = timesOf(sessionColumns)

/** A new session with its journal line, and the idempotency key of its request if there is one. */
export type NewSession = { session: Session; key: KeyRow | null; line: JournalLine }

type SessionStatus = Session['status'] | 'expired'

/**
 * The status as shown: an open session past its time, or ended before it, is expired. A payment made or under way overrides that. Of a
 * session that was ended no clock is asked: this process's may be behind.
 */
export function statusAt(
  { status, expires_at, cancellation }: Pick<Session, 'status' | 'expires_at' | 'cancellation'>,
  now: Date,
): SessionStatus {
  const is_over = cancellation !== null || expires_at <= now
  return status === 'requires_payment' && is_over ? 'expired' : status
}

/** Set while an acquirer's answer is missing, even if the process that waited for it has died. */
export function settlementAt(session: Pick<Session, 'settlement' | 'answer_by'>, now: Date): Session['settlement'] {
  if (session.settlement) return session.settlement
  // `answer_by` is set while a charge is under way, and while a hold is being captured or voided.
  const is_lost = session.answer_by !== null && session.answer_by <= now
  return is_lost ? 'awaiting_reconciliation' : null
}

export function secondsLeft(session: Pick<Session, 'expires_at'>, now: Date): number {
  return Math.max(0, Math.ceil((session.expires_at.getTime() - now.getTime()) / 1000))
}

/** The attempts left; none after a decline that closed the session. */
export function attemptsLeft(session: Pick<Session, 'attempt_count' | 'status'>): number {
  return session.status === 'declined' ? 0 : attempts_max - session.attempt_count
}

/** The refusals of refuseUnlessOpen. */
export const sessionConflicts = [
  'session_completed',
  'session_processing',
  'session_declined',
  'attempts_exhausted',
  'session_expired',
] as const satisfies RefusalCode[]

/** Throws the conflict that keeps a shopper from starting to pay, if there is one. */
export function refuseUnlessOpen(session: Session, now: Date): void {
  switch (statusAt(session, now)) {
    case 'succeeded':
      throw new Refusal('session_completed', 'The session is paid.')
    case 'processing':
      throw new Refusal('session_processing', 'A payment of the session is being processed.')
    case 'declined':
      throw session.attempt_count === attempts_max
        ? new Refusal('attempts_exhausted', 'The three payment attempts are used up.')
        : new Refusal('session_declined', 'A decline closed the session.')
    case 'expired':
      throw new Refusal(
        'session_expired',
        session.cancellation === null ? 'The session’s time is over.' : 'The merchant has ended the session.',
      )
  }
}

/** The status after a decline or failure. Another card may be tried unless fraud or the count forbids it. */
export function statusAfterDecline(
  session: Pick<Session, 'attempt_count' | 'status'>,
  decline: Decline,
): 'requires_payment' | 'declined' {
  return decline.category === 'fraud' || attemptsLeft(session) === 0 ? 'declined' : 'requires_payment'
}
