// The SQL that reads payment intents and charges.

import { withDates } from '../database/driver/rows.ts'
import type { Sql } from '../database/open.ts'
import type { Hold } from '../payments/hold.ts'
import type { Payment } from '../payments/payment.ts'
import type { Session } from '../payments/session.ts'
import type { ThreeDsStep } from '../payments/three-ds-states.ts'
import type { IntentRows } from './intent.ts'

/** Reads all rows of a payment intent as they were at one moment. */
export async function findIntent(
  sql: Sql,
  { merchant_id, session_id }: { merchant_id: string; session_id: string },
): Promise<IntentRows | undefined> {
  const [row] = await sql<(Session & Omit<IntentRows, 'session'>)[]>`
    select s.*, row_to_json(h) as hold, case when p.payment_id is not null then
      json_build_object('payment_id', p.payment_id, 'status', p.status, 'created_at', p.created_at) end as payment, (
      select json_build_object('phase', a.phase, 'three_ds_state', a.three_ds_state, 'brand', a.brand,
        'challenge_expires_at', a.challenge_expires_at, 'authentication_outcome', a.authentication_outcome)
      from attempts a where a.merchant_id = s.merchant_id and a.session_id = s.session_id
      order by a.number desc limit 1
    ) as step
    from sessions s
    left join payments p on p.merchant_id = s.merchant_id and p.payment_id = s.payment_id
    left join holds h on h.merchant_id = s.merchant_id and h.payment_id = s.payment_id
    where s.merchant_id = ${merchant_id} and s.session_id = ${session_id}`
  if (!row) return undefined
  const { payment, hold, step, ...session } = row
  return {
    session,
    payment: payment && withDates<NonNullable<IntentRows['payment']>>(payment, ['created_at']),
    hold: hold && withDates<Hold>(hold, ['deadline', 'decided_at']),
    step: step && withDates<ThreeDsStep>(step, ['challenge_expires_at']),
  }
}

/** A payment with what its charge shows of the session. */
export type ChargeRow = Pick<
  Payment,
  | 'payment_id'
  | 'session_id'
  | 'status'
  | 'amount'
  | 'currency'
  | 'mode'
  | 'created_at'
  | 'refunded_amount'
  | 'card_brand'
  | 'card_last4'
> &
  Pick<Session, 'metadata' | 'customer' | 'statement_descriptor_suffix'>

export async function findCharge(
  sql: Sql,
  { merchant_id, payment_id }: { merchant_id: string; payment_id: string },
): Promise<ChargeRow | undefined> {
  const [row] = await sql<ChargeRow[]>`
    select p.payment_id, p.session_id, p.status, p.amount, p.currency, p.mode, p.created_at, p.refunded_amount,
      p.card_brand, p.card_last4, s.metadata, s.customer, s.statement_descriptor_suffix
    from payments p join sessions s on s.merchant_id = p.merchant_id and s.session_id = p.session_id
    where p.merchant_id = ${merchant_id} and p.payment_id = ${payment_id}`
  return row
}
