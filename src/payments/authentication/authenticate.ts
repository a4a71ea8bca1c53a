// POST …/authenticate: opens a payment attempt for a card reference and asks the card's bank, once.

import { type Caller, clientSecret } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { admitMerchant } from '../../merchants/admit.ts'
import type { Account } from '../../merchants/directory.ts'
import { type Enrolment, ProviderUnavailable } from '../../three-ds/three-ds.ts'
import type { Attempt } from '../attempt.ts'
import type { Context } from '../context.ts'
import type { Cause } from '../outcome.ts'
import { attempts_max, attemptsLeft, refuseUnlessOpen, type Session, sessionConflicts } from '../session.ts'
import { actOnCheckout } from '../sessions/load-checkout.ts'
import { sessionCors } from '../sessions/session-cors.ts'
import type { Checkout } from '../sessions/session-store.ts'
import { namedOrRefuse, noProvider, type Provider, providerForNew } from '../three-ds-provider.ts'
import { attemptAt } from '../three-ds-states.ts'
import type { VaultCard } from '../vault-card.ts'
import { authenticateView, viewAuthenticate } from '../views.ts'
import { askBank, challengeUrl, refusalOf } from './ask-bank.ts'
import { attemptLine, newAttemptLines } from './attempt-journal.ts'
import { claimAsking, findAttempt, insertAttempt } from './attempt-store.ts'
import { type AuthenticateBody, authenticateBody, localeOf } from './authenticate-body.ts'
import { enrolmentOf } from './card-enrolment.ts'
import { asking_ms, claimRight, mayBeAsking } from './while-asking.ts'

export const authenticate = route({
  method: 'POST',
  path: '/v1/checkout/sessions/{session_id}/authenticate',
  tag: 'In the browser',
  summary: 'Open an attempt and start 3-D Secure',
  access: clientSecret,
  dialect: 'checkout',
  cors: sessionCors,
  body: authenticateBody,
  status: 200,
  reply: authenticateView,
  refusals: ['merchant_not_active', ...sessionConflicts, 'three_ds_provider_unavailable'],
  handle: async (context: Context, { body, holder, caller, request_id }) => {
    const account = await admitMerchant(context, holder.merchant_id)
    const { merchant_id, session_id } = holder
    const key = { merchant_id, session_id, card_reference: body.card_reference }
    const cause: Cause = { actor: 'shopper', request_id }
    return actOnCheckout(context.sql, key, async ({ session, attempts, card }) => {
      // Read after the session: the process may have stood still since the request came.
      const now = context.world.clock.now()
      refuseUnlessOpen(session, now)
      const same = attempts.find((attempt) => attempt.card_reference === body.card_reference)
      const start = same
        ? { attempt: same, known: null }
        : await startAttempt(context, { session, card, account, body, caller, cause, now })
      if (!start) return null
      const ended = await finishAsking(context, { session, body, caller, cause, ...start })
      return viewAuthenticate(
        { ...session, attempt_count: Math.max(session.attempt_count, ended.number) },
        attemptAt(ended, context.world.clock.now()),
        challengeUrl(context),
      )
    })
  },
})

const card_slack_ms = 5 * 60 * 1000

type AuthenticateInput = {
  session: Session
  account: Account
  body: AuthenticateBody
  caller: Caller
  cause: Cause
  now: Date
}

/** Opens the attempt, or returns null where another request changed the session first. */
async function startAttempt(
  context: Context,
  { session, card, account, body, caller, cause, now }: AuthenticateInput & Pick<Checkout, 'card'>,
): Promise<Pick<AskingRight, 'attempt' | 'known'> | null> {
  if (attemptsLeft(session) === 0) {
    throw new Refusal('attempts_exhausted', 'The three payment attempts are used up.')
  }
  if (!card || card.expires_at <= now) throw unknownReference()
  const provider = providerForNew(context, account, session)
  if (!provider) throw noProvider(session.mode)
  const known = { card, enrolment: await enrolmentOrRefuse(context, provider, card) }
  const attempt = newAttempt(context, { session, provider, known, body, caller, now })
  const lines = newAttemptLines(context.ids, attempt, cause)
  const { expires_at } = session
  const keep_card_until = new Date(expires_at.getTime() + card_slack_ms)
  const attemptNow = await claimRight(context, attempt, async () =>
    (await insertAttempt(context.sql, attempt, { expires_at, keep_card_until, lines })) ? attempt : undefined,
  )
  return attemptNow ? { attempt: attemptNow, known } : null
}

