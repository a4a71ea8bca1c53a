// Whoever loses a right while they use it: what they wrote counts only if it was there before they lost it, and links that they
// made die with it. Each pair meets in both orders.

import { describe, expect, test } from 'vitest'
import { disableUser } from '../../src/users/manage-users.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { meeting } from '../support/meeting.ts'
import { newMember, newPerson, type Reply, refusalIn, secretOf } from '../support/person.ts'
import { until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService({ lock_limit: 'none' })
const { sql, context } = service
const password = 'cobalt harbour 41'

/** A merchant with an owner, an admin and a viewer. */
async function newTeam() {
  const { merchant_id } = await service.newAccount()
  const as = (role: 'owner' | 'admin' | 'viewer') => newMember(service, { merchant_id, role })
  const [owner, admin, viewer] = [await as('owner'), await as('admin'), await as('viewer')]
  return { merchant_id, owner, admin, viewer, at: (path: string) => `/${merchant_id}/team${path}` }
}

type Team = Awaited<ReturnType<typeof newTeam>>

/** How the admin loses what they may do. */
const losses: { loss: string; take: (team: Team) => Promise<unknown> }[] = [
  { loss: 'is removed', take: ({ owner, admin, at }) => owner.remove(at(`/${admin.user_id}`)) },
  {
    loss: 'becomes a viewer',
    take: ({ owner, admin, at }) => owner.post(at(`/${admin.user_id}/role`), { role: 'viewer' }),
  },
  {
    loss: 'is disabled',
    take: ({ admin }) => {
      const { ids, world } = context
      return disableUser({ sql, ids, clock: world.clock, actor: 'operator' }, admin.email)
    },
  },
]

const lost = /^(401 sign_in_required|403 permission_denied|404 resource_not_found)$/

async function opens(answer: Reply): Promise<boolean> {
  if (answer.status !== 200) return false
  const secret = secretOf(answer.body.url)
  const { status } = await newPerson(service).redeem(secret, { email: 'x@example.com', password })
  return status === 200
}

/** What an admin makes. */
const links: { link: string; make: (team: Team) => Promise<Reply> }[] = [
  {
    link: 'an invitation',
    make: ({ admin, at }) => {
      const email = `friend-${crypto.randomUUID()}@example.com`
      return admin.post(at('/invitations'), { email, role: 'admin' })
    },
  },
  {
    link: 'a reset',
    make: ({ admin, viewer, at }) => admin.post(at(`/${viewer.user_id}/reset-link`)),
  },
]

describe.each(links)('$link of somebody who loses nothing', ({ make }) => {
  test('opens', async () => {
    expect(await opens(await make(await newTeam()))).toBe(true)
  })

  test('is taken up while its maker is at work', async () => {
    const team = await newTeam()
    const answer = await make(team)
    let is_over = false
    const { had_to_wait, opening } = await sql.begin(async (tx) => {
      // As every act of a member does.
      await tx`select 1 from users where user_id = ${team.admin.user_id} for share`
      const opening = opens(answer).finally(() => {
        is_over = true
      })
      await until(
        () => countLockWaits(sql),
        (waits) => is_over || waits > 0,
      )
      return { had_to_wait: !is_over, opening }
    })
    expect([had_to_wait, await opening]).toEqual([false, true])
  })
})

describe.each(losses)('whoever $loss', ({ take }) => {
  test.each(links)('and then makes $link', async ({ make }) => {
    const team = await newTeam()
    const [, answer] = await meeting(
      sql,
      () => take(team),
      () => make(team),
    )
    expect(refusalIn(answer)).toMatch(lost)
  })

  test.each(links)('having made $link', async ({ make }) => {
    const team = await newTeam()
    const [answer] = await meeting(
      sql,
      () => make(team),
      () => take(team),
    )
    expect(answer.status, answer.text).toBe(200)
    expect(await opens(answer)).toBe(false)
  })

  test.each(links)('before $link is taken up, which nobody withdrew', async ({ make }) => {
    const team = await newTeam()
    const answer = await make(team)
    await take(team)
    await sql`update sign_in_links set withdrawn_at = null where purpose <> 'welcome'`
    expect(await opens(answer)).toBe(false)
  })
})

describe('a reset of somebody who takes up ownership of another merchant', () => {
  async function newVictim() {
    const [team, elsewhere] = [await newTeam(), await newTeam()]
    const { viewer } = team
    const asked = { email: viewer.email, role: 'owner' }
    const invited = await elsewhere.owner.post(elsewhere.at('/invitations'), asked)
    const sent = { secret: secretOf(invited.body.url), email: viewer.email, name: 'Jo' }
    return {
      joins: () => viewer.post('/links/redeem', sent),
      reset: () => team.owner.post(team.at(`/${viewer.user_id}/reset-link`)),
    }
  }

  test('is refused once they are an owner there', async () => {
    const { joins, reset } = await newVictim()
    const [joined, made] = await meeting(sql, joins, reset)
    expect([joined.status, refusalIn(made)]).toEqual([200, '403 permission_denied'])
  })

  test('opens nothing where it was made just before', async () => {
    const { joins, reset } = await newVictim()
    const [made, joined] = await meeting(sql, reset, joins)
    expect([joined.status, made.status]).toEqual([200, 200])
    expect(await opens(made)).toBe(false)
  })

  test('is judged again when it is used', async () => {
    const { joins, reset } = await newVictim()
    const made = await reset()
    expect((await joins()).status).toBe(200)
    await sql`update sign_in_links set withdrawn_at = null where purpose = 'reset'`
    expect(await opens(made)).toBe(false)
  })
})
