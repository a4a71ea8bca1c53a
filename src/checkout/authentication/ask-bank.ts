// Authenticates one attempt at the card's bank: the end of the 3DS Method, the AReq, and what its answer makes of the
// attempt.

import { openNumber } from '../../cards/vault.ts'
import { clock_skew_max_ms } from '../../database/clock/clock-skew.ts'
import type { Caller } from '../../http/access.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Brand, Mode } from '../../kernel/values.ts'
import { numericCountry } from '../../merchants/country.ts'
import { completeProfileOf, ofBrand } from '../../merchants/merchant.ts'
import {
  type AuthenticationAnswer,
  type AuthenticationRequest,
  ProviderUnavailable,
  type ThreeDs,
} from '../../three-ds/three-ds.ts'
import { type Attempt, stateOf } from '../attempt.ts'
import { pageToken } from '../cards/page-token.ts'
import { findCard, type VaultCard } from '../cards/vault-store.ts'
import type { Context } from '../context.ts'
import type { Cause } from '../outcome.ts'
import type { Session } from '../session.ts'
import { attemptLine } from './attempt-lines.ts'
import { type AttemptMove, findAttempt, moveAttempt, withdrawAttempt } from './attempt-store.ts'
import type { AuthenticateBody } from './authenticate-body.ts'
import { results_path } from './receive-result.ts'
import { retryWhileAsking } from './while-asking.ts'

/** How long a bank's 3DS Method page may take, counted from when our page was opened. */
const method_ms = 10_000
/** How long a bank's answer may take. */
const answer_ms = 10_000
/** A bank's challenge page lives 10 minutes; the RReq is due within one more. */
const challenge_ms = 11 * 60 * 1000

type BankRequest = {
  session: Session
  attempt: Attempt
  body: AuthenticateBody
  caller: Caller
  cause: Cause
  /** The card, where it was read just now. */
  card: VaultCard | null
  provider: ThreeDs
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
    const kept = await retryWhileAsking(context, attempt, async () => {
      const moved =
        line && (await moveAttempt(context.sql, attempt, { from: 'not_started', to, line }))
      return moved ?? findAttempt(context.sql, attempt.merchant_id, attempt.attempt_id)
    })
    // Another request took the attempt over, and then withdrew it.
    if (!kept) throw providerUnavailable()
    return kept
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    const line = lineOf('attempt.withdrawn', {})
    await retryWhileAsking(context, attempt, () => withdrawAttempt(context.sql, attempt, line))
    throw providerUnavailable()
  }
}

/** Null where another card superseded the attempt meanwhile. */
async function ask(context: Context, question: BankRequest): Promise<AttemptMove | null> {
  const request = await retryWhileAsking(context, question.attempt, () =>
    prepare(context, question),
  )
  if (request === 'no_card') return null
  if (request === 'not_enrolled') return { three_ds_state: 'not_enrolled', asking_until: null }
  const now = context.world.clock.now()
  // A request that takes over at the end of this right asks as well, and the bank should get one AReq for a purchase.
  const left_ms = question.attempt.asking_until!.getTime() - now.getTime()
  if (left_ms < answer_ms) throw new ProviderUnavailable('there was no time left to ask')
  const answer = await question.provider.authenticate(request)
  return { ...moveOf(answer, question.session, now), three_ds_version: request.version }
}

/** Everything before the AReq. It only reads, so it may be repeated. */
async function prepare(
  context: Context,
  question: BankRequest,
): Promise<AuthenticationRequest | 'no_card' | 'not_enrolled'> {
  const { attempt, provider } = question
  const card = await whenMethodIsOver(context, attempt, question.card)
  if (!card) return 'no_card'
  const number = openNumber(context.keyring, card, card.sealed_number)
  const enrolment = await provider.enrolment({ number, brand: card.brand })
  if (!enrolment.enrolled) return 'not_enrolled'
  const { version, method_url } = enrolment
  const request = await requestOf(context, { ...question, card, number, version })
  return { ...request, method_completion: methodCompletion(card, attempt, method_url) }
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
    const left_ms = running
      ? card.method_opened_at!.getTime() + method_ms - clock.now().getTime()
      : 0
    // A page that opened in the future was opened by a wrong clock: nobody waits for it.
    if (left_ms <= 0 || left_ms > method_ms + clock_skew_max_ms) return card
    await clock.sleep(Math.min(left_ms, 200))
  }
}

function methodCompletion(
  card: VaultCard,
  attempt: Attempt,
  method_url: string | null,
): 'Y' | 'N' | 'U' {
  if (method_url === null) return 'U'
  // The bank's page reported for the transaction under which the card was typed, and for no other.
  const same = card.server_transaction_id === attempt.server_transaction_id
  return same && card.method_completed_at !== null ? 'Y' : 'N'
}

type NegotiatedBankRequest = BankRequest & {
  card: VaultCard
  number: string
  version: '2.1.0' | '2.2.0'
}

async function requestOf(
  context: Context,
  known: NegotiatedBankRequest,
): Promise<Omit<AuthenticationRequest, 'method_completion'>> {
  const { session, attempt, body, caller, card } = known
  return {
    server_transaction_id: attempt.server_transaction_id,
    version: known.version,
    brand: card.brand,
    number: known.number,
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

export function providerUnavailable(): Refusal {
  return new Refusal(
    'three_ds_provider_unavailable',
    '3-D Secure cannot be reached. No attempt was spent; send the request again in a moment.',
  )
}

/** For a mode without a configured provider. */
export function noProvider(mode: Mode): Refusal {
  return new Refusal('three_ds_provider_unavailable', noProviderWords[mode])
}

const noProviderWords: Record<Mode, string> = {
  test: 'Test mode is off here: its bank, the simulator, does not run. RIPPER_SIMULATOR=on lets it run.',
  live: 'No Directory Server is configured for live mode, so no card could be authenticated.',
}

/** The address of our own page that nests the bank's. */
export function challengeUrl(context: Pick<Context, 'keyring' | 'addresses'>) {
  return ({ session_id, attempt_id }: Attempt) => {
    const token = pageToken(context.keyring, 'challenge', { session_id, subject: attempt_id })
    return `${context.addresses.base_url()}/3ds/challenge/${token}`
  }
}
