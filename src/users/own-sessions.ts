// A person ends sessions of their own: one that they do not know, or all but this one.

import { insertLine } from '../audit/journal-store.ts'
import { personLine } from './lines.ts'
import { notThere, type Person } from './member.ts'
import { lockPerson } from './rights.ts'
import { endSession, endSessions } from './session-store.ts'
import { authorOf, type Sender, type UsersContext } from './start-session.ts'
import { updateUser } from './user-store.ts'

/** Throws `resource_not_found`. */
export async function endOwnSession(
  context: UsersContext,
  { user_id, session }: Person,
  session_id: string,
  sender: Sender,
): Promise<void> {
  await context.sql.begin(async (tx) => {
    await lockPerson(tx, { user_id, session })
    const at = context.world.clock.now()
    if (!(await endSession(tx, { session_id, user_id }, at))) throw notThere()
    const told = { subject: user_id, change: 'sign_in.ended', detail: { session_id }, at }
    await insertLine(tx, personLine(context, authorOf(user_id, sender), told))
  })
}

/** Returns how many ended, and when: browsers are known to the person since then. */
export async function endOtherSessions(
  context: UsersContext,
  { user_id, session }: Person,
  sender: Sender,
): Promise<{ ended: number; at: Date }> {
  return context.sql.begin(async (tx) => {
    await lockPerson(tx, { user_id, session })
    const at = context.world.clock.now()
    // Whoever was in by one of them has signed in in a browser of theirs.
    await updateUser(tx, user_id, { known_since: at })
    const ended = await endSessions(tx, user_id, { but: session.session_id, at })
    const told = { subject: user_id, change: 'sign_in.others_ended', detail: { ended }, at }
    await insertLine(tx, personLine(context, authorOf(user_id, sender), told))
    return { ended, at }
  })
}
