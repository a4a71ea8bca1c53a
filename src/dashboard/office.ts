// What the management of accounts needs, in the name of a person.

import type { Context } from '../context.ts'
import { wholeOf } from '../database/cells/cells.ts'
import { writerOf } from '../merchants/account-lines.ts'
import type { ManageContext } from '../merchants/manage.ts'
import { judgedBy, type Member } from '../users/member.ts'

/** `refuse` judges the member as they are when it is written. */
export function officeOf(
  { sql, ids, world }: Pick<Context, 'sql' | 'ids' | 'world'>,
  member: Member,
  request_id: string,
  refuse: (now: Member) => void = () => {},
): ManageContext {
  const writer = writerOf({ ids }, { holder: judgedBy(member, refuse), request_id })
  return { ...writer, sql: wholeOf(sql), ids, clock: world.clock }
}
