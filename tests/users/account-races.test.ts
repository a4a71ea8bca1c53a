// A change of one's own account meets the end of the session in which it is made. The changes come from the records of routes.

import { expect, test } from 'vitest'
import type { Json } from '../support/client.ts'
import { actsOf } from '../support/dashboard-acts.ts'
import { meeting } from '../support/meeting.ts'
import { codeAt, newMember, newPerson, type Reply, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock, lock_limit: 'none' })
const { sql } = service

/** Somebody in two browsers, of which one is a thief's. */
async function inTwoBrowsers() {
  const own = await newMember(service, { role: 'viewer', password: 'cobalt harbour 41' })
  const thief = newPerson(service)
  await thief.signInByPassword(own.email, 'cobalt harbour 41')
  return { own, thief }
}

type Browsers = Awaited<ReturnType<typeof inTwoBrowsers>>

/** What the thief asks for before is got by `prepare`, whose result the change gets. */
type Change = {
  what: string
  prepare?: (both: Browsers) => Promise<Json>
  run: (thief: Browsers['thief'], prepared: Json) => Promise<Reply>
}

const newPasskey = async ({ thief }: Pick<Browsers, 'thief'>) => {
  const { options } = (await thief.post('/me/passkeys/options')).body
  return thief.authenticator.make(options)
}

const changes: Record<string, Change> = {
  'POST /password': {
    what: 'sets a password',
    run: (thief) => thief.post('/me/password', { password: 'granite lantern 52' }),
  },
  'POST /passkeys': {
    what: 'adds a passkey',
    prepare: newPasskey,
    run: (thief, passkey) => thief.post('/me/passkeys', { name: 'Mine', passkey }),
  },
  'DELETE /passkeys/{credential_id}': {
    what: 'removes a passkey',
    prepare: async ({ own, thief }) => {
      const passkey = await newPasskey({ thief })
      await thief.post('/me/passkeys', { name: 'Mine', passkey })
      // That ended the other session.
      await own.signInByPassword(own.email, 'cobalt harbour 41')
      return passkey.id
    },
    run: (thief, id) => thief.remove(`/me/passkeys/${id}`),
  },
  'POST /recovery-codes': {
    what: 'makes recovery codes',
    run: (thief) => thief.post('/me/recovery-codes'),
  },
  'POST /one-time-codes': {
    what: 'asks for one-time codes',
    run: (thief) => thief.post('/me/one-time-codes'),
  },
  'POST /one-time-codes/confirm': {
    what: 'confirms one-time codes',
    prepare: async ({ thief }) => (await thief.post('/me/one-time-codes')).body.secret,
    run: (thief, secret) => thief.post('/me/one-time-codes/confirm', { code: codeAt(secret, clock.now()) }),
  },
  'DELETE /one-time-codes': {
    what: 'gives up one-time codes',
    run: (thief) => thief.remove('/me/one-time-codes'),
  },
  'DELETE /sessions/{session_id}': {
    what: 'ends a session',
    prepare: async ({ own }) => {
      const { sessions } = (await own.get('/me/account')).body
      return sessions.find((each: { is_this: boolean }) => each.is_this).session_id
    },
    run: (thief, id) => thief.remove(`/me/sessions/${id}`),
  },
  'POST /sessions/end-others': {
    what: 'ends the other sessions',
    run: (thief) => thief.post('/me/sessions/end-others'),
  },
}

const asks_only: Record<string, string> = {
  'POST /passkeys/options': 'writes nothing',
}

test("every change of one's own is here, or is named with a reason", () => {
  const named = [changes, asks_only].flatMap((table) => Object.keys(table))
  expect(named.sort()).toEqual(actsOf('person', '/dashboard/api/me'))
})

const rows = Object.values(changes)

test.each(rows)('a session that has ended: $what', async ({ prepare, run }) => {
  const { own, thief } = await inTwoBrowsers()
  const prepared = await prepare?.({ own, thief })
  const [ended, answer] = await meeting(
    sql,
    () => own.post('/me/sessions/end-others'),
    () => run(thief, prepared),
  )
  expect([ended.status, refusalIn(answer)]).toEqual([200, '401 sign_in_required'])
  expect((await own.get('/me')).status).toBe(200)
})

test.each(rows)('a session that is open: $what', async ({ prepare, run }) => {
  const { own, thief } = await inTwoBrowsers()
  const answer = await run(thief, await prepare?.({ own, thief }))
  expect([200, 204], answer.text).toContain(answer.status)
})
