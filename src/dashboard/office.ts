// What the management of accounts needs, in the name of a person.

import type { Context } from '../context.ts'
import { wholeOf } from '../database/cells/cells.ts'
import type { ManageContext } from '../merchants/manage.ts'
import { type Judge, writerBy } from '../merchants/write-as.ts'
import type { Member } from '../users/member.ts'

export function officeOf(
  { sql, ids, world }: Pick<Context, 'sql' | 'ids' | 'world'>,
  member: Member,
  request_id: string,
): ManageContext & { judge: Judge<Member> } {
  return { ...writerBy(member, request_id), sql: wholeOf(sql), ids, clock: world.clock }
}
