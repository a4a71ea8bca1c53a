// The limits that keep card testers out: how often one may try, with how many cards, and after how many declines.
// They are counted in the database, so that they hold across processes, and for each merchant by itself.

import type { Decline } from '../../acquirers/acquirer.ts'
import type { Sql } from '../../database/open.ts'
import { networkOf } from '../../http/gateway-limit.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Mode } from '../../kernel/values.ts'
import type { Attempt, Verdict } from '../attempt.ts'
import type { Context, SettlementContext } from '../context.ts'
import type { Payment } from '../payment.ts'
import { type Session, session_life_ms } from '../session.ts'
import {
  type Full,
  freePlace,
  type Limit,
  limitsOfPayer,
  listFull,
  takePlaces,
  type Use,
} from './limits-store.ts'

const minute_ms = 60_000
const hour_ms = 60 * minute_ms

type Rule = {
  places: number
  lasts_ms: number
  /** What a request is refused with, `{wait}` standing for how long; null where a payment is declined instead. */
  refusal: string | null
}

/**
 * At most `places` within any stretch of `lasts_ms`, wherever it begins: a use keeps its place for so long, and one that
 * is refused takes none. The first two hold in both modes, and sessions are counted in both: whoever makes one has it
 * stored. The others hold in live mode only: in test mode the card number alone decides what happens, and one machine plays
 * many shoppers, so that it may also make more sessions. Behind a proxy that RIPPER_TRUSTED_PROXIES does not
 * name, all shoppers have one address, and share what one may do.
 */
const limits = {
  references_of_session: {
    places: 10,
    lasts_ms: minute_ms,
    refusal: 'Too many cards were entered in this session. Try again in {wait}.',
  },
  /** Different numbers; each keeps its place until the session ends. */
  cards_of_session: {
    places: 5,
    lasts_ms: session_life_ms,
    refusal:
      'Too many different cards were entered in this session. It takes no other one before it ends in {wait}.',
  },
  references_of_address: {
    places: 30,
    lasts_ms: minute_ms,
    refusal: 'Too many cards were entered from this address. Try again in {wait}.',
  },
  sessions_of_address: {
    places: 20,
    lasts_ms: minute_ms,
    refusal: 'Too many sessions were opened from this address. Try again in {wait}.',
  },
  sessions_of_key: {
    places: 200,
    lasts_ms: minute_ms,
    refusal: 'Too many sessions were opened with this publishable key. Try again in {wait}.',
  },
  test_sessions_of_address: {
    places: 120,
    lasts_ms: minute_ms,
    refusal: 'Too many test sessions were opened from this address. Try again in {wait}.',
  },
  test_sessions_of_key: {
    places: 600,
    lasts_ms: minute_ms,
    refusal: 'Too many test sessions were opened with this publishable key. Try again in {wait}.',
  },
  declines_of_card: { places: 5, lasts_ms: hour_ms, refusal: null },
  declines_of_address: { places: 10, lasts_ms: hour_ms, refusal: null },
  /**
   * The brake of a merchant as a whole, for who tries each card from another address: of sessions that pages open, and of
   * those that its server opens, each by themselves, so that a publishable key is no way to slow what a server sells.
   */
  declines_of_merchant: { places: 30, lasts_ms: 10 * minute_ms, refusal: null },
} satisfies Record<string, Rule>

type Name = keyof typeof limits

/**
 * Counts a number that was typed into a session; `fingerprint` is null where it is no card's. Throws
 * `rate_limit_exceeded` where a limit is reached.
 */
export async function limitCardReferences(
  context: Context,
  typed: { session: Session; address: string; fingerprint: Buffer | null; now: Date },
): Promise<void> {
  const { session, address, fingerprint, now } = typed
  const { merchant_id, session_id, expires_at } = session
  const own = [useOf(limitOf('references_of_session', session_id), anyMark(context), now)]
  if (fingerprint) {
    const limit = limitOf('cards_of_session', session_id)
    own.push({ ...limit, marks: [fingerprint.toString('hex')], ends_at: expires_at })
  }
  const shared: Use[] = []
  if (session.mode === 'live') {
    const customer = digestOf(context, merchant_id, address)
    shared.push(useOf(limitOf('references_of_address', customer), anyMark(context), now))
  }
  refuseIfFull(await takePlaces(context.sql, merchant_id, { own, shared }, now), now)
}

type Create = {
  merchant_id: string
  public_key: string
  address: string
  mode: Mode
  /** Of texts that will be stored. */
  text_bytes: number
  now: Date
}

/** What one place stands for: an ordinary cart many times over. */
const text_bytes_a_place = 8_192

/**
 * Counts a session that a browser is about to create: as several, where it has as much stored as several may. Throws
 * `rate_limit_exceeded` where a limit is reached.
 */
export async function limitSessionCreates(context: Context, asked: Create): Promise<void> {
  const { merchant_id, public_key, address, mode, text_bytes, now } = asked
  if (mode === 'test' && !context.counts_test_sessions) return
  const [of_address, of_key] = sessionLimits[mode]
  const customer = digestOf(context, merchant_id, address)
  const places = Math.max(1, Math.ceil(text_bytes / text_bytes_a_place))
  const marks = Array.from({ length: places }, () => anyMark(context))
  const own = [useOf(limitOf(of_address, customer), marks, now)]
  const shared = [useOf(limitOf(of_key, public_key), marks, now)]
  refuseIfFull(await takePlaces(context.sql, merchant_id, { own, shared }, now), now)
}

const sessionLimits = {
  test: ['test_sessions_of_address', 'test_sessions_of_key'],
  live: ['sessions_of_address', 'sessions_of_key'],
} as const satisfies Record<Mode, [Name, Name]>

