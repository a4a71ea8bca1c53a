// The names of the people in lines of the journal, for those who may see the team. Others see ids alone.

import { z } from 'zod'
import type { Sql } from '../database/open.ts'
import type { Member } from '../users/member.ts'
import { namesOf } from '../users/user-store.ts'

/** Names by user id. */
export const peopleView = z.record(z.string(), z.string())

/** The names of the people who made a change, and of those it was about. */
export async function peopleIn(
  sql: Sql,
  lines: { actor: string; subject: string }[],
  { can, mode }: Pick<Member, 'can' | 'mode'>,
): Promise<Record<string, string>> {
  if (!can('manage_members', mode ?? 'live')) return {}
  const ids = lines.flatMap(({ actor, subject }) => [actor.replace(/^user /, ''), subject])
  const user_ids = [...new Set(ids.filter((id) => id.startsWith('usr_')))]
  return user_ids.length === 0 ? {} : namesOf(sql, user_ids)
}
