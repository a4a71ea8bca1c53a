// What the management of accounts needs, in the name of a person.

import type { Context } from '../context.ts'
import { wholeOf } from '../database/cells/cells.ts'
import { actorOf } from '../http/access.ts'
import type { ManageContext } from '../merchants/manage.ts'
import type { Member } from '../users/member.ts'

export function officeOf(
  { sql, ids, world }: Pick<Context, 'sql' | 'ids' | 'world'>,
  member: Member,
  request_id: string,
): ManageContext {
  return { sql: wholeOf(sql), ids, clock: world.clock, actor: actorOf(member), request_id }
}
