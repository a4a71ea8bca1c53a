// The doors of the dashboard: who may pass, with which permission, and how fresh their proof must be.

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
  findUserSession,
  type Gravity,
  hashOfSecret,
  hasSecondFactor,
  hasShownBoth,
  isLocked,
  isSeenStale,
  touchSession,
} from './session.ts'
import { tokenOf } from './session-cookie.ts'

/** What a door requires, for the tests that go through all routes. */
export type Door = {
  who: 'visitor' | 'half' | 'locked' | 'person' | 'member' | 'operator'
  permission: StaffPermission | null
  gravity: Gravity
  mode: ModeSource | null
}

export type DoorRule<Holder> = AccessRule<Context, Holder> & { door: Door }

/**
 * How a rule finds the mode of an act. A function gets the path's ids and the body, both not judged yet. `any` is for
 * routes without a mode: the permission in one mode is enough. `merchant` is for what both modes of a merchant share:
 * live as soon as the merchant is. Without a source the act counts as live, the strictest mode.
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

/** The request needs no sign-in. */
export const visitor: DoorRule<Visitor> = {
  ...doorOf({ who: 'visitor' }, sender_refusals),
  check: async (request) => ({ page: judgeSender(request) }),
  keyScope: null,
}

/** A half session: it has shown a password or a passkey, and may only show the missing factor. */
export const halfSignedIn: DoorRule<Person> = {
  ...doorOf({ who: 'half' }, person_refusals),
  check: async (request) => {
    const page = judgeSender(request)
    const session = await sessionOf(request, page, null)
    if (!session?.is_half) throw signInRequired()
    return personOf(session, page)
  },
  keyScope: null,
}

/** A person whose session may be locked: for the routes that unlock it. */
export const signedInOrLocked: DoorRule<Person> = {
  ...doorOf({ who: 'locked' }, person_refusals),
  check: async (request) => {
    const page = judgeSender(request)
    const session = await sessionOf(request, page, null)
    if (!session || session.is_half) throw signInRequired()
    return personOf(session, page)
  },
  keyScope: null,
}

/**
 * A person, whatever their rights at merchants are. `shows_merchants` marks a route that shows what happens at
 * merchants.
 */
export function signedInPerson({
  gravity = 'light',
  shows_merchants = false,
}: Proof & { shows_merchants?: boolean } = {}): DoorRule<Person> {
  return {
    ...doorOf({ who: 'person', gravity }, [...person_refusals, ...(['both_ways_required', 'proof_required'] as const)]),
    check: async (request) => {
      const page = judgeSender(request)
      const session = await openSessionOf(request, page, null)
      if (gravity !== 'light' && owesBoth(session, request.context.doorkeeper)) throw bothRequired()
      if (shows_merchants) requireBoth(request, session)
      // A person without any factor adds the first one by the sign-in alone.
      const ways = proofWaysOf(session, request.context.doorkeeper)
      if (ways.length > 0) requireProof(request, session, { gravity, mode: 'live' })
      await noteActivity(request, session)
      return personOf(session, page)
    },
    keyScope: null,
  }
}

/** An operator of the installation. To other people the route looks as if it did not exist. */
export function signedInOperator({ gravity = 'light' }: Proof = {}): DoorRule<Person> {
  return {
    ...doorOf({ who: 'operator', gravity }, member_refusals),
    check: async (request) => {
      const page = judgeSender(request)
      const session = await openSessionOf(request, page, null)
      if (!session.is_operator) throw notThere()
      requireBoth(request, session)
      const is_half = !hasSecondFactor(session)
      if (is_half && (await liveMerchantExists(request.context.sql))) throw secondFactorRequired()
      requireProof(request, session, { gravity, mode: 'live' })
      await noteActivity(request, session)
      return personOf(session, page)
    },
    // What an operator makes has no merchant yet when they send the request.
    keyScope: ({ user_id }) => ({ merchant_id: installation_id, audience: `user:${user_id}` }),
  }
}

/**
 * A member of the merchant in the path, with a permission in the mode that `mode` finds. `gravity` says whether a fresh
 * proof is required: `money` and `grave_if_live` only in live mode.
 */
