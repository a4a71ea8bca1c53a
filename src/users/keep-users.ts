// Jobs about people. They disable accounts that were unused for 90 days, delete old sessions and links (all of them if
// the database has gone back), and seal secrets under a new master key.

import { installation_id } from '../audit/journal.ts'
import { insertLine } from '../audit/journal-store.ts'
import type { Context } from '../context.ts'
import { rewrapRows } from '../database/rewrap-rows.ts'
import type { World } from '../kernel/world.ts'
import { purgeLinks, withdrawEveryLink, withdrawLinksBy } from './link-store.ts'
import { codeSecretName } from './one-time-codes.ts'
import { lockUser } from './rights.ts'
import { endEverySession, endSessions, purgeUserSessions } from './session.ts'
import { purgeTries } from './tries.ts'
import { codeSecretsUnderOtherKeys, listUnused, replaceCodeSecrets, updateUser } from './user.ts'
import { personLine } from './user-journal.ts'

type JobContext = Pick<Context, 'sql' | 'world' | 'ids' | 'keyring'>

const day_ms = 24 * 3600_000
/** PCI DSS 8.2.6 */
const disabled_after_days = 90
export const warned_after_days = 76

/** Warns of accounts that were unused for 76 days, and disables them after 90. Returns how many it dealt with. */
export async function disableUnused(context: JobContext): Promise<number> {
  const { sql, world } = context
  const at = world.clock.now()
  const since = (days: number) => new Date(at.getTime() - days * day_ms)
  let dealt_with = 0
  for (const { user_id } of await listUnused(sql, since(disabled_after_days))) {
    const fields = { change: 'user.disabled', next: { disabled_at: at, known_since: at }, at }
    if (!(await note(context, { user_id, since: since(disabled_after_days), ...fields }))) continue
    world.log.warn({ user_id, days: disabled_after_days }, 'unused account disabled')
    dealt_with++
  }
  const unusedUsers = await listUnused(sql, since(warned_after_days))
  for (const { user_id } of unusedUsers.filter(({ warned_at }) => warned_at === null)) {
    const fields = { change: 'user.unused', next: { warned_at: at }, at }
    if (!(await note(context, { user_id, since: since(warned_after_days), ...fields }))) continue
    world.log.warn({ user_id, days: warned_after_days }, 'account unused: it will be disabled')
    dealt_with++
  }
  return dealt_with
}

/** False if the person was seen since the list was read. */
async function note(
  context: JobContext,
  {
    user_id,
    since,
    change,
    next,
    at,
  }: {
    user_id: string
    since: Date
    change: string
    next: { disabled_at: Date; known_since: Date } | { warned_at: Date }
    at: Date
  },
): Promise<boolean> {
  return context.sql.begin(async (tx) => {
    const user = await lockUser(tx, user_id)
    if (!user || user.disabled_at !== null || (user.seen_at ?? user.created_at) >= since) return false
    await updateUser(tx, user_id, next)
    if ('disabled_at' in next) {
      await endSessions(tx, user_id, { but: null, at })
      await withdrawLinksBy(tx, { user_id, merchant_id: null, at })
    }
    const author = { actor: 'service' as const, request_id: null }
    await insertLine(tx, personLine(context, author, { subject: user_id, change, at }))
    return true
  })
}

/**
 * Ends all sessions and withdraws all links of a database that has gone back, because it holds some that have ended
 * since. Returns how many sessions ended.
 */
export async function endAllSessions({
  sql,
  world,
  ids,
}: Pick<JobContext, 'sql' | 'ids'> & { world: Pick<World, 'clock'> }): Promise<number> {
  const at = world.clock.now()
  return sql.begin(async (tx) => {
    const sessions = await endEverySession(tx, at)
    const links = await withdrawEveryLink(tx, at)
    const author = { actor: 'service' as const, request_id: null }
    const fields = { change: 'sign_in.all_ended', detail: { sessions, links }, at }
    await insertLine(tx, personLine({ ids }, author, { ...fields, subject: installation_id }))
    return sessions
  })
}

/** Deletes sessions, links and counted tries that are long over. Returns how many. */
export async function purgeSignIns({ sql, world }: JobContext): Promise<number> {
  const now = world.clock.now()
  const deleted_count = (await purgeUserSessions(sql, now)) + (await purgeLinks(sql, now))
  return deleted_count + (await purgeTries(sql, now))
}

/** Returns how many people's secrets of one-time codes were put under the current master key. */
export function rewrapCodeSecrets({ sql, keyring, world }: JobContext): Promise<number> {
  type Row = Awaited<ReturnType<typeof codeSecretsUnderOtherKeys>>[number]
  return rewrapRows({
    first: { user_id: '' },
    page: (pageRequest) => codeSecretsUnderOtherKeys(sql, keyring.current_key_id, pageRequest),
    rewrap(row: Row) {
      const anew = (sealed: Buffer | null) => sealed && (keyring.rewrap(sealed, codeSecretName(row.user_id)) ?? sealed)
      const { totp_sealed, totp_pending } = row
      return replaceCodeSecrets(sql, row, {
        totp_sealed: anew(totp_sealed),
        totp_pending: anew(totp_pending),
      })
    },
    failed({ user_id }, { message }) {
      world.log.error({ user_id, error: message }, 'secret of one-time codes not wrapped anew')
    },
  })
}
