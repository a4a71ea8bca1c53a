// POST …/authenticate: opens a payment attempt for a card reference and asks the card's bank, once.

import { z } from 'zod'
import type { Context } from '../context.ts'
import { Refusal } from '../errors.ts'
import { type Caller, clientSecret } from '../http/access.ts'
import { route } from '../http/route.ts'
import { admitMerchant } from '../merchants/admit.ts'
import type { ThreeDs } from '../three-ds/three-ds.ts'
import { askBank, challengeUrl, providerUnavailable } from './ask-bank.ts'
import { type Attempt, attemptAt } from './attempt.ts'
import { must } from './fields.ts'
import { checkoutOrRefuse } from './load-checkout.ts'
import {
  attempts_max,
  attemptsLeft,
  refuseUnlessOpen,
  type Session,
  sessionConflicts,
} from './session.ts'
import { claimAsking, findAttempt, openAttempt } from './store.ts'
import { findCard, type VaultCard } from './vault-store.ts'
import { authenticateView, viewAuthenticate } from './views.ts'

const fraction = (words: string) =>
  z.number(must(words)).min(0, must(words)).max(1_000_000, must(words))

const authenticateBody = z.strictObject({
  card_reference: z.string(must('be a card reference')).max(40, must('be a card reference')),
  browser: z.strictObject(
    {
      language: z
        .string(must('be text'))
        .min(1, must('not be empty'))
        .max(100, must('be a language tag')),
      color_depth: fraction('be a number of bits'),
      screen_height: fraction('be a number of pixels'),
      screen_width: fraction('be a number of pixels'),
      time_zone_offset: z
        .number(must('be minutes'))
        .min(-1000, must('be minutes'))
        .max(1000, must('be minutes')),
      java_enabled: z.boolean(must('be true or false')).nullish(),
      javascript_enabled: z.boolean(must('be true or false')),
    },
    must('be an object'),
  ),
  challenge_window_size: z
    .enum(['01', '02', '03', '04', '05'], must('be 01, 02, 03, 04 or 05'))
    .nullish(),
})
export type AuthenticateBody = z.output<typeof authenticateBody>

/** Races a request may lose before something else must be wrong. */
const tries_max = 5

export const authenticate = route({
  method: 'POST',
  path: '/v1/checkout/sessions/{session_id}/authenticate',
  tag: 'In the browser',
  summary: 'Open an attempt and start 3-D Secure',
  door: clientSecret,
  dialect: 'checkout',
  body: authenticateBody,
  status: 200,
  reply: authenticateView,
  refusals: ['merchant_not_active', ...sessionConflicts, 'three_ds_provider_unavailable'],
  handle: async (context: Context, { body, holder, caller, now }) => {
    await admitMerchant(context, holder.merchant_id)
    const key = { merchant_id: holder.merchant_id, session_id: holder.session_id }
    // Whoever loses a race against another request reads again and finds what the winner wrote.
    for (let tries = 0; tries < tries_max; tries++) {
      const { session, attempts } = await checkoutOrRefuse(context.sql, key)
      refuseUnlessOpen(session, now)
      const same = attempts.find((attempt) => attempt.card_reference === body.card_reference)
      const start = same
        ? { attempt: same, card: null }
        : await startAttempt(context, { session, body, now })
      if (!start) continue
      const ended = await finishAsking(context, { session, body, caller, ...start })
      return viewAuthenticate(
        { ...session, attempt_count: Math.max(session.attempt_count, ended.number) },
        attemptAt(ended, context.world.clock.now()),
        challengeUrl(context),
      )
    }
    throw new Error('the session changed under every try to open an attempt')
  },
})

/** A Directory Server's time and the 3DS Method's before it, and some slack. */
const asking_ms = 25_000
const card_slack_ms = 5 * 60 * 1000

type Start = { session: Session; body: AuthenticateBody; now: Date }

/** Opens the attempt, or returns null where another request changed the session first. */
async function startAttempt(
  context: Context,
  { session, body, now }: Start,
): Promise<{ attempt: Attempt; card: VaultCard } | null> {
  if (attemptsLeft(session) === 0) {
    throw new Refusal('attempts_exhausted', 'The three payment attempts are used up.')
  }
  const card = await findCard(context.sql, {
    merchant_id: session.merchant_id,
    card_reference: body.card_reference,
  })
  if (!card || card.session_id !== session.session_id || card.expires_at <= now)
    throw unknownReference()
  providerOf(context, session)
  const attempt = newAttempt(context, { session, card, body, now })
  const keep_card_until = new Date(session.expires_at.getTime() + card_slack_ms)
  return (await openAttempt(context.sql, attempt, keep_card_until)) ? { attempt, card } : null
}

function newAttempt(
  context: Context,
  { session, card, body, now }: Start & { card: VaultCard },
): Attempt {
  return {
    merchant_id: session.merchant_id,
    attempt_id: context.ids.attempt(),
    session_id: session.session_id,
    number: Math.min(session.attempt_count + 1, attempts_max),
    card_reference: card.card_reference,
    brand: card.brand,
    last4: card.last4,
    phase: 'authenticating',
    three_ds_state: 'not_started',
    three_ds_version: null,
    server_transaction_id: card.server_transaction_id,
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
    created_at: now,
    settled_at: null,
  }
}

type Asking = {
  session: Session
  attempt: Attempt
  body: AuthenticateBody
  caller: Caller
  /** The card where this request opened the attempt: then it is the one that asks. */
  card: VaultCard | null
}

/** Asks the bank, or waits for the request that is asking. Returns the attempt as it stands then. */
async function finishAsking(context: Context, asking: Asking): Promise<Attempt> {
  const { clock } = context.world
  const { card } = asking
  let { attempt } = asking
  while (attempt.three_ds_state === 'not_started' && attempt.phase === 'authenticating') {
    const until = new Date(clock.now().getTime() + asking_ms)
    if (
      card !== null ||
      (abandoned(attempt, clock.now()) && (await claimAsking(context.sql, attempt, until)))
    ) {
      const provider = providerOf(context, asking.session)
      return askBank(context, { ...asking, attempt, card, provider })
    }
    await clock.sleep(100)
    const current = await findAttempt(context.sql, attempt.merchant_id, attempt.attempt_id)
    // The request that was asking found no provider and took the attempt back.
    if (!current) throw providerUnavailable()
    attempt = current
  }
  return attempt
}

function abandoned(attempt: Attempt, now: Date): boolean {
  return attempt.asking_until === null || attempt.asking_until <= now
}

function providerOf(context: Context, session: Session): ThreeDs {
  const provider = context.three_ds[session.mode]
  if (!provider) throw providerUnavailable()
  return provider
}

function unknownReference(): Refusal {
  return new Refusal(
    'invalid_request',
    'card_reference is not a live card reference of this session.',
    {
      field: 'card_reference',
    },
  )
}
