// Plays the shopper of a test payment by the routes that a checkout calls: card, 3-D Secure, charge.

import type { Route, RouteRequest, Told } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { MerchantId, SessionId } from '../../kernel/values.ts'
import { authenticate } from '../../payments/authentication/authenticate.ts'
import { testBrowser } from '../../payments/authentication/test-browser.ts'
import { referenceCard } from '../../payments/cards/reference-card.ts'
import { confirm } from '../../payments/charging/confirm.ts'
import type { Context } from '../../payments/context.ts'
import type { Session } from '../../payments/session.ts'
import { findSession } from '../../payments/sessions/session-store.ts'
import { cardNumbers, type TestOutcome } from './test-outcomes.ts'

type Request = Omit<RouteRequest<unknown, unknown, unknown>, 'holder' | 'params' | 'body' | 'query'>

/** A session of the merchant in test mode; undefined where there is none. */
export async function findTestSession(
  { sql }: Pick<Context, 'sql'>,
  { merchant_id, session_id }: { merchant_id: MerchantId; session_id: string },
): Promise<Session | undefined> {
  if (!isSessionId(session_id)) return undefined
  const session = await findSession(sql, { merchant_id, session_id })
  return session?.mode === 'test' ? session : undefined
}

function isSessionId(text: string): text is SessionId {
  return /^cs_\w+$/.test(text)
}

/** Pays with the card of the session's outcome. A session that was charged before answers with that charge's result. */
export async function payTestSession(
  context: Context,
  request: Request,
  session: Session,
): Promise<NonNullable<(typeof confirm)['told']>['reply']> {
  const play = playIn(context, request, session)
  const before = session.attempt_count > 0 ? await confirmAgain(play) : null
  if (before) return before
  const outcome = session.metadata.test_payment as TestOutcome
  const { card_reference } = await play(referenceCard, {
    number: cardNumbers[outcome],
    exp_month: 12,
    // By the service's clock, which may be shifted.
    exp_year: session.expires_at.getUTCFullYear() + 1,
    cvc: '123',
  })
  await play(authenticate, { card_reference, browser: testBrowser })
  return play(confirm, {})
}

type Play = ReturnType<typeof playIn>

/** Null where an earlier request ended before its card was authenticated. */
async function confirmAgain(play: Play) {
  try {
    return await play(confirm, {})
  } catch (error) {
    if (error instanceof Refusal && error.code === 'authentication_incomplete') return null
    throw error
  }
}

/** Calls a checkout's route for the session as its page would, without the client secret. */
function playIn(context: Context, request: Request, { merchant_id, session_id }: Session) {
  return async <Body, Reply>(
    record: Route<Context> & Told<string, string, unknown, Body, Reply>,
    body: Body,
  ): Promise<Reply> => {
    const holder = { merchant_id, session_id }
    const sent = { ...request, holder, params: { session_id }, query: undefined }
    return (await record.handle(context, { ...sent, body: record.body!.parse(body) })) as Reply
  }
}
