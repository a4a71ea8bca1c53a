// The team of a merchant: invitations, roles, leaving, and who decides about whom.

import { describe, expect, test } from 'vitest'
import { disableUser } from '../../src/users/manage-users.ts'
import type { Member } from '../../src/users/member.ts'
import { changeRole, review } from '../../src/users/team.ts'
import { newMember, newPerson, refusalIn, secretOf, type TeamMember } from '../support/person.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()

const sender = { caller: { address: '::1', origin: null, header: () => null }, request_id: 'req_1' }

/** An owner of a merchant of their own. */
async function newOwner(more: { is_operator?: boolean } = {}): Promise<TeamMember> {
  const { merchant_id } = await service.newAccount()
  return newMember(service, { merchant_id, ...more })
}

/** As the door lets them in. */
const memberOf = ({ merchant_id, user_id }: TeamMember, more: Partial<Member>) =>
  ({
    merchant_id,
    user_id,
    permission: 'manage_members',
    mode: null,
    session: {},
    ...more,
  }) as Member

const colleagueOf = (owner: TeamMember, role: Parameters<typeof newMember>[1] & object) =>
  newMember(service, { merchant_id: owner.merchant_id, ...role })

const at = ({ merchant_id }: TeamMember, path = '') => `/${merchant_id}/team${path}`

const linesOf = async ({ merchant_id }: TeamMember) => {
  const rows = await service.sql`
    select change, actor, subject from journal where merchant_id = ${merchant_id} order by entry_id`
  return rows.map(({ change, actor, subject }) => ({ change, actor, subject }))
}

test('an invitation is a link, listed until it is used, and a line each', async () => {
  const owner = await newOwner()
  const made = await owner.post(at(owner, '/invitations'), {
    email: 'New@Example.com',
    role: 'viewer',
  })
  expect(made.body).toMatchObject({ email: 'new@example.com', role: 'viewer' })
  const listed = (await owner.get(at(owner))).body.invitations
  expect(listed).toMatchObject([{ link_id: made.body.link_id, made_by: `user ${owner.user_id}` }])
  const colleague = newPerson(service)
  await colleague.redeem(secretOf(made.body.url), { name: 'New' })
  const { members, invitations } = (await owner.get(at(owner))).body
  expect(invitations).toEqual([])
  expect(members).toMatchObject([
    { user_id: owner.user_id, role: 'owner', has_passkey: true },
    { email: 'new@example.com', role: 'viewer', invited_by: `user ${owner.user_id}` },
  ])
  const { user_id } = members[1]
  expect((await linesOf(owner)).slice(-2)).toEqual([
    { change: 'link.created', actor: `user ${owner.user_id}`, subject: made.body.link_id },
    { change: 'member.joined', actor: `user ${user_id}`, subject: user_id },
  ])
  const again = await owner.post(at(owner, '/invitations'), {
    email: 'new@example.com',
    role: 'admin',
  })
  expect(refusalIn(again)).toBe('400 invalid_request')
})

test('one that was withdrawn lets nobody in', async () => {
  const owner = await newOwner()
  const asked = { email: 'gone@example.com', role: 'admin' }
  const { body } = await owner.post(at(owner, '/invitations'), asked)
  expect((await owner.remove(at(owner, `/invitations/${body.link_id}`))).status).toBe(204)
  expect(refusalIn(await newPerson(service).redeem(secretOf(body.url)))).toBe('410 link_withdrawn')
  const gone = await owner.remove(at(owner, `/invitations/${body.link_id}`))
  expect(refusalIn(gone)).toBe('404 resource_not_found')
})

test('about the invitation of an owner only owners decide', async () => {
  const owner = await newOwner()
  const admin = await colleagueOf(owner, { role: 'admin' })
  const asked = { email: 'second@example.com', role: 'owner' }
  const { body } = await owner.post(at(owner, '/invitations'), asked)
  const denied = '403 permission_denied'
  expect(refusalIn(await admin.remove(at(owner, `/invitations/${body.link_id}`)))).toBe(denied)
  const lower = await admin.post(at(owner, '/invitations'), { ...asked, role: 'viewer' })
  expect(refusalIn(lower)).toBe(denied)
  const { invitations } = (await owner.get(at(owner))).body
  expect(invitations).toMatchObject([{ link_id: body.link_id, role: 'owner' }])
})

