// The names of the people and keys in lines of the journal. People's names are for those who manage the team or read shoppers'
// names, too. Others see ids alone.

import { z } from 'zod'
import type { Sql } from '../database/open.ts'
import { keyNamesOf } from '../merchants/key-store.ts'
import type { Member } from '../users/member.ts'
import { namesOf } from '../users/user.ts'

/** Names by the id of a person or key. */
export const peopleView = z.record(z.string(), z.string())

/** The names of those who made a change, and of those it was about. */
export async function peopleIn(
  sql: Sql,
  lines: { actor: string; subject: string }[],
  holder: Pick<Member, 'can' | 'mode' | 'merchant_id'>,
): Promise<Record<string, string>> {
  const ids = lines.flatMap(({ actor, subject }) => [idOfActor(actor), subject])
  const idsOf = (prefix: string) => [...new Set(ids.filter((id) => id.startsWith(prefix)))]
  const [user_ids, key_ids] = [idsOf('usr_'), idsOf('key_')]
  return {
    ...(key_ids.length > 0 && (await keyNamesOf(sql, holder.merchant_id, key_ids))),
    ...(user_ids.length > 0 && seesPeople(holder) && (await namesOf(sql, user_ids))),
  }
}

/** `usr_…` of `user usr_…`; empty where the line names only what it was. */
export function idOfActor(actor: string): string {
  return actor.split(' ')[1] ?? ''
}

export function seesPeople({ can, mode }: Pick<Member, 'can' | 'mode'>): boolean {
  const of = mode ?? 'live'
  return can('manage_members', of) || can('read_shoppers', of)
}
