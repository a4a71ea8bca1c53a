// The limits that keep card testers out: how many tries, how many cards, and how many declines.

import { networkOf } from '../../http/gateway-limit.ts'
import type { Context } from '../context.ts'
import { session_life_ms } from '../session.ts'
import type { Limit, LimitUse } from './limits-store.ts'

const minute_ms = 60_000
const hour_ms = 60 * minute_ms

type Rule = {
  places: number
  lasts_ms: number
  /** The text of the refusal, in which `{wait}` stands for how long; null where a payment is declined instead. */
  refusal: string | null
}

/**
 * At most `places` within any period of `lasts_ms`: a use keeps its place that long, and a refused one takes none. The
 * first two hold in both modes, and sessions are counted in both, since each is stored. The others hold in live mode
 * only: in test mode the card number alone decides what happens, and one machine plays many shoppers, so it may also
 * create more sessions. Behind a proxy that RIPPER_TRUSTED_PROXIES does not name, all shoppers share one address and
 * its places.
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
    refusal: 'Too many different cards were entered in this session. It takes no other one before it ends in {wait}.',
  },
  references_of_address: {
    places: 30,
    lasts_ms: minute_ms,
    refusal: 'Too many cards were entered from this address. Try again in {wait}.',
  },
  sessions_of_address: {
    places: 20,
    lasts_ms: minute_ms,
    refusal: 'Too many sessions were created from this address. Try again in {wait}.',
  },
  sessions_of_key: {
    places: 200,
    lasts_ms: minute_ms,
    refusal: 'Too many sessions were created with this publishable key. Try again in {wait}.',
  },
  test_sessions_of_address: {
    places: 120,
    lasts_ms: minute_ms,
    refusal: 'Too many test sessions were created from this address. Try again in {wait}.',
  },
  test_sessions_of_key: {
    places: 600,
    lasts_ms: minute_ms,
    refusal: 'Too many test sessions were created with this publishable key. Try again in {wait}.',
  },
  sessions_of_link: {
    places: 200,
    lasts_ms: minute_ms,
    refusal: 'Too many people open this payment link at once. Try again in {wait}.',
  },
  test_sessions_of_link: {
    places: 600,
    lasts_ms: minute_ms,
    refusal: 'Too many people open this payment link at once. Try again in {wait}.',
  },
  declines_of_card: { places: 5, lasts_ms: hour_ms, refusal: null },
  declines_of_address: { places: 10, lasts_ms: hour_ms, refusal: null },
  /**
   * The brake of a merchant as a whole, for who tries each card from another address: of sessions that pages create, and of
   * those that its server creates, each by themselves, so that a publishable key is no way to slow what a server sells.
   */
  declines_of_merchant: { places: 30, lasts_ms: 10 * minute_ms, refusal: null },
} satisfies Record<string, Rule>

export type LimitName = keyof typeof limits

export function useOf({ name, places }: Limit, mark: string | string[], now: Date): LimitUse {
  return {
    name,
    places,
    marks: [mark].flat(),
    ends_at: new Date(now.getTime() + ruleOf(name).lasts_ms),
  }
}

/** The limit of one card, address, session, key or merchant. */
export function limitOf(limit: LimitName, whose: string): Limit {
  return { name: `${limit} ${whose}`, places: limits[limit].places }
}

/** The rule of a limit by its row's name. */
export function ruleOf(name: string): Rule {
  return limits[limitNameOf(name)]
}

/** Which limit a row is of, by its name. */
export function limitNameOf(name: string): LimitName {
  return name.split(' ')[0] as LimitName
}

/**
 * Addresses are personal data: only their digest is stored, a different one for each merchant. A new master key changes
 * digests and fingerprints, so a rotation begins these limits anew.
 */
export function digestOf({ keyring }: Context, merchant_id: string, address: string): string {
  return keyring.mac('limited address', merchant_id, networkOf(address)).toString('base64url')
}
