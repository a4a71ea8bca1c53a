// Signs in people for whom a single sign-on provider vouches: by their account there, or by an invitation to their
// address. Also accepts a fresh sign-in there as a proof.

import { insertLine } from '../audit/journal-store.ts'
import { isUniqueViolation } from '../database/failures.ts'
import { Refusal } from '../kernel/errors.ts'
import { findIdentity, findInvitation, insertIdentity } from './identity-store.ts'
import { spendLink, withdrawOpenWelcomes } from './link-store.ts'
import { realNow } from './one-time-codes.ts'
import type { Evidence } from './proof-ways.ts'
import { grant, userIdOf } from './redeem.ts'
import { lockLink, lockPerson } from './rights.ts'
import { listUserSessions } from './session.ts'
import type { IdentityClaims, RoundPurpose } from './single-sign-on.ts'
import { authorOf, renew, type Sender, signIn, type UsersContext } from './start-session.ts'
import { insertUser, plainName } from './user.ts'
import { personLine } from './user-journal.ts'

/**
 * Returns a session's token; null if no person here has that account. `linking` is the signed-in person who began the
 * round: the account becomes theirs. An address alone opens no existing account.
 */
export async function signInByProvider(
  context: UsersContext,
  { claims, linking }: { claims: IdentityClaims; linking: RoundPurpose['linking'] },
  sender: Sender,
): Promise<string | null> {
  const known_user_id = await findIdentity(context.sql, claims)
  if (known_user_id !== null && linking !== null && known_user_id !== linking.user_id) return null
  const user_id = known_user_id ?? (await newcomer(context, { claims, linking }, sender))
  if (user_id === null) return null
  const proved_at = provedAt(context, claims)
  return signIn(context, {
    user_id,
    evidence: [evidenceOf(claims)],
    proved_at,
    sender,
    before: null,
  })
}

/** A provider's clock may be somewhat behind ours. */
const slack_ms = 30_000

/**
 * The person of a session has signed in at the provider again. Returns the session's new token; null if it was another
 * person, or if the provider does not confirm that it asked them again.
 */
export async function proveByProvider(
  context: UsersContext,
  { claims, proving }: { claims: IdentityClaims; proving: NonNullable<RoundPurpose['proving']> },
  sender: Sender,
): Promise<string | null> {
  const { sql, world } = context
  const { session_id, user_id, since_ms } = proving
  const { authenticated_at } = claims
  if (authenticated_at === null || authenticated_at.getTime() < since_ms - slack_ms) return null
  if ((await findIdentity(sql, claims)) !== user_id) return null
  const sessions = await listUserSessions(sql, user_id, world.clock.now())
  const session = sessions.find((each) => each.session_id === session_id)
  return session ? renew(context, session, { evidence: [evidenceOf(claims)], sender }) : null
}

function evidenceOf({ has_second_factor, issuer, subject }: IdentityClaims): Evidence {
  return { factor: has_second_factor ? 'oidc' : 'oidc_alone', issuer, subject }
}

/** A provider lets in a person who signed in there this morning, which proves nothing about now. */
function provedAt(context: UsersContext, { authenticated_at }: IdentityClaims): Date {
  if (authenticated_at === null) return new Date(0)
  const age_ms = Math.max(0, realNow(context).getTime() - authenticated_at.getTime())
  return new Date(context.world.clock.now().getTime() - age_ms)
}

async function newcomer(
  context: UsersContext,
  { claims, linking }: { claims: IdentityClaims; linking: RoundPurpose['linking'] },
  sender: Sender,
): Promise<string | null> {
  const { sql, world } = context
  const { issuer, subject, email } = claims
  const at = world.clock.now()
  const link = linking === null && email ? await findInvitation(sql, email, at) : undefined
  if (linking === null && (!link || link.holder_id !== null)) return null
  const user_id = linking?.user_id ?? userIdOf(context, link!)
  try {
    return await sql.begin(async (tx) => {
      const author = authorOf(user_id, sender)
      // The session in which they began may have ended meanwhile.
      if (linking) await lockPerson(tx, { user_id, session: linking })
      if (link) {
        if (!(await lockLink(tx, link, user_id))) return null
        if (!(await spendLink(tx, link.link_id, at))) return null
        const name = plainName(claims.name ?? '') ?? email!
        const { is_operator } = link
        const row = {
          user_id,
          email: email!,
          name,
          is_operator,
          password_hash: null,
          created_at: at,
        }
        await insertUser(tx, row)
        await withdrawOpenWelcomes(tx, at)
        await grant(tx, context, { link, user_id, at, sender })
        const detail = { link_id: link.link_id, way: 'oidc' }
        await insertLine(tx, personLine(context, author, { subject: user_id, change: 'user.created', detail, at }))
      }
      await insertIdentity(tx, { issuer, subject, user_id, created_at: at })
      const fields = { subject: user_id, change: 'identity.linked', detail: { issuer }, at }
      await insertLine(tx, personLine(context, author, fields))
      return user_id
    })
  } catch (error) {
    // Two tabs at once: the other one was faster.
    if (isUniqueViolation(error)) return null
    // The session in which they began has ended.
    if (error instanceof Refusal && error.code === 'sign_in_required') return null
    throw error
  }
}
