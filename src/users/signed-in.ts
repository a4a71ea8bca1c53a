// The doors of the dashboard: who may pass, with which permission, and how fresh a proof they must have.

import { installation_id } from '../audit/journal.ts'
import type { Context } from '../context.ts'
import type { AccessRequest, AccessRule, Caller } from '../http/access.ts'
import { unsupportedType } from '../http/read-body.ts'
import { Refusal, type RefusalCode } from '../kernel/errors.ts'
import type { Mode } from '../kernel/values.ts'
import { liveMerchantExists, lockModeOf } from '../merchants/store.ts'
import { type Member, notThere, type Person, permissionDenied, signInRequired, type Visitor } from './member.ts'
import { isFromOwnPage, isSafePlace, type PageOrigin, pageOriginOf } from './page-origin.ts'
import { hasProved, owesBoth, proofWaysOf, unlockWaysOf } from './proof-ways.ts'
import { lockMember } from './rights.ts'
import { may, type StaffPermission } from './roles.ts'
import {
  type FoundSession,
  findSession,
  type Gravity,
  hashOfSecret,
  hasSecondFactor,
  hasShownBoth,
  isLocked,
  isSeenStale,
  touchSession,
} from './session.ts'
import { tokenOf } from './session-cookie.ts'

/** What a door asks, for the tests that go through all routes. */
export type Door = {
  who: 'visitor' | 'half' | 'locked' | 'person' | 'member' | 'operator'
  permission: StaffPermission | null
  gravity: Gravity
  mode: ModeSource | null
}

export type DoorRule<Holder> = AccessRule<Context, Holder> & { door: Door }

/**
 * How a rule finds out whether money is real; a function gets the path's ids and the body, neither of them judged yet.
 * `any` is for what shows no mode by itself: the permission in one of them is enough. Without a source the act counts as live,
 * which is the strictest. `merchant` is for what all modes of a merchant share: it is live as soon as the merchant is.
 */
export type ModeSource =
  | 'query'
  | 'body'
  | 'any'
  | 'merchant'
  | ((context: Context, ids: Record<string, string>, body: () => unknown) => Promise<Mode | null>)

type Proof = { gravity?: Gravity }
type SignedInOptions = Proof & { mode?: ModeSource }

const sender_refusals = ['insecure_origin', 'cross_site_request', 'invalid_request'] as const
const person_refusals = [...sender_refusals, 'sign_in_required', 'session_locked'] as const
const member_refusals = [
  ...person_refusals,
  ...(['second_factor_required', 'both_ways_required'] as const),
  ...(['permission_denied', 'proof_required'] as const),
  'resource_not_found',
] as const

/** Nobody needs to be signed in. */
export const visitor: DoorRule<Visitor> = {
  ...doorOf({ who: 'visitor' }, sender_refusals),
  check: async (request) => ({ page: judgeSender(request) }),
  keyScope: null,
}

/** Half a session: it has shown a password or a passkey, may show what is asked for beside it, and nothing else. */
export const halfSignedIn: DoorRule<Person> = {
  ...doorOf({ who: 'half' }, person_refusals),
  check: async (request) => {
    const page = judgeSender(request)
    const found = await sessionOf(request, page, null)
    if (!found?.is_half) throw signInRequired()
    return personOf(found, page)
  },
  keyScope: null,
}

/** A person whose session may be locked: for the routes that unlock it. */
export const signedInOrLocked: DoorRule<Person> = {
  ...doorOf({ who: 'locked' }, person_refusals),
  check: async (request) => {
    const page = judgeSender(request)
    const found = await sessionOf(request, page, null)
    if (!found || found.is_half) throw signInRequired()
    return personOf(found, page)
  },
  keyScope: null,
}

