// What the management of accounts needs, in the name of a person.

import type { Context } from '../context.ts'
import { wholeOf } from '../database/cells/cells.ts'
import type { AnySql } from '../database/open.ts'
import { writerOf } from '../merchants/account-lines.ts'
import type { ManageContext } from '../merchants/manage.ts'
import type { Member } from '../users/member.ts'

/** `refuse` judges the member as they are when it is written. */
export function officeOf(
  { sql, ids, world }: Pick<Context, 'sql' | 'ids' | 'world'>,
  member: Member,
  request_id: string,
  refuse: (now: Member) => void = () => {},
): ManageContext {
  const judge = async (tx: AnySql) => refuse(await member.judge(tx))
  const writer = writerOf({ ids }, { holder: { ...member, judge }, request_id })
  return { ...writer, sql: wholeOf(sql), ids, clock: world.clock }
}