test('a new role counts at once, and ends the sessions of the old one', async () => {
  const owner = await newOwner()
  const colleague = await colleagueOf(owner, { role: 'viewer' })
  const change = { role: 'admin' }
  const changed = await owner.post(at(owner, `/${colleague.user_id}/role`), change)
  expect(changed.status).toBe(204)
  expect(refusalIn(await colleague.get('/me'))).toBe('401 sign_in_required')
  expect((await linesOf(owner)).at(-1)).toEqual({
    change: 'member.role',
    actor: `user ${owner.user_id}`,
    subject: colleague.user_id,
  })
})

test('who leaves is out at once, here and nowhere else', async () => {
  const [owner, other] = [await newOwner(), await newOwner()]
  const colleague = await colleagueOf(owner, { role: 'support' })
  const theirs = await other.remove(at(other, `/${colleague.user_id}`))
  expect(refusalIn(theirs)).toBe('404 resource_not_found')
  expect((await owner.remove(at(owner, `/${colleague.user_id}`))).status).toBe(204)
  expect(refusalIn(await colleague.get('/me'))).toBe('401 sign_in_required')
})

test('the last owner stays, however two of them race', async () => {
  const owner = await newOwner()
  const leave = (who: TeamMember, whom: TeamMember) => who.remove(at(who, `/${whom.user_id}`))
  expect(refusalIn(await leave(owner, owner))).toBe('400 invalid_request')
  const demote = await owner.post(at(owner, `/${owner.user_id}/role`), { role: 'admin' })
  expect(refusalIn(demote)).toBe('400 invalid_request')
  const second = await colleagueOf(owner, { role: 'owner' })
  const answers = await Promise.all([leave(owner, second), leave(second, owner)])
  // The slower one is out, by its session or by its membership.
  expect(answers.filter(({ status }) => status === 204)).toHaveLength(1)
  const rows = await service.sql`select 1 from memberships where merchant_id = ${owner.merchant_id}`
  expect(rows).toHaveLength(1)
})

test('the links of whoever leaves, is given another role or is disabled let nobody in', async () => {
  const owner = await newOwner()
  const { sql, context } = service
  const ends: [string, (admin: TeamMember) => Promise<unknown>][] = [
    ['left', (admin) => owner.remove(at(owner, `/${admin.user_id}`))],
    ['changed', (admin) => owner.post(at(owner, `/${admin.user_id}/role`), { role: 'viewer' })],
    [
      'disabled',
      ({ email }) => {
        const { ids, world } = context
        return disableUser({ sql, ids, clock: world.clock, actor: 'operator' }, email)
      },
    ],
  ]
  for (const [how, end] of ends) {
    const admin = await colleagueOf(owner, { role: 'admin' })
    const viewer = await colleagueOf(owner, { role: 'viewer' })
    const asked = { email: `${how}@example.com`, role: 'admin' }
    const invited = (await admin.post(at(admin, '/invitations'), asked)).body.url
    const reset = (await admin.post(at(admin, `/${viewer.user_id}/reset-link`))).body.url
    await end(admin)
    for (const url of [invited, reset]) {
      const opened = await newPerson(service).post('/links/read', { secret: secretOf(url) })
      expect([how, refusalIn(opened)]).toEqual([how, '410 link_withdrawn'])
    }
  }
})

test('a link that opens an account anew does not outlast a change of what the account may do', async () => {
  const owner = await newOwner()
  const admin = await colleagueOf(owner, { role: 'admin' })
  const viewer = await colleagueOf(owner, { role: 'viewer' })
  const { url } = (await admin.post(at(admin, `/${viewer.user_id}/reset-link`))).body
  const promoted = await owner.post(at(owner, `/${viewer.user_id}/role`), { role: 'owner' })
  expect(promoted.status, promoted.text).toBe(204)
  const opened = await newPerson(service).post('/links/read', { secret: secretOf(url) })
  expect(refusalIn(opened)).toBe('410 link_withdrawn')
})

test('an owner who is disabled is not one that is left', async () => {
  const owner = await newOwner()
  const second = await colleagueOf(owner, { role: 'owner' })
  await service.sql`update users set disabled_at = ${new Date()} where user_id = ${second.user_id}`
  const leave = await owner.remove(at(owner, `/${owner.user_id}`))
  expect(refusalIn(leave)).toBe('400 invalid_request')
})