/** A person, whatever they may do at merchants. `shows_merchants`: the route shows what happens there. */
export function signedInPerson({
  gravity = 'light',
  shows_merchants = false,
}: Proof & { shows_merchants?: boolean } = {}): DoorRule<Person> {
  return {
    ...doorOf({ who: 'person', gravity }, [...person_refusals, ...(['both_ways_required', 'proof_required'] as const)]),
    check: async (request) => {
      const page = judgeSender(request)
      const found = await openSessionOf(request, page, null)
      if (gravity !== 'light' && owesBoth(found, request.context.doorkeeper)) throw bothRequired()
      if (shows_merchants) requireBoth(request, found)
      // A person who has nothing to prove with adds the first factor by the sign-in alone.
      const ways = proofWaysOf(found, request.context.doorkeeper)
      if (ways.length > 0) requireProof(request, found, { gravity, mode: 'live' })
      await noteActivity(request, found)
      return personOf(found, page)
    },
    keyScope: null,
  }
}

/** An operator of the installation. Others do not learn that there is such a route. */
export function signedInOperator({ gravity = 'light' }: Proof = {}): DoorRule<Person> {
  return {
    ...doorOf({ who: 'operator', gravity }, member_refusals),
    check: async (request) => {
      const page = judgeSender(request)
      const found = await openSessionOf(request, page, null)
      if (!found.is_operator) throw notThere()
      requireBoth(request, found)
      const is_half = !hasSecondFactor(found)
      if (is_half && (await liveMerchantExists(request.context.sql))) throw secondFactorRequired()
      requireProof(request, found, { gravity, mode: 'live' })
      await noteActivity(request, found)
      return personOf(found, page)
    },
    // What operators make belongs to no merchant when they ask for it.
    keyScope: ({ user_id }) => ({ merchant_id: installation_id, audience: `user:${user_id}` }),
  }
}

/**
 * A member of the merchant in the path, with a permission in the mode that `mode` finds. `gravity` says whether a fresh
 * proof is asked for: `money` and `grave_if_live` only where the mode is live.
 */
export function signedIn(
  permission: StaffPermission,
  { gravity = 'light', mode: source }: SignedInOptions = {},
): DoorRule<Member> {
  return {
    ...doorOf({ who: 'member', permission, gravity, mode: source ?? null }, member_refusals),
    check: async (request) => {
      const page = judgeSender(request)
      const found = await openSessionOf(request, page, merchantIn(request.params))
      const { merchant_id, role } = found
      if (merchant_id === null || role === null) throw notThere()
      requireBoth(request, found)
      if (found.merchant_is_live && !hasSecondFactor(found)) throw secondFactorRequired()
      const mode = await modeOf(request, source, found)
      if (!may(role, permission, mode ?? 'live')) throw permissionDenied(permission)
      requireProof(request, found, { gravity, mode: mode ?? 'live' })
      await noteActivity(request, found)
      const member: Member = {
        ...personOf(found, page),
        merchant_id,
        role,
        permission,
        mode,
        can: (asked, mode_asked) => may(role, asked, mode_asked),
        judge: (tx) => lockMember(tx, member, source === 'merchant' ? lockModeOf : undefined),
      }
      return member
    },
    keyScope: ({ merchant_id, user_id }) => ({ merchant_id, audience: `user:${user_id}` }),
  }
}

/** The session of whoever asks, half or locked as it may be; null where there is none. */
export async function sessionOfCaller(
  { sql, world }: Pick<Context, 'sql' | 'world'>,
  caller: Caller,
  page: PageOrigin,
): Promise<FoundSession | null> {
  const token = tokenOf(caller, page)
  if (token === null) return null
  const token_hash = hashOfSecret(token)
  const found = await findSession(sql, { token_hash, merchant_id: null, now: world.clock.now() })
  return found ?? null
}

function doorOf(
  { who, permission = null, gravity = 'light', mode = null }: Partial<Door> & Pick<Door, 'who'>,
  refusals: readonly RefusalCode[],
) {
  return {
    kind: 'signed_in' as const,
    permission,
    refusals,
    door: { who, permission, gravity, mode },
  }
}

