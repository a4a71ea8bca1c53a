// Asks an acquirer to authorise: what it is told, how long it may take, and what an answer or its absence means.

import {
  type Acquirer,
  type AuthoriseAnswer,
  type AuthoriseRequest,
  NotSent,
  Unanswered,
} from '../acquirers/acquirer.ts'
import { openNumber, openSecurityCode } from '../cards/vault.ts'
import type { Context } from '../context.ts'
import { numericCountry } from '../merchants/country.ts'
import type { Account } from '../merchants/directory.ts'
import { completeProfileOf } from '../merchants/merchant.ts'
import type { Attempt, Verdict } from './attempt.ts'
import type { Payer } from './card-testing.ts'
import type { ChargeCard, Operation } from './charge-store.ts'
import type { Payment } from './payment.ts'
import type { Session } from './session.ts'

/** An attempt whose confirm may go on. */
export type Confirming = {
  session: Session
  attempt: Attempt
  account: Account
  verdict: Verdict
  /** Whom a decline is counted against; null in test mode. */
  payer: Payer | null
  request_id: string
  now: Date
}

/** The same once the intent to charge is committed. */
export type Charging = Confirming & { payment: Payment; operation: Operation }

/** After this the call is given up. */
const deadline_ms = 25_000

/** A definite answer; otherwise throws Unanswered, whatever it was that went wrong. */
export async function authorise(
  context: Context,
  charging: Charging,
  acquirer: Acquirer,
  card: ChargeCard,
): Promise<AuthoriseAnswer> {
  let request: AuthoriseRequest
  try {
    request = requestOf(context, charging, card)
  } catch (error) {
    return notSent((error as Error).message)
  }
  try {
    return await withDeadline(context, acquirer.authorise(request))
  } catch (error) {
    if (error instanceof NotSent) return notSent(error.message)
    if (error instanceof Unanswered) throw error
    // A defect of an adapter: what became of the request is unknown all the same.
    throw new Unanswered((error as Error).message, { cause: error })
  }
}

/** An adapter that never returns must not keep the shopper, nor the process at its end, waiting. */
async function withDeadline<T>(context: Context, call: Promise<T>): Promise<T> {
  const over = new AbortController()
  const deadline = context.world.clock.sleep(deadline_ms, over.signal).then(() => {
    throw new Unanswered('no answer before the deadline')
  })
  try {
    return await Promise.race([call, deadline])
  } finally {
    over.abort()
    deadline.catch(() => {})
    call.catch(() => {})
  }
}

function requestOf(context: Context, charging: Charging, card: ChargeCard): AuthoriseRequest {
  const { session, attempt, verdict, operation, account } = charging
  const profile = completeProfileOf(account.merchant)
  const name = profile?.descriptor_name ?? account.merchant.name
  const outcome = attempt.authentication_outcome
  return {
    reference: operation.operation_id,
    amount: session.amount,
    currency: session.currency,
    // Money is taken at once only where the amount was verified; otherwise it is reserved for a decision.
    capture: session.amount_verified,
    card: {
      brand: card.brand,
      number: openNumber(context.keyring, card, card.sealed_number),
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      cvc: card.sealed_code && openSecurityCode(context.keyring, card, card.sealed_code),
      cardholder_name: card.cardholder_name,
    },
    three_ds:
      verdict.send_three_ds && outcome
        ? {
            version: attempt.three_ds_version!,
            eci: verdict.authentication?.eci ?? outcome.eci,
            authentication_value: outcome.authentication_value,
            ds_transaction_id: attempt.ds_transaction_id,
            status: outcome.status,
          }
        : null,
    merchant: {
      descriptor: [name, session.statement_descriptor_suffix].filter(Boolean).join(' '),
      mcc: profile?.mcc ?? null,
      country: profile ? numericCountry(profile.country) : null,
    },
  }
}

/** Nothing left this machine, so nothing can have happened: an error that moved no money. */
function notSent(reason: string): AuthoriseAnswer {
  const decline = { code: 'processing_error', category: 'provider_error' as const, reason }
  return { result: 'failed', decline, acquirer_transaction_id: null }
}