/** Whom declines are counted against: an address, and a card where it is still held. */
export type Payer = {
  merchant_id: string
  limits: Limit[]
  /** There were too many: the payment is to be declined at once, without its acquirer being asked. */
  is_blocked: boolean
  /** Of all shoppers together. Missing where a release before wrote it down. */
  brake?: Limit & { used: number; is_full: boolean }
}

/**
 * Null in test mode, where a decline is what the card number asks for. Confirms that run at the same time do not see each
 * other's declines, so that a few more may come through.
 */
export async function payerOf(
  context: Context,
  paying: { session: Session; attempt: Attempt; address: string; now: Date },
): Promise<Payer | null> {
  const { session, attempt, address, now } = paying
  if (session.mode === 'test') return null
  const { merchant_id } = session
  const of_merchant = brakeOf(session.minted_by ?? 'server')
  const found = await limitsOfPayer(
    context.sql,
    attempt,
    {
      named: [limitOf('declines_of_address', digestOf(context, merchant_id, address)), of_merchant],
      any_card: limitOf('declines_of_card', ''),
    },
    now,
  )
  const limits = found.filter(({ name }) => name !== of_merchant.name)
  const brake = found.find(({ name }) => name === of_merchant.name)!
  return { merchant_id, limits, brake, is_blocked: limits.some(({ is_full }) => is_full) }
}

/** Merchants whose brake is on, for some of their sessions or for all; no more than `limit` of them. */
export async function listBraked(sql: Sql, which: { now: Date; limit: number }): Promise<string[]> {
  return listFull(sql, minters.map(brakeOf), which)
}

/** Whose sessions a brake is of. */
const minters = ['server', 'client'] as const satisfies Session['minted_by'][]

function brakeOf(minter: (typeof minters)[number]): Limit {
  return limitOf('declines_of_merchant', minter)
}

const blocked: Decline = { code: 'blocked', category: 'fraud', reason: 'Too many declines' }

/**
 * Why a payment is declined here; null where its acquirer is to be asked. While a merchant's brake is on, that is where the
 * bank has authenticated the cardholder: a tester of cards cannot have that, and an honest shopper goes on paying, so that
 * nobody shuts a shop by being declined.
 */
export function declineOf(
  { metrics }: Pick<Context, 'metrics'>,
  payer: Payer | null,
  { authentication }: Verdict,
): Decline | null {
  if (!payer) return null
  const is_braked = payer.brake?.is_full && authentication?.outcome !== 'Authenticated'
  if (!payer.is_blocked && !is_braked) return null
  metrics.paymentBlocked(payer.is_blocked ? 'payer' : 'merchant')
  return blocked
}

/**
 * Counts a payment that its acquirer or the card's bank declined, whatever their words: only those who call this know who
 * spoke. One that was approved takes a decline off the merchant's brake again, so that a shop which sells much is not
 * slowed by its share of declines. The payment is saved already: what goes wrong here is logged, not thrown.
 */
export async function countOutcome(
  { sql, world }: SettlementContext,
  payer: Payer | null,
  { payment_id, status }: Payment,
  now: Date,
): Promise<void> {
  if (!payer) return
  const { merchant_id, limits, brake } = payer
  try {
    if (status === 'declined') {
      const own = [...limits, ...(brake ? [brake] : [])].map((each) => useOf(each, payment_id, now))
      await takePlaces(sql, merchant_id, { own, shared: [] }, now)
    } else if ((status === 'captured' || status === 'held') && isNearlyFull(brake)) {
      await freePlace(sql, merchant_id, brake.name, now)
    }
  } catch (error) {
    world.log.warn({ payment_id, error: (error as Error).message }, 'decline not counted')
  }
}

/** All payments of a merchant would wait for one row if each approval were counted: it is where it may soon matter. */
function isNearlyFull(brake: Payer['brake']): brake is NonNullable<Payer['brake']> {
  return brake !== undefined && brake.used * 2 >= brake.places
}

function useOf({ name, places }: Limit, mark: string | string[], now: Date): Use {
  return {
    name,
    places,
    marks: [mark].flat(),
    ends_at: new Date(now.getTime() + ruleOf(name).lasts_ms),
  }
}

function limitOf(limit: Name, whose: string): Limit {
  return { name: `${limit} ${whose}`, places: limits[limit].places }
}

/** The rule of a limit by its row's name. */
function ruleOf(name: string): Rule {
  return limits[name.split(' ')[0] as Name]
}

/** For uses of which each counts. */
function anyMark({ world }: Context): string {
  return world.random.bytes(9).toString('base64url')
}

/**
 * Addresses are personal: their digest alone is stored, another one for each merchant. A new master key gives new ones,
 * for fingerprints too, so that a rotation begins these limits anew.
 */
function digestOf({ keyring }: Context, merchantId: string, address: string): string {
  return keyring.mac('limited address', merchantId, networkOf(address)).toString('base64url')
}

/** Of several full limits the one that lasts longest is told, so that waiting for so long is worth it. */
function refuseIfFull(full: Full[], now: Date): void {
  const [last] = full.toSorted((a, b) => b.frees_at.getTime() - a.frees_at.getTime())
  if (!last) return
  const seconds = Math.max(1, Math.ceil((last.frees_at.getTime() - now.getTime()) / 1000))
  throw new Refusal(
    'rate_limit_exceeded',
    ruleOf(last.name).refusal!.replace('{wait}', inWords(seconds)),
    {
      retry_after_seconds: seconds,
    },
  )
}

function inWords(seconds: number): string {
  const [count, unit] = seconds > 90 ? [Math.ceil(seconds / 60), 'minute'] : [seconds, 'second']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
