// A way in that is taken away while somebody comes in by it: no session outlives the change, whichever is first.

import { expect, test } from 'vitest'
import { disableUser, unlockUser } from '../../src/users/manage-users.ts'
import { acceptOneTimeCode, signInByPassword, spendRecoveryCode } from '../../src/users/sign-in.ts'
import { signInByPasskey } from '../../src/users/sign-in-by-passkey.ts'
import { signInByProvider } from '../../src/users/sign-in-by-provider.ts'
import { renew, signIn, type UsersContext } from '../../src/users/start-session.ts'
import { meeting } from '../support/meeting.ts'
import { codeAt, linkFor, newPerson } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock, lock_limit: 'none' })
const { sql, context } = service
const { merchant_id } = service.account
const [password, next_password] = ['cobalt harbour 41', 'granite lantern 52']
const minute_ms = 60_000
const sender = { caller: { address: '::1', origin: null, header: () => null }, request_id: 'req_1' }
const operator = { sql, ids: context.ids, clock, actor: 'operator' as const }

let made = 0

/** Somebody who is signed in, with every way in, and whoever else knows one of these. */
async function newVictim({ codes = false } = {}) {
  const email = `victim-${++made}@example.com`
  const own = newPerson(service)
  const secret = await linkFor(service, { email, merchant_id, role: 'owner' })
  const { body } = await own.redeem(secret, { email, password })
  const [recovery_code] = body.recovery_codes as string[]
  const { options } = (await own.post('/me/passkeys/options')).body
  const passkey = own.authenticator.make(options)
  await own.post('/me/passkeys', { name: 'Key', passkey })
  const { session, user } = (await own.get('/me')).body
  const totp = codes ? (await own.post('/me/one-time-codes')).body.secret : ''
  const code = () => codeAt(totp, clock.now())
  if (codes) {
    await own.post('/me/one-time-codes/confirm', { code: code() })
    await clock.advance(minute_ms)
  }
  const { user_id } = user
  await sql`
    insert into user_identities (issuer, subject, user_id, created_at)
    values ('https://id.example', ${email}, ${user_id}, ${clock.now()})`
  const { session_id } = session
  return { own, email, user_id, session_id, recovery_code: recovery_code!, code, passkey }
}

type Victim = Awaited<ReturnType<typeof newVictim>>

/** How many sessions are open besides the person's own, who may sign in again if they were disabled. */
async function othersOpen({ user_id, session_id, email }: Victim): Promise<number> {
  await unlockUser(operator, email)
  const rows = await sql`
    select 1 from user_sessions
    where user_id = ${user_id} and ended_at is null and session_id <> ${session_id}`
  return rows.length
}

/** The context of a process that stops before its last transaction. */
function stoppingContext({ transactions }: { transactions: number }) {
  const [reached, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let begun = 0
  const begin = async (...work: Parameters<typeof sql.begin>) => {
    if (++begun === transactions) {
      reached.resolve()
      await going.promise
    }
    return sql.begin(...work)
  }
  const stopping = new Proxy(sql, {
    get: (target, key) => (key === 'begin' ? begin : Reflect.get(target, key)),
  })
  return { context: { ...context, sql: stopping }, reached: reached.promise, go: going.resolve }
}

type Way = {
  way: string
  /** Returns the token; null or a refusal where there is none. */
  come: (context: UsersContext, victim: Victim) => Promise<unknown>
  transactions?: number
  codes?: boolean
}

const claims = ({ email }: Victim) => ({
  issuer: 'https://id.example',
  subject: email,
  name: null,
  email: null,
  has_second_factor: true,
  authenticated_at: clock.now(),
})

const ways = {
  password: {
    way: 'a password',
    come: (context, { email }) => signInByPassword(context, { email, password }, sender, null),
  },
  half: {
    way: 'a password before its second factor',
    come: (context, { email }) => signInByPassword(context, { email, password }, sender, null),
    codes: true,
  },
  passkey: {
    way: 'a passkey',
    come: async (context, { own }) => {
      const { options } = (await own.post('/sign-in/passkey-options')).body
      const answer = { page: own.page, response: own.authenticator.use(options) }
      return signInByPasskey(context, answer, sender, null)
    },
  },
  code: {
    way: 'a one-time code',
    come: async (context, { user_id, email, code }) => {
      await signInByPassword(service.context, { email, password }, sender, null)
      const [half] = await sql`select * from user_sessions where user_id = ${user_id} and is_half`
      const which = { user_id, counter: 'second_factor' as const }
      const evidence = await acceptOneTimeCode(context, which, { code: code() }, sender)
      return renew(context, half as never, { evidence, sender })
    },
    codes: true,
  },
  recovery: {
    way: 'a recovery code',
    come: async (context, { user_id, recovery_code: code }) => {
      const { evidence } = await spendRecoveryCode(context, { user_id, code }, sender)
      return signIn(context, { user_id, evidence: [evidence], sender, before: null })
    },
    transactions: 2,
  },
  provider: {
    way: 'an account at a provider',
    come: (context, victim) => signInByProvider(context, { claims: claims(victim), linking: null }, sender),
  },
} satisfies Record<string, Way>

const changes = {
  password: ({ own }: Victim) => own.post('/me/password', { password: next_password }),
  reset: async ({ email, user_id }: Victim) => {
    const secret = await linkFor(service, { purpose: 'reset', email, user_id })
    const answer = await newPerson(service).redeem(secret, { password: next_password })
    await sql`
      update user_sessions set ended_at = ${clock.now()}
      where user_id = ${user_id} and 'link' = any(factors)`
    return answer
  },
  disabling: async ({ email }: Victim) => {
    await disableUser(operator, email)
    return { status: 204 }
  },
  passkey: ({ own, passkey }: Victim) => own.remove(`/me/passkeys/${passkey.id}`),
  codes: ({ own }: Victim) => own.remove('/me/one-time-codes'),
  recovery: ({ own }: Victim) => own.post('/me/recovery-codes'),
}

const pairs: [Way, keyof typeof changes][] = [
  [ways.password, 'password'],
  [ways.password, 'reset'],
  [ways.password, 'disabling'],
  [ways.half, 'password'],
  [ways.half, 'disabling'],
  [ways.passkey, 'passkey'],
  [ways.passkey, 'reset'],
  [ways.passkey, 'disabling'],
  [ways.code, 'codes'],
  [ways.code, 'password'],
  [ways.recovery, 'recovery'],
  [ways.recovery, 'reset'],
  [ways.provider, 'reset'],
  [ways.provider, 'disabling'],
]

const rows = pairs.map(([way, change]) => ({ ...way, change }))

test.each(rows)('$way, after a change: $change', async ({ come, change, ...row }) => {
  const victim = await newVictim(row)
  const process = stoppingContext({ transactions: 1, ...row })
  const coming = come(process.context, victim).catch(({ code }) => code)
  await process.reached
  expect([200, 204]).toContain((await changes[change](victim)).status)
  process.go()
  expect(await coming).toSatisfy((result) => result === null || result === 'sign_in_failed')
  expect(await othersOpen(victim)).toBe(0)
})

test.each(rows.filter(({ way }) => way !== ways.half.way))(
  '$way, before a change: $change',
  async ({ come, change, ...row }) => {
    const victim = await newVictim(row)
    const [, changed] = await meeting(
      sql,
      () => come(context, victim),
      () => changes[change](victim),
    )
    expect([200, 204]).toContain(changed.status)
    expect(await othersOpen(victim)).toBe(0)
  },
)