test('the role counts that one has when the change is made, not when the door was passed', async () => {
  const owner = await newOwner()
  const chief = await colleagueOf(owner, { role: 'owner' })
  const viewer = await colleagueOf(owner, { role: 'viewer' })
  const { user_id } = chief
  await owner.post(at(owner, `/${user_id}/role`), { role: 'admin' })
  // The change ended the session that they had.
  await chief.signIn()
  const { session_id } = (await chief.get('/me')).body.session
  const session = { session_id } as Member['session']
  const passed = memberOf(chief, { role: 'owner', session })
  const asked = { user_id: viewer.user_id, role: 'owner' as const }
  await expect(changeRole(service.context, passed, asked, sender)).rejects.toMatchObject({
    code: 'permission_denied',
  })
})

describe('an admin decides about everybody but owners', async () => {
  const owner = await newOwner()
  const admin = await colleagueOf(owner, { role: 'admin' })
  const viewer = await colleagueOf(owner, { role: 'viewer' })
  const as_owner = { role: 'owner' }

  test.each([
    ['inviting one', () => admin.post(at(admin, '/invitations'), { email: 'o@b.example', ...as_owner })],
    ['making one', () => admin.post(at(admin, `/${viewer.user_id}/role`), as_owner)],
    ['becoming one', () => admin.post(at(admin, `/${admin.user_id}/role`), as_owner)],
    ['changing one', () => admin.post(at(admin, `/${owner.user_id}/role`), { role: 'viewer' })],
    ['removing one', () => admin.remove(at(admin, `/${owner.user_id}`))],
    ["opening one's account", () => admin.post(at(admin, `/${owner.user_id}/reset-link`))],
  ])('not %s', async (_what, act) => {
    expect(refusalIn(await act())).toBe('403 permission_denied')
  })

  test('but for others', async () => {
    expect((await admin.post(at(admin, `/${viewer.user_id}/reset-link`))).status).toBe(200)
    expect((await admin.remove(at(admin, `/${viewer.user_id}`))).status).toBe(204)
  })
})

describe('a link that opens an account anew', () => {
  test('is made only by who has power over all that the account may do', async () => {
    const [owner, elsewhere] = [await newOwner(), await newOwner()]
    const colleague = await colleagueOf(owner, { role: 'viewer' })
    const path = at(owner, `/${colleague.user_id}/reset-link`)
    const { url } = (await owner.post(path)).body
    expect(url).toContain('#reset=')
    await service.sql`
      insert into memberships (merchant_id, user_id, role, created_at)
      values (${elsewhere.merchant_id}, ${colleague.user_id}, 'viewer', ${new Date()})`
    expect(refusalIn(await owner.post(path))).toBe('403 permission_denied')
    expect(refusalIn(await elsewhere.post(path))).toBe('404 resource_not_found')
  })

  test('of an operator is made only by an operator', async () => {
    const owner = await newOwner()
    const operator = await colleagueOf(owner, { role: 'viewer', is_operator: true })
    const path = at(owner, `/${operator.user_id}/reset-link`)
    expect(refusalIn(await owner.post(path))).toBe('403 permission_denied')
    const chief = await newOwner({ is_operator: true })
    const theirs = await colleagueOf(chief, { role: 'viewer', is_operator: true })
    expect((await chief.post(at(chief, `/${theirs.user_id}/reset-link`))).status).toBe(200)
  })
})

test('a review is noted with its time', async () => {
  const owner = await newOwner()
  const { reviewed_at } = (await owner.post(at(owner, '/review'))).body
  expect((await owner.get(at(owner))).body.members[0].reviewed_at).toBe(reviewed_at)
  expect((await linesOf(owner)).at(-1)?.change).toBe('members.reviewed')
  const journalEntry = () => {
    throw new Error('no line')
  }
  const broken = { ...service.context, ids: { ...service.context.ids, journalEntry } }
  const { session_id } = (await owner.get('/me')).body.session
  const member = memberOf(owner, { session: { session_id } as Member['session'] })
  await expect(review(broken, member, sender)).rejects.toThrow('no line')
  // Without its line it did not happen.
  expect((await owner.get(at(owner))).body.members[0].reviewed_at).toBe(reviewed_at)
})
