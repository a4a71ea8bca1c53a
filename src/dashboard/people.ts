// The names of the people and keys in lines of the journal. People's names are for those who manage the team or read shoppers'
// names, too. Others see ids alone.

import { z } from 'zod'
import type { Sql } from '../database/open.ts'
import { findKeysNamed, keyNamesOf } from '../merchants/key-store.ts'
import type { Member } from '../users/member.ts'
import { findMembersNamed } from '../users/membership-store.ts'
import { namesOf } from '../users/user-store.ts'

/** Names by the id of a person or key. */
export const peopleView = z.record(z.string(), z.string())

/** The people and keys of the merchant whose name or address has the text, in any case; the people where one may see their names. */
export async function idsNamed(
  sql: Sql,
  text: string,
  holder: Pick<Member, 'can' | 'mode' | 'merchant_id'>,
): Promise<string[]> {
  const { merchant_id } = holder
  const [keys, people] = await Promise.all([
    findKeysNamed(sql, merchant_id, text),
    maySeePeople(holder) ? findMembersNamed(sql, merchant_id, text) : [],
  ])
  return [...keys, ...people]
}

/** The names of those who made a change, and of those it was about. */
export async function peopleIn(
  sql: Sql,
  lines: { actor: string; subject: string }[],
  holder: Pick<Member, 'can' | 'mode' | 'merchant_id'>,
): Promise<Record<string, string>> {
  const ids = lines.flatMap(({ actor, subject }) => [actor.replace(/^\w+ /, ''), subject])
  const idsOf = (prefix: string) => [...new Set(ids.filter((id) => id.startsWith(prefix)))]
  const [user_ids, key_ids] = [idsOf('usr_'), idsOf('key_')]
  return {
    ...(key_ids.length > 0 && (await keyNamesOf(sql, holder.merchant_id, key_ids))),
    ...(user_ids.length > 0 && maySeePeople(holder) && (await namesOf(sql, user_ids))),
  }
}

function maySeePeople({ can, mode }: Pick<Member, 'can' | 'mode'>): boolean {
  const of = mode ?? 'live'
  return can('manage_members', of) || can('read_shoppers', of)
}