async function sessionOf(
  { context, caller, access, method }: AccessRequest<Context>,
  page: PageOrigin,
  merchant_id: string | null,
): Promise<FoundSession | null> {
  const token = tokenOf(caller, page)
  if (token === null) return null
  const token_hash = hashOfSecret(token)
  const found = await findSession(context.sql, { token_hash, merchant_id, now: access.now() })
  // With the token of a moment ago one may read, and no more.
  return !found || (found.is_previous && method !== 'GET') ? null : found
}

/** Ids are judged behind the door, but the database would refuse some characters that an address may have. */
function merchantIn({ merchant_id = '' }: Record<string, string>): string | null {
  return /^\w+$/.test(merchant_id) ? merchant_id : null
}

/** A whole session that is not locked. */
async function openSessionOf(
  request: AccessRequest<Context>,
  page: PageOrigin,
  merchant_id: string | null,
): Promise<FoundSession> {
  const found = await sessionOf(request, page, merchant_id)
  if (!found || found.is_half) throw signInRequired()
  if (isLocked(found, request.access.now())) {
    throw new Refusal('session_locked', 'The session is locked, because nobody used it.', {
      members: { accepted: unlockWaysOf(found, request.context.doorkeeper) },
    })
  }
  return found
}

async function modeOf(
  { context, params, query, body }: AccessRequest<Context>,
  source: ModeSource | undefined,
  { merchant_is_live }: FoundSession,
): Promise<Mode | null> {
  if (source === undefined) return null
  if (source === 'merchant') return merchant_is_live ? 'live' : 'test'
  // What a role may do in live mode it may do in test mode, too.
  if (source === 'any') return 'test'
  if (typeof source === 'function') return source(context, params, body)
  const sent = source === 'query' ? query.mode : (body() as { mode?: unknown } | undefined)?.mode
  return sent === 'test' || sent === 'live' ? sent : null
}

function requireProof(
  { access, context }: AccessRequest<Context>,
  found: FoundSession,
  act: { gravity: Gravity; mode: Mode },
): void {
  if (hasProved(found, act, access.now())) return
  throw new Refusal('proof_required', 'Prove first that it is you.', {
    members: { accepted: proofWaysOf(found, context.doorkeeper) },
  })
}

/** Only what a person does keeps a session open; what the page asks by itself does not. */
async function noteActivity(request: AccessRequest<Context>, found: FoundSession): Promise<void> {
  const { context, caller, access } = request
  const now = access.now()
  if (caller.header('rip-active') !== '1' || !isSeenStale(found, now)) return
  await touchSession(context.sql, found, now)
}

/** Whoever lacks one of the two can still set it up in My account. */
function requireBoth({ context }: AccessRequest<Context>, found: FoundSession): void {
  if (context.doorkeeper.wants_both && !hasShownBoth(found)) throw bothRequired()
}

function bothRequired(): Refusal {
  const words =
    'Both a passkey and a password are asked for: set up what is missing in My account, then sign in with both.'
  return new Refusal('both_ways_required', words)
}

function secondFactorRequired(): Refusal {
  const words = 'This account is live: set up one-time codes or a passkey in My account first.'
  return new Refusal('second_factor_required', words)
}

function personOf(session: FoundSession, page: PageOrigin): Person {
  const { user_id, is_operator } = session
  return { page, session, user_id, is_operator }
}

/**
 * Returns where the page is. Throws `insecure_origin`, `cross_site_request`, and `invalid_request` for what is not
 * JSON.
 */
function judgeSender({ context, caller, method }: AccessRequest<Context>): PageOrigin {
  const page = pageOriginOf(context.addresses.dashboard_url())
  if (!isSafePlace(page, caller)) {
    const words = 'The dashboard opens only over https, or on the machine that it runs on.'
    throw new Refusal('insecure_origin', words)
  }
  if (method === 'GET' || method === 'HEAD') return page
  const type = caller.header('content-type')
  const is_json = type !== null && /^application\/json *(;|$)/i.test(type)
  if (type === null ? method === 'POST' : !is_json) throw unsupportedType(undefined)
  if (!isFromOwnPage(page, caller)) {
    throw new Refusal('cross_site_request', "The request must come from the dashboard's own page.")
  }
  return page
}
