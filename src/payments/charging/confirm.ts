// POST …/confirm: charges the authenticated attempt once: intent committed, acquirer called, outcome committed.

import { z } from 'zod'
import type { Decline } from '../../acquirers/acquirer.ts'
import { clientSecret } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { admitMerchant } from '../../merchants/admit.ts'
import { type Account, integrationOf } from '../../merchants/directory.ts'
import type { Attempt } from '../attempt.ts'
import { challengeUrl } from '../authentication/ask-bank.ts'
import { recordedResult } from '../confirm-result.ts'
import type { Context } from '../context.ts'
import { email, must } from '../fields.ts'
import { countOutcome, judgeCharge } from '../limits/payer.ts'
import { chargeOutcome, refused } from '../outcome.ts'
import type { Customer } from '../purchase.ts'
import { refuseUnlessOpen, type Session } from '../session.ts'
import { actOnCheckout } from '../sessions/load-checkout.ts'
import { sessionCors } from '../sessions/session-cors.ts'
import { noProvider, providerForNew } from '../three-ds-provider.ts'
import { attemptAt, isAuthenticationOver, isRefusedByBank, judge, leftByShopper } from '../three-ds-states.ts'
import {
  attemptView,
  type ConfirmResult,
  confirmView,
  threeDsView,
  viewAttempt,
  viewConfirmed,
  viewThreeDs,
} from '../views.ts'
import { type ConfirmedAttempt, charge, newPayment } from './charge.ts'
import { saveUncharged } from './charge-store.ts'

const sentEmail = email.nullish().meta({ description: 'counts only where the session has none; empty is none' })

const confirmBody = z
  .strictObject({
    customer: z.strictObject({ email: sentEmail }, must('be an object')).nullish(),
    abandon: z.string(must('be an attempt id')).nullish().meta({
      description:
        'the attempt whose check by the bank the shopper has left for good: it ends as declined, whatever the bank says later, and nothing is charged',
    }),
  })
  .meta({ title: 'ConfirmRequest', note: 'The body that charges the authenticated attempt.' })

export const confirm = route({
  method: 'POST',
  path: '/v1/checkout/sessions/{session_id}/confirm',
  tag: 'In the browser',
  summary: 'Charge the authenticated attempt',
  access: clientSecret,
  dialect: 'checkout',
  cors: sessionCors,
  body: confirmBody,
  body_optional: true,
  status: 200,
  reply: confirmView,
  refusals: [
    'merchant_not_active',
    'customer_email_required',
    'session_expired',
    'authentication_incomplete',
    'three_ds_provider_unavailable',
  ],
  refusal_members: {
    authentication_incomplete: z.object({ attempt: attemptView.nullable(), three_ds: threeDsView }),
  },
  handle: async (context: Context, { body, holder, caller, request_id }) => {
    const key = { merchant_id: holder.merchant_id, session_id: holder.session_id }
    return actOnCheckout(context.sql, key, async ({ session: sessionRow, attempts }) => {
      const newest = attempts.at(-1) ?? null
      const { abandon = null } = body
      if (abandon !== null) refuseUnlessNewest(newest, abandon)
      const recorded = newest && recordedResult(sessionRow, newest)
      if (recorded) return viewConfirmed(recorded, sessionRow, newest)
      const account = await admitMerchant(context, holder.merchant_id)
      // Read after the session, because the process may have been paused since the request arrived.
      const now = context.world.clock.now()
      refuseUnlessOpen(sessionRow, now)
      const policy = integrationOf(account, sessionRow.integration_id)
      const email = body.customer?.email ?? null
      const session = abandon === null ? withEmail(sessionRow, email) : sessionRow
      const attempt =
        abandon === null
          ? readyOrRefuse(context, { session, account, newest, now })
          : endLeft(attemptAt(newest!, now), policy)
      const paying = { session, attempt, address: caller.address, now }
      const { payer, verdict } = await judgeCharge(context, paying, policy)
      const cause = { actor: 'shopper' as const, request_id }
      const confirmed = { session, attempt, account, verdict, payer, cause }
      const result = await (verdict.decline
        ? declineUncharged(context, confirmed, verdict.decline, now)
        : charge(context, confirmed))
      return result && viewConfirmed(result, session, attempt)
    })
  },
})

/** A request that comes late must not end an attempt that was begun since. */
function refuseUnlessNewest(newest: Attempt | null, attempt_id: string): void {
  if (newest?.attempt_id === attempt_id) return
  const words = 'abandon must be the id of the newest attempt of the session.'
  throw new Refusal('invalid_request', words, { field: 'abandon' })
}

/** Where the bank has refused already, its word stands. */
function endLeft(attempt: Attempt, policy: Parameters<typeof judge>[1]): Attempt {
  const is_over = isAuthenticationOver(attempt.three_ds_state)
  return is_over && judge(attempt, policy).decline ? attempt : leftByShopper(attempt)
}

/** An email that the session already has stays: a shopper's page cannot replace the one that a server gave. */
function withEmail(session: Session, address: string | null): Session {
  const email = session.customer?.email ?? address
  if (email === null) {
    throw new Refusal('customer_email_required', 'customer.email is required to take a payment.', {
      field: 'customer.email',
    })
  }
  const nobody: Customer = {
    email,
    name: null,
    account_created: null,
    account_id: null,
    metadata: null,
  }
  return { ...session, customer: { ...(session.customer ?? nobody), email } }
}

type ChargeableSession = {
  session: Session
  account: Account
  newest: Attempt | null
  now: Date
}

function readyOrRefuse(context: Context, { session, account, newest, now }: ChargeableSession): Attempt {
  const attempt = newest && attemptAt(newest, now)
  if (attempt && isAuthenticationOver(attempt.three_ds_state)) return attempt
  // Without a provider, authenticate would only refuse this shopper. An authentication that has ended needs no provider.
  if (!providerForNew(context, account, session)) throw noProvider(session.mode)
  const words = attempt
    ? 'The authentication of the card has not ended.'
    : 'No card was authenticated yet: authenticate first.'
  throw new Refusal('authentication_incomplete', words, {
    members: {
      attempt: attempt && viewAttempt(attempt),
      three_ds: attempt
        ? viewThreeDs(attempt, challengeUrl(context))
        : { state: 'not_started', version: null, challenge: null, cardholder_info: null },
    },
  })
}

/**
 * Declines without asking the acquirer: the bank refused, the integration does not allow going on without the bank's answer, or
 * there were too many declines.
 */
async function declineUncharged(
  context: Context,
  confirmed: ConfirmedAttempt,
  decline: Decline,
  now: Date,
): Promise<ConfirmResult | null> {
  const { session, verdict, payer } = confirmed
  const payment_id = context.ids.payment(now)
  const payment = newPayment(confirmed, { payment_id, acquirer: null, at: now })
  const change = refused({ session, payment }, 'declined', decline)
  const outcome = chargeOutcome(context.ids, { ...confirmed, change, operation: null, at: now })
  if (!(await saveUncharged(context.sql, outcome, now))) return null
  context.wakeDeliveries('event', session.merchant_id)
  context.metrics.paymentConfirmed('declined', session.mode)
  if (isRefusedByBank(verdict)) await countOutcome(context, payer, change.payment, now)
  return outcome.attempt.result as ConfirmResult
}