export function signedIn(
  permission: StaffPermission,
  { gravity = 'light', mode: source }: SignedInOptions = {},
): DoorRule<Member> {
  return {
    ...doorOf({ who: 'member', permission, gravity, mode: source ?? null }, member_refusals),
    check: async (request) => {
      const page = judgeSender(request)
      const session = await openSessionOf(request, page, merchantIn(request.params))
      const { merchant_id, role } = session
      if (merchant_id === null || role === null) throw notThere()
      requireBoth(request, session)
      if (session.merchant_is_live && !hasSecondFactor(session)) throw secondFactorRequired()
      const mode = await modeOf(request, source, session)
      if (!may(role, permission, mode ?? 'live')) throw permissionDenied(permission)
      requireProof(request, session, { gravity, mode: mode ?? 'live' })
      await noteActivity(request, session)
      const member: Member = {
        ...personOf(session, page),
        merchant_id,
        role,
        permission,
        mode,
        can: (permission, mode_asked) => may(role, permission, mode_asked),
        judge: (tx) => lockMember(tx, member, source === 'merchant' ? lockModeOf : undefined),
      }
      return member
    },
    keyScope: ({ merchant_id, user_id }) => ({ merchant_id, audience: `user:${user_id}` }),
  }
}

/** The session of the caller, which may be half or locked; null if there is none. */
export async function sessionOfCaller(
  { sql, world }: Pick<Context, 'sql' | 'world'>,
  caller: Caller,
  page: PageOrigin,
): Promise<FoundSession | null> {
  const token = tokenOf(caller, page)
  if (token === null) return null
  const token_hash = hashOfSecret(token)
  const session = await findUserSession(sql, { token_hash, merchant_id: null, now: world.clock.now() })
  return session ?? null
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
  const session = await findUserSession(context.sql, { token_hash, merchant_id, now: access.now() })
  // The previous token may only read.
  return !session || (session.is_previous && method !== 'GET') ? null : session
}

/** The handler judges ids later, but the database would refuse some characters that an address may have. */
function merchantIn({ merchant_id = '' }: Record<string, string>): string | null {
  return /^\w+$/.test(merchant_id) ? merchant_id : null
}

/** A whole session that is not locked. */
async function openSessionOf(
  request: AccessRequest<Context>,
  page: PageOrigin,
  merchant_id: string | null,
): Promise<FoundSession> {
  const session = await sessionOf(request, page, merchant_id)
  if (!session || session.is_half) throw signInRequired()
  if (isLocked(session, request.access.now())) {
    throw new Refusal('session_locked', 'The session is locked, because nobody used it.', {
      members: { accepted: unlockWaysOf(session, request.context.doorkeeper) },
    })
  }
  return session
}

async function modeOf(
  { context, params, query, body }: AccessRequest<Context>,
  source: ModeSource | undefined,
  { merchant_is_live }: FoundSession,
): Promise<Mode | null> {
  if (source === undefined) return null
  if (source === 'merchant') return merchant_is_live ? 'live' : 'test'
  // A permission in live mode includes test mode.
  if (source === 'any') return 'test'
  if (typeof source === 'function') return source(context, params, body)
  const mode = source === 'query' ? query.mode : (body() as { mode?: unknown } | undefined)?.mode
  return mode === 'test' || mode === 'live' ? mode : null
}

function requireProof(
  { access, context }: AccessRequest<Context>,
  session: FoundSession,
  act: { gravity: Gravity; mode: Mode },
): void {
  if (hasProved(session, act, access.now())) return
  throw new Refusal('proof_required', 'Prove first that it is you.', {
    members: { accepted: proofWaysOf(session, context.doorkeeper) },
  })
}

/** Only acts of a person keep a session open, not requests that the page sends by itself. */
async function noteActivity(request: AccessRequest<Context>, session: FoundSession): Promise<void> {
  const { context, caller, access } = request
  const now = access.now()
  if (caller.header('rip-active') !== '1' || !isSeenStale(session, now)) return
  await touchSession(context.sql, session, now)
}

/** A person who lacks one of the two can still set it up in My account. */
function requireBoth({ context }: AccessRequest<Context>, session: FoundSession): void {
  if (context.doorkeeper.wants_both && !hasShownBoth(session)) throw bothRequired()
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
 * Returns the origin of the page. Throws `insecure_origin`, `cross_site_request`, and `invalid_request` for a body that
 * is not JSON.
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
