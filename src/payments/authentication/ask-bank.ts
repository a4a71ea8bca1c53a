// Authenticates one attempt at the card's bank: the end of the 3DS Method, the AReq, and what its answer makes of the
// attempt.

import { openNumber } from '../../cards/vault.ts'
import { clock_skew_max_ms } from '../../database/clock/clock-skew.ts'
import type { Caller } from '../../http/access.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Brand } from '../../kernel/values.ts'
import { numericCountry } from '../../merchants/country.ts'
import { completeProfileOf, ofBrand } from '../../merchants/merchant.ts'
import {
  type AuthenticationAnswer,
  type AuthenticationRequest,
  type Enrolment,
  ProfileIncomplete,
  ProviderUnavailable,
} from '../../three-ds/three-ds.ts'
import type { Attempt } from '../attempt.ts'
import { pageToken } from '../cards/page-token.ts'
import { findCard } from '../cards/vault-store.ts'
import type { Context } from '../context.ts'
import type { Cause } from '../outcome.ts'
import type { Session } from '../session.ts'
import type { Provider } from '../three-ds-provider.ts'
import { stateOf } from '../three-ds-states.ts'
import type { VaultCard } from '../vault-card.ts'
import { attemptLine } from './attempt-journal.ts'
import { type AttemptMove, findAttempt, moveAttempt, withdrawAttempt } from './attempt-store.ts'
import type { AuthenticateBody } from './authenticate-body.ts'
import { askAgain, isUsable } from './card-enrolment.ts'
import { results_path } from './receive-result.ts'
import { asking_ms, retryWhileAsking } from './while-asking.ts'

/** How long a bank's 3DS Method page may take, counted from when our page was opened: docs.3dsecure.io, "3DS Method", 2026-05-12. */
const method_ms = 10_000
/** How long a bank's answer may take: a provider gives a Directory Server 10 s, and then says so. */
const answer_ms = 12_000
/** A bank's challenge page lives 10 minutes, by section 5.5 of EMVCo's specification; the RReq is due within one more. */
const challenge_ms = 11 * 60 * 1000

type BankRequest = {
  session: Session
  attempt: Attempt
  body: AuthenticateBody
  caller: Caller
  cause: Cause
  /** The card and what the provider said about it, where that was read just now. */
  known: { card: VaultCard; enrolment: Enrolment } | null
  provider: Provider
}

/**
 * Returns the attempt as the bank's answer left it, or as another request that took it over did. Where no provider was
 * reached, withdraws the attempt and refuses.
 */
export async function askBank(context: Context, question: BankRequest): Promise<Attempt> {
  const { attempt, cause } = question
  const lineOf = (change: 'attempt.moved' | 'attempt.withdrawn', detail: object) =>
    attemptLine(context.ids, attempt, cause, { change, detail, at: context.world.clock.now() })
  try {
    const to = await ask(context, question)
    const line = to && lineOf('attempt.moved', { three_ds_state: to.three_ds_state })
    const attemptNow = await retryWhileAsking(context, attempt, async () => {
      const moved = line && (await moveAttempt(context.sql, attempt, { from: 'not_started', to, line }))
      return moved ?? findAttempt(context.sql, attempt.merchant_id, attempt.attempt_id)
    })
    // Another request took the attempt over, and then withdrew it.
    if (!attemptNow) throw refusalOf(null)
    return attemptNow
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    const line = lineOf('attempt.withdrawn', {})
    await retryWhileAsking(context, attempt, () => withdrawAttempt(context.sql, attempt, line))
    throw refusalOf(error)
  }
}

/** Null where another card superseded the attempt meanwhile. */
async function ask(context: Context, question: BankRequest): Promise<AttemptMove | null> {
  const request = await retryWhileAsking(context, question.attempt, () => prepare(context, question))
  if (request === 'no_card') return null
  if (request === 'not_enrolled') return { three_ds_state: 'not_enrolled', asking_until: null }
  const now = context.world.clock.now()
  // A request that takes over at the end of this right asks as well, and the bank should get one AReq for a purchase.
  const asking_until_ms = question.attempt.asking_until!.getTime()
  const sendable = {
    from: new Date(asking_until_ms - asking_ms),
    until: new Date(asking_until_ms - answer_ms),
  }
  if (now > sendable.until) throw new ProviderUnavailable('there was no time left to ask')
  const answer = await question.provider.threeDs.authenticate({ ...request, sendable })
  return {
    ...moveOf(answer, question.session, now),
    three_ds_version: answer.version ?? request.version,
    three_ds_handle: answer.handle ?? null,
    // The provider's own id, which may be another than the one that the attempt was opened with.
    server_transaction_id: answer.server_transaction_id ?? request.server_transaction_id,
  }
}

/** Everything before the AReq. It only reads, so it may be repeated. */
async function prepare(
  context: Context,
  question: BankRequest,
): Promise<AuthenticationRequest | 'no_card' | 'not_enrolled'> {
  const { attempt, known } = question
  const card = await whenMethodIsOver(context, attempt, known?.card ?? null)
  if (!card) return 'no_card'
  const enrolment = await enrolmentNow(context, question, card)
  if (!enrolment.enrolled) return 'not_enrolled'
  const { version, method_url, transaction } = enrolment
  const { server_transaction_id } = transaction ?? attempt
  const request = await requestOf(context, { ...question, card, version, server_transaction_id })
  return { ...request, method_completion: methodCompletion(card, request, method_url) }
}

