// GET …/state: what a checkout needs to resume after a reload.

import { z } from 'zod'
import { clientSecret } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { type SessionId, timestamp } from '../../kernel/values.ts'
import { integrationOf } from '../../merchants/directory.ts'
import { confirmationUrlIn, defaultRules } from '../../merchants/integration.ts'
import { linksView, viewLinks } from '../../merchants/links.ts'
import { recordedResult } from '../confirm-result.ts'
import type { Context } from '../context.ts'
import { viewBasket } from '../purchase.ts'
import { attemptsLeft, type Session, secondsLeft, settlementAt, statusAt } from '../session.ts'
import { checkoutOrRefuse } from '../sessions/load-checkout.ts'
import { sessionCors } from '../sessions/session-cors.ts'
import { attemptAt } from '../three-ds-states.ts'
import {
  attemptView,
  basketView,
  declineView,
  mode,
  resultView,
  settlementView,
  threeDsView,
  time,
  viewAttempt,
  viewResult,
  viewThreeDs,
} from '../views.ts'
import { challengeUrl } from './ask-bank.ts'

const stateView = z
  .object({
    session: z.object({
      id: z.string(),
      status: z.enum(['requires_payment', 'processing', 'succeeded', 'declined', 'expired']),
      mode,
      amount: z.int(),
      currency: z.string(),
      ...basketView,
      expires_at: time,
      expires_in_seconds: z.int(),
      attempt_count: z.int(),
      attempts_left: z.int(),
      settlement: settlementView,
      customer_email_required: z.boolean(),
      last_decline: declineView.nullable(),
      order_reference: z.string().nullable(),
    }),
    attempt: attemptView.nullable(),
    three_ds: threeDsView.nullable(),
    result: resultView.nullable(),
    links: linksView,
    shop_url: z.string().nullable().meta({
      description: 'Where the shopper goes back to: `back_url`, or else the origin of the confirmation_url.',
    }),
  })
  .meta({ title: 'SessionState', note: 'What a page needs to resume a session.' })

export const resumeSession = route({
  method: 'GET',
  path: '/v1/checkout/sessions/{session_id}/state',
  tag: 'In the browser',
  summary: 'Resume a session',
  access: clientSecret,
  dialect: 'checkout',
  cors: sessionCors,
  status: 200,
  reply: stateView,
  refusals: [],
  handle: async (context: Context, { holder, now }) => {
    const key = { merchant_id: holder.merchant_id, session_id: holder.session_id as SessionId }
    const { session, attempts } = await checkoutOrRefuse(context.sql, key)
    const newest = attempts.at(-1)
    const attempt = newest ? attemptAt(newest, now) : null
    const result = attempt && recordedResult(session, attempt)
    const account = await context.directory.account(holder.merchant_id)
    const integration = account ? integrationOf(account, session.integration_id) : defaultRules
    const links = viewLinks(integration, session.mode)
    const goes_on = session.confirmation_url ?? confirmationUrlIn(integration, session.mode)
    return {
      session: viewState(session, now),
      attempt: attempt && viewAttempt(attempt),
      three_ds: attempt && viewThreeDs(attempt, challengeUrl(context)),
      result: result && viewResult(result, attempt),
      links,
      shop_url: links.back_url ?? (goes_on && `${new URL(goes_on).origin}/`),
    }
  },
})

function viewState(session: Session, now: Date) {
  return {
    id: session.session_id,
    status: statusAt(session, now),
    mode: session.mode,
    amount: session.amount,
    currency: session.currency,
    ...viewBasket(session.items),
    expires_at: timestamp(session.expires_at),
    expires_in_seconds: secondsLeft(session, now),
    attempt_count: session.attempt_count,
    attempts_left: attemptsLeft(session),
    settlement: settlementAt(session, now),
    customer_email_required: !session.customer?.email,
    last_decline: session.last_decline,
    order_reference: session.order_reference,
  }
}
