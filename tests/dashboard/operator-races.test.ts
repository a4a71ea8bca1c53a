// An operator who is disabled while they decide: what they do is written before that, or not at all. The decisions come from the
// records of routes.

import { expect, test } from 'vitest'
import { disableUser } from '../../src/users/manage-users.ts'
import { actsOf } from '../support/dashboard-acts.ts'
import { meeting } from '../support/meeting.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock, lock_limit: 'none' })
const { sql } = service
// The last operator cannot be disabled.
await newMember(service, { role: 'viewer', is_operator: true })
const reason = 'The shop has it'
const references = ['0'.repeat(32)]
/** What an operator decides, by the route, and the lines of the journal that it leaves. */
const decisions: Record<string, [body: object, lines: number]> = {
  'POST /orphans/reverse': [{ references }, 1],
  'POST /orphans/leave': [{ references, reason }, 1],
  'POST /brake/pull': [{ acquirer: null, reason }, 1],
  'POST /brake/release': [{ acquirer: null, anyway: true }, 1],
  'POST /findings/close': [{ references, reason }, 1],
  'POST /merchants': [{ name: 'The pottery' }, 2],
}
const rows = Object.entries(decisions).map(([name, [body, lines]]) => ({
  path: name.replace('POST ', '/system'),
  body,
  lines,
}))

test('every decision of an operator is here', () => {
  expect(Object.keys(decisions).sort()).toEqual(actsOf('operator', '/dashboard/api/system'))
})

async function newOperator() {
  const operator = await newMember(service, { role: 'viewer', is_operator: true })
  const { ids } = service.context
  const disable = () => disableUser({ sql, ids, clock, actor: 'operator' }, operator.email)
  const count = async () => (await sql`select 1 from journal where actor = ${`user ${operator.user_id}`}`).length
  return { operator, disable, count }
}

test.each(rows)('an operator is disabled, and then asks for $path', async (row) => {
  const { operator, disable, count } = await newOperator()
  const before = await count()
  const [, answer] = await meeting(sql, disable, () => operator.post(row.path, row.body))
  expect(refusalIn(answer)).toBe('401 sign_in_required')
  expect(await count()).toBe(before)
})

test.each(rows)('an operator asks for $path, and is then disabled', async (row) => {
  const { operator, disable, count } = await newOperator()
  const before = await count()
  const [answer] = await meeting(sql, () => operator.post(row.path, row.body), disable)
  expect([200, 201], answer.text).toContain(answer.status)
  expect(await count()).toBe(before + row.lines)
})