/** Refuses before anything is written: an attempt that cannot begin must not supersede the one under way. */
async function enrolmentOrRefuse(context: Context, provider: Provider, card: VaultCard): Promise<Enrolment> {
  try {
    return await enrolmentOf(context, provider, card)
  } catch (error) {
    throw error instanceof ProviderUnavailable ? refusalOf(error) : error
  }
}

type NewAttemptInput = Omit<AuthenticateInput, 'account' | 'cause'> & {
  provider: Provider
  known: NonNullable<AskingRight['known']>
}

function newAttempt(context: Context, { session, provider, known, body, caller, now }: NewAttemptInput): Attempt {
  const { card, enrolment } = known
  const { server_transaction_id } = (enrolment.enrolled && enrolment.transaction) || card
  return {
    merchant_id: session.merchant_id,
    attempt_id: context.ids.attempt(now),
    session_id: session.session_id,
    number: Math.min(session.attempt_count + 1, attempts_max),
    card_reference: card.card_reference,
    brand: card.brand,
    last4: card.last4,
    phase: 'authenticating',
    three_ds_state: 'not_started',
    three_ds_version: null,
    three_ds_provider: provider.name,
    three_ds_handle: null,
    server_transaction_id,
    ds_transaction_id: null,
    acs_transaction_id: null,
    acs_url: null,
    window_size: body.challenge_window_size ?? '05',
    challenge_expires_at: null,
    cardholder_info: null,
    authentication_outcome: null,
    asking_until: new Date(now.getTime() + asking_ms),
    payment_id: null,
    result: null,
    locale: localeOf(body, caller),
    created_at: now,
    settled_at: null,
  }
}

type AskingRight = {
  session: Session
  attempt: Attempt
  body: AuthenticateBody
  caller: Caller
  cause: Cause
  /** The card and its enrolment, where this request opened the attempt and so is the one that asks. */
  known: { card: VaultCard; enrolment: Enrolment } | null
}

/** Asks the bank, or waits for the request that is asking. Returns the attempt as it is then. */
async function finishAsking(context: Context, asking: AskingRight): Promise<Attempt> {
  const { clock } = context.world
  const { cause } = asking
  let { attempt } = asking
  let is_mine = asking.known !== null
  while (attempt.three_ds_state === 'not_started' && attempt.phase === 'authenticating') {
    const mine = is_mine ? attempt : await takeOver(context, attempt, cause)
    if (mine) {
      const provider = namedOrRefuse(context, asking.session.mode, mine.three_ds_provider)
      // Read at the beginning, so it is right only for the request that asks at once.
      const known = is_mine ? asking.known : null
      attempt = await askBank(context, { ...asking, known, attempt: mine, provider })
      // The provider's own id may have taken the place of the one by which it was claimed.
      const has_ended = attempt.three_ds_state !== 'not_started'
      if (has_ended || attempt.server_transaction_id === mine.server_transaction_id) return attempt
      // The answer came too late: another request is asking by now.
      is_mine = false
    }
    await clock.sleep(100)
    const current = await findAttempt(context.sql, attempt.merchant_id, attempt.attempt_id)
    // The request that was asking found no provider and withdrew the attempt.
    if (!current) throw refusalOf(null)
    attempt = current
  }
  return attempt
}

/** Takes over the attempt where the request that was asking has stopped: its process died. */
async function takeOver(context: Context, attempt: Attempt, cause: Cause): Promise<Attempt | undefined> {
  const now = context.world.clock.now()
  if (mayBeAsking(attempt, now)) return undefined
  const account = await context.directory.account(attempt.merchant_id)
  const claim = {
    asking_until: new Date(now.getTime() + asking_ms),
    server_transaction_id: context.ids.serverTransaction(account!.merchant.routing, now),
  }
  const change = { change: 'attempt.asking_taken_over', detail: {}, at: now } as const
  const line = attemptLine(context.ids, attempt, cause, change)
  return claimRight(context, { ...attempt, ...claim }, () => claimAsking(context.sql, attempt, claim, line))
}

function unknownReference(): Refusal {
  return new Refusal('invalid_request', 'card_reference is not a live card reference of this session.', {
    field: 'card_reference',
  })
}
