// Begins, renews and ends people's sessions. Each sign-in and each proof gives a new token.

import { insertLine } from '../audit/journal-store.ts'
import type { Context } from '../context.ts'
import type { AnySql } from '../database/open.ts'
import type { Caller } from '../http/access.ts'
import { type Evidence, factorsOf, lockEvidence } from './proof-ways.ts'
import {
  endSession,
  expiryOf,
  type Factor,
  type FoundSession,
  hashOfSecret,
  insertUserSession,
  previous_token_ms,
  renewSession,
  type UserSession,
} from './session.ts'
import { updateUser } from './user.ts'
import { type Author, personLine } from './user-journal.ts'

/** The context of all code that signs people in. */
export type UsersContext = Pick<Context, 'sql' | 'world' | 'ids' | 'keyring' | 'doorkeeper' | 'addresses'>

/** A request that signs a person in or proves who they are. */
export type Sender = { caller: Caller; request_id: string }

const agent_length_max = 300

/** Begins a session in the given transaction. Returns the token for the cookie, which is stored nowhere. */
export async function startSession(
  tx: AnySql,
  { ids, world }: UsersContext,
  {
    user_id,
    factors,
    is_half,
    sender,
    proved_at,
  }: {
    user_id: string
    factors: Factor[]
    is_half: boolean
    sender: Sender
    /** Now, where it is left out. */
    proved_at?: Date
  },
): Promise<string> {
  const now = world.clock.now()
  const token = ids.personSecret()
  const session: UserSession = {
    session_id: ids.userSession(),
    session_hash: hashOfSecret(token),
    previous_hash: null,
    previous_until: null,
    user_id,
    factors,
    is_half,
    address: sender.caller.address,
    agent: (sender.caller.header('user-agent') ?? '').slice(0, agent_length_max),
    created_at: now,
    seen_at: now,
    proved_at: proved_at ?? now,
    expires_at: expiryOf(now, is_half),
    ended_at: null,
  }
  await insertUserSession(tx, session)
  if (!is_half) await updateUser(tx, user_id, { seen_at: now, warned_at: null })
  return token
}

/** What a person came in by, and from where. */
export type Entry = { user_id: string; evidence: Evidence[]; sender: Sender }

/**
 * Begins a whole session and writes its line in the journal. `before` is the browser's earlier session. Null if the
 * shown evidence is no longer valid.
 */
export async function signIn(
  context: UsersContext,
  { before, proved_at, ...entry }: Entry & { before: FoundSession | null; proved_at?: Date },
): Promise<string | null> {
  const { user_id, evidence, sender } = entry
  const factors = factorsOf(evidence)
  return begin(context, entry, async (tx) => {
    const at = context.world.clock.now()
    if (before) await endSession(tx, before, at)
    const whole = { user_id, factors, is_half: false, sender, ...(proved_at && { proved_at }) }
    const token = await startSession(tx, context, whole)
    const fields = { subject: user_id, change: 'sign_in.succeeded', detail: { factors }, at }
    await insertLine(tx, personLine(context, authorOf(user_id, sender), fields))
    return token
  })
}

/** Begins a half session, which must show a further factor. Null as for `signIn`. */
export async function signInByHalf(context: UsersContext, entry: Entry): Promise<string | null> {
  const { user_id, evidence, sender } = entry
  const half = { user_id, factors: factorsOf(evidence), is_half: true, sender }
  return begin(context, entry, (tx) => startSession(tx, context, half))
}

/**
 * Gives a session a new token after a proof or a second factor, and unlocks it. Null if the session has ended
 * meanwhile, or the shown evidence is no longer valid.
 */
export async function renew(
  context: UsersContext,
  session: UserSession,
  { evidence, sender }: Omit<Entry, 'user_id'>,
): Promise<string | null> {
  const { user_id, session_id, is_half, created_at } = session
  const factors = factorsOf(evidence)
  return begin(context, { user_id, evidence, sender }, async (tx) => {
    const at = context.world.clock.now()
    const token = context.ids.personSecret()
    const renewed = await renewSession(tx, session_id, {
      session_hash: hashOfSecret(token),
      // The old token of a half session must not be able to read.
      previous_until: new Date(at.getTime() + (is_half ? 0 : previous_token_ms)),
      factors,
      expires_at: expiryOf(is_half ? at : created_at, false),
      at,
    })
    if (!renewed) return null
    await updateUser(tx, user_id, { seen_at: at, warned_at: null })
    const change = is_half ? 'sign_in.succeeded' : 'sign_in.proved'
    const detail = { factors: is_half ? [...session.factors, ...factors] : factors }
    const line = { subject: user_id, change, detail, at }
    await insertLine(tx, personLine(context, authorOf(user_id, sender), line))
    return token
  })
}

/** Runs the work in a transaction in which the shown evidence stays valid until the end. */
function begin(
  { sql }: UsersContext,
  { user_id, evidence }: Entry,
  work: (tx: AnySql) => Promise<string | null>,
): Promise<string | null> {
  return sql.begin(async (tx) => ((await lockEvidence(tx, user_id, evidence)) ? work(tx) : null))
}

export function authorOf(user_id: string, { caller, request_id }: Sender): Author {
  return { actor: `user ${user_id}`, request_id, address: caller.address }
}
