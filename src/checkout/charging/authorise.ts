// Asks an acquirer to authorise: what it is told, how long it may take, and what an answer or its absence means.

import {
  type Acquirer,
  type AuthoriseAnswer,
  type AuthoriseRequest,
  NotSent,
} from '../../acquirers/acquirer.ts'
import { openNumber, openSecurityCode } from '../../cards/vault.ts'
import { numericCountry } from '../../merchants/country.ts'
import type { Account } from '../../merchants/directory.ts'
import { completeProfileOf } from '../../merchants/merchant.ts'
import { sendToAcquirer } from '../asking/ask-acquirer.ts'
import type { Attempt, Verdict } from '../attempt.ts'
import type { Context } from '../context.ts'
import { descriptorOf } from '../descriptor.ts'
import type { Payer } from '../limits/card-testing.ts'
import type { Operation } from '../operation.ts'
import type { Payment } from '../payment.ts'
import type { Session } from '../session.ts'
import type { ChargeCard } from './charge-store.ts'

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

/** A definite answer; otherwise throws Unanswered or NotSent. One that comes after the deadline goes to `late`. */
export async function authorise(
  context: Context,
  charging: Charging,
  acquirer: Acquirer,
  card: ChargeCard,
  late: (answer: AuthoriseAnswer) => void,
): Promise<AuthoriseAnswer> {
  const request = requestOrNotSent(context, charging, card)
  const { last_sent_at } = charging.operation
  return sendToAcquirer(context.world.clock, last_sent_at, () => acquirer.authorise(request), late)
}

/** A card that cannot be opened is not sent. */
function requestOrNotSent(
  context: Context,
  charging: Charging,
  card: ChargeCard,
): AuthoriseRequest {
  try {
    return requestOf(context, charging, card)
  } catch (error) {
    throw new NotSent((error as Error).message)
  }
}

function requestOf(context: Context, charging: Charging, card: ChargeCard): AuthoriseRequest {
  const { session, attempt, verdict, operation, account } = charging
  const profile = completeProfileOf(account.merchant)
  const outcome = attempt.authentication_outcome
  return {
    reference: operation.operation_id,
    installation: context.installation,
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
            eci: outcome.eci,
            authentication_value: outcome.authentication_value,
            ds_transaction_id: attempt.ds_transaction_id,
            status: outcome.status,
          }
        : null,
    merchant: {
      descriptor: descriptorOf(account.merchant, session),
      mcc: profile?.mcc ?? null,
      country: profile ? numericCountry(profile.country) : null,
    },
  }
}