/** Of a request that took the attempt over, the bank may have had the provider's earlier id, so the provider gives another. */
async function enrolmentNow(context: Context, { known, provider }: BankRequest, card: VaultCard): Promise<Enrolment> {
  const enrolment = known?.enrolment
  const is_usable = enrolment && isUsable(enrolment, context.world.clock.now())
  return is_usable ? enrolment : askAgain(context, provider, card)
}

function moveOf(answer: AuthenticationAnswer, session: Session, now: Date): AttemptMove {
  const { ds_transaction_id, acs_transaction_id, cardholder_info } = answer
  const ids = { ds_transaction_id, acs_transaction_id, cardholder_info, asking_until: null }
  if (answer.kind === 'outcome') {
    return {
      ...ids,
      three_ds_state: stateOf(answer.outcome),
      authentication_outcome: answer.outcome,
    }
  }
  const ends_ms = Math.min(session.expires_at.getTime(), now.getTime() + challenge_ms)
  return {
    ...ids,
    three_ds_state: 'awaiting_challenge',
    acs_url: answer.acs_url,
    challenge_expires_at: new Date(ends_ms),
  }
}

/** Waits only for a page that was opened: a client without a browser never opens one, and goes on at once. */
async function whenMethodIsOver(
  context: Context,
  attempt: Attempt,
  known: VaultCard | null,
): Promise<VaultCard | null> {
  const { clock } = context.world
  for (let card = known; ; card = null) {
    card ??= (await findCard(context.sql, attempt)) ?? null
    if (!card) return null
    const running = card.method_opened_at !== null && card.method_completed_at === null
    const left_ms = running ? card.method_opened_at!.getTime() + method_ms - clock.now().getTime() : 0
    // A page that opened in the future was opened by a wrong clock: nobody waits for it.
    if (left_ms <= 0 || left_ms > method_ms + clock_skew_max_ms) return card
    await clock.sleep(Math.min(left_ms, 200))
  }
}

function methodCompletion(
  card: VaultCard,
  { server_transaction_id }: Pick<AuthenticationRequest, 'server_transaction_id'>,
  method_url: string | null,
): 'Y' | 'N' | 'U' {
  if (method_url === null) return 'U'
  // The bank's page reported for the transaction under which the card was typed, and for no other.
  const same = card.server_transaction_id === server_transaction_id
  return same && card.method_completed_at !== null ? 'Y' : 'N'
}

type NegotiatedBankRequest = BankRequest & {
  card: VaultCard
  version: '2.1.0' | '2.2.0'
  server_transaction_id: string
}

async function requestOf(
  context: Context,
  negotiated: NegotiatedBankRequest,
): Promise<Omit<AuthenticationRequest, 'method_completion'>> {
  const { session, attempt, body, caller, card, version, server_transaction_id } = negotiated
  return {
    server_transaction_id,
    version,
    brand: card.brand,
    number: openNumber(context.keyring, card, card.sealed_number),
    exp_month: card.exp_month,
    exp_year: card.exp_year,
    cardholder_name: card.cardholder_name,
    email: session.customer?.email ?? null,
    amount: session.amount,
    currency: session.currency,
    purchased_at: context.world.clock.now(),
    browser: {
      ...body.browser,
      java_enabled: body.browser.java_enabled ?? false,
      accept_header: card.accept_header,
      user_agent: caller.header('user-agent') ?? 'unknown',
      ip: caller.address,
    },
    merchant: await merchantFacts(context, session, card.brand),
    notification_url: `${challengeUrl(context)(attempt)}/result`,
    results_url: resultsBase(context, session) + results_path,
  }
}

async function merchantFacts(
  context: Context,
  session: Session,
  brand: Brand,
): Promise<AuthenticationRequest['merchant']> {
  const account = await context.directory.account(session.merchant_id)
  const profile = account && completeProfileOf(account.merchant)
  return {
    name: profile?.descriptor_name ?? account?.merchant.name ?? 'Merchant',
    mcc: profile?.mcc ?? null,
    country: profile ? numericCountry(profile.country) : null,
    acquirer_bin: ofBrand(profile?.acquirer_bin, brand),
    acquirer_merchant_id: ofBrand(profile?.acquirer_merchant_id, brand),
  }
}

/** The simulated bank runs in this process and must reach it even where the public address is not routed here. */
function resultsBase(context: Context, session: Session): string {
  return session.mode === 'test' ? context.addresses.internal_url() : context.addresses.base_url()
}

/** Why a provider was not asked; null if another request knows. */
export function refusalOf(error: ProviderUnavailable | null): Refusal {
  const words =
    error instanceof ProfileIncomplete
      ? `No card can be authenticated: ${error.message}. No attempt was spent.`
      : '3-D Secure cannot be reached. No attempt was spent; send the request again in a moment.'
  return new Refusal('three_ds_provider_unavailable', words)
}

/** The address of our own page that nests the bank's. */
export function challengeUrl(context: Pick<Context, 'keyring' | 'addresses'>) {
  return ({ session_id, attempt_id }: Attempt) => {
    const token = pageToken(context.keyring, 'challenge', { session_id, subject: attempt_id })
    return `${context.addresses.base_url()}/3ds/challenge/${token}`
  }
}
