// Limits how many cards are typed and how many sessions pages create, since card testers do much of both. The database
// counts, so the limits hold across processes, and for each merchant separately.

import { Refusal } from '../../kernel/errors.ts'
import type { Mode } from '../../kernel/values.ts'
import type { Context } from '../context.ts'
import type { Session } from '../session.ts'
import { digestOf, type LimitName, limitNameOf, limitOf, ruleOf, useOf } from './limits.ts'
import { type Limit, type LimitUse, reservePlaces } from './limits-store.ts'

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
  const shared: LimitUse[] = []
  if (session.mode === 'live') {
    const customer = digestOf(context, merchant_id, address)
    shared.push(useOf(limitOf('references_of_address', customer), anyMark(context), now))
  }
  await reserve(context, merchant_id, { own, shared }, now)
}

type Create = {
  merchant_id: string
  address: string
  mode: Mode
  now: Date
}

/** The size of one place: an ordinary cart many times over. */
const text_bytes_a_place = 8_192

/**
 * Counts a session that a browser is about to create: as several, where it stores as much as several may. Throws
 * `rate_limit_exceeded` where a limit is reached.
 */
export async function limitSessionCreates(
  context: Context,
  /** `text_bytes`: of texts that will be stored. */
  { public_key, text_bytes, ...request }: Create & { public_key: string; text_bytes: number },
): Promise<void> {
  const places = Math.max(1, Math.ceil(text_bytes / text_bytes_a_place))
  return limitCreates(context, request, { of: limitOf(sessionLimits[request.mode].of_key, public_key), places })
}

/** Counts a session that somebody who opens a payment link is about to create. Throws `rate_limit_exceeded` as well. */
export async function limitLinkOpenings(
  context: Context,
  { payment_link_id, ...request }: Create & { payment_link_id: string },
): Promise<void> {
  return limitCreates(context, request, {
    of: limitOf(sessionLimits[request.mode].of_link, payment_link_id),
    places: 1,
  })
}

async function limitCreates(
  context: Context,
  { merchant_id, address, mode, now }: Create,
  { of, places }: { of: Limit; places: number },
): Promise<void> {
  if (mode === 'test' && !context.counts_test_sessions) return
  const customer = digestOf(context, merchant_id, address)
  const marks = Array.from({ length: places }, () => anyMark(context))
  const own = [useOf(limitOf(sessionLimits[mode].of_address, customer), marks, now)]
  const shared = [useOf(of, marks, now)]
  await reserve(context, merchant_id, { own, shared }, now)
}

const sessionLimits = {
  test: { of_address: 'test_sessions_of_address', of_key: 'test_sessions_of_key', of_link: 'test_sessions_of_link' },
  live: { of_address: 'sessions_of_address', of_key: 'sessions_of_key', of_link: 'sessions_of_link' },
} as const satisfies Record<Mode, Record<string, LimitName>>

/** For limits of which every use counts. */
function anyMark({ world }: Context): string {
  return world.random.bytes(9).toString('base64url')
}

/** Of several full limits the refusal names the one that lasts longest, so that waiting that long helps. */
async function reserve(
  { sql, limitLog }: Context,
  merchant_id: string,
  uses: { own: LimitUse[]; shared: LimitUse[] },
  now: Date,
): Promise<void> {
  const full = await reservePlaces(sql, merchant_id, uses, now)
  for (const { name } of full) limitLog.note(limitNameOf(name), merchant_id)
  const [last] = full.toSorted((a, b) => b.frees_at.getTime() - a.frees_at.getTime())
  if (!last) return
  const seconds = Math.max(1, Math.ceil((last.frees_at.getTime() - now.getTime()) / 1000))
  throw new Refusal('rate_limit_exceeded', ruleOf(last.name).refusal!.replace('{wait}', inWords(seconds)), {
    retry_after_seconds: seconds,
  })
}

function inWords(seconds: number): string {
  const [count, unit] = seconds > 90 ? [Math.ceil(seconds / 60), 'minute'] : [seconds, 'second']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
