// What is kept of people: no secret in rows or logs, a journal that is whole, and accounts that nobody uses disabled.

import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { installation_id } from '../../src/audit/journal.ts'
import { verifyChain } from '../../src/audit/verify-chain.ts'
import { disableUnused, purgeSignIns, rewrapCodeSecrets } from '../../src/users/keep-users.ts'
import { runJob } from '../support/holding.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { codeAt, linkFor, newMember, newPerson, refusalIn } from '../support/person.ts'
import { drivenClock, startService, until } from '../support/service.ts'
import { everythingStored } from '../support/stored.ts'

const clock = drivenClock()
const day_ms = 24 * 3600_000
const password = 'cobalt harbour 41'

/** Somebody who has used each way in. */
async function liveALittle(service: Awaited<ReturnType<typeof startService>>) {
  const { merchant_id } = service.account
  const email = `life-${randomBytes(4).toString('hex')}@example.com`
  const person = newPerson(service)
  const secret = await linkFor(service, { email, merchant_id, role: 'owner' })
  const { recovery_codes } = (await person.redeem(secret, { email, password })).body
  const tokens = [person.cookies.get('__Host-ripper')!]
  await clock.advance(1)
  const totp = (await person.post('/me/one-time-codes')).body.secret as string
  await person.post('/me/one-time-codes/confirm', { code: codeAt(totp, clock.now()) })
  await clock.advance(60_000)
  await person.signInByPassword(email, password)
  tokens.push(person.cookies.get('__Host-ripper')!)
  const code = codeAt(totp, clock.now())
  await person.post('/sign-in/one-time-code', { code })
  tokens.push(person.cookies.get('__Host-ripper')!)
  return { person, email, secret, recovery_codes: recovery_codes as string[], tokens, totp }
}

describe('nothing secret is stored or logged', async () => {
  const service = await startService({ clock })
  const { secret, recovery_codes, tokens, totp, person, email } = await liveALittle(service)
  // Lines of one millisecond have no order.
  await clock.advance(1)
  await newPerson(service).signInByPassword('somebody.unknown@example.com', 'their own password 1')
  await clock.advance(1)
  await newPerson(service).signInByPassword(email, 'their wrong password 1')

  test.each<[string, string]>([
    ['the password', password],
    ['a wrong password', 'their wrong password 1'],
    ['an unknown name', 'somebody.unknown@example.com'],
    ['the secret of one-time codes', totp],
    ['the link', secret],
    ['a recovery code', recovery_codes[0]!],
    ...tokens.map((token, at) => [`token ${at}`, token] as [string, string]),
  ])('%s', async (_what, text) => {
    const stored = await everythingStored(service.sql)
    const places = new Map([...stored].map(([name, rows]) => [name, rows.join('\n')]))
    places.set('log', JSON.stringify(service.log))
    const decoded = Buffer.from(text.replaceAll('-', ''), 'utf8').toString('hex')
    const base32 = /^[A-Z2-7]{32}$/.test(text) ? base32Bytes(text).toString('hex') : decoded
    const found = [...places].filter(([, all]) =>
      [text, decoded, base32].some((each) => all.toLowerCase().includes(each.toLowerCase())),
    )
    expect(found.map(([name]) => name)).toEqual([])
  })

  test('and what happened stands in a journal that is sealed', async () => {
    await clock.advance(3 * 3600_000)
    const { sql } = service
    const { lines, fault_count } = await verifyChain({ sql, world: service.context.world }, installation_id, new Set())
    expect(fault_count).toBe(0)
    expect(lines).toBe(5)
    const chained = await sql`select 1 from audit_chain where merchant_id = ${installation_id}`
    expect(chained).toHaveLength(lines)
    const rows = await sql`
      select change, actor, detail from journal where merchant_id = ${installation_id} order by entry_id`
    // The link was of a merchant, and stands in its journal.
    expect(rows.map(({ change }) => change)).toEqual([
      ...['user.created', 'one_time_codes.set', 'sign_in.succeeded'],
      ...['sign_in.failed', 'sign_in.failed'],
    ])
    expect(rows[0]).toMatchObject({ actor: /^user usr_/, detail: { address: '127.0.0.1' } })
    await person.post('/sign-out')
    await service.close()
  })
})

test('names that nobody has fill no journal, where the gateway limit is off, too', async () => {
  const service = await startService({ clock })
  for (let tries = 0; tries < 32; tries++) {
    await newPerson(service).signInByPassword(`nobody-${tries}@example.com`, password)
  }
  const rows = await service.sql`select 1 from journal where change = 'sign_in.failed'`
  expect(rows).toHaveLength(30)
  await service.close()
})

test('a database that has gone back opens nothing that was shut since', async () => {
  const service = await startService({ clock })
  const { sql } = service
  const member = await newMember(service)
  const secret = await linkFor(service, { email: 'late@example.com' })
  await runJob(service, 'watch_database')
  expect((await member.get('/me')).status).toBe(200)
  await clock.advance(1000)
  await sql`update installation set installation_id = 'of a backup'`
  await runJob(service, 'watch_database')
  expect(refusalIn(await member.get('/me'))).toBe('401 sign_in_required')
  expect(refusalIn(await member.post('/links/read', { secret }))).toBe('410 link_withdrawn')
  const lines = () => sql`
    select detail from journal where merchant_id = ${installation_id} and change = 'sign_in.all_ended'`
  expect(await lines()).toEqual([{ detail: { sessions: 1, links: 1 } }])
  await member.signIn()
  await runJob(service, 'watch_database')
  expect((await member.get('/me')).status).toBe(200)
  expect(await lines()).toHaveLength(1)
  await service.close()
})

describe('an account that nobody uses', async () => {
  const service = await startService({ clock })
  const { sql, context } = service
  const stateOf = async (user_id: string) => {
    const [row] = await sql`select warned_at, disabled_at from users where user_id = ${user_id}`
    return { is_warned: row!.warned_at !== null, is_disabled: row!.disabled_at !== null }
  }

  test('is warned of after 76 days and disabled after 90', async () => {
    const member = await newMember(service)
    await clock.advance(76 * day_ms)
    expect(await disableUnused(context)).toBe(0)
    await clock.advance(1)
    expect(await disableUnused(context)).toBe(1)
    expect(await disableUnused(context)).toBe(0)
    expect(await stateOf(member.user_id)).toEqual({ is_warned: true, is_disabled: false })
    await clock.advance(14 * day_ms)
    expect(await disableUnused(context)).toBe(1)
    expect(await stateOf(member.user_id)).toEqual({ is_warned: true, is_disabled: true })
    expect(refusalIn(await member.signIn())).toBe('401 sign_in_failed')
  })

  test('that is used in between is left alone', async () => {
    const member = await newMember(service)
    await clock.advance(80 * day_ms)
    await disableUnused(context)
    expect((await member.signIn()).status).toBe(200)
    expect(await stateOf(member.user_id)).toEqual({ is_warned: false, is_disabled: false })
    await clock.advance(80 * day_ms)
    await disableUnused(context)
    expect(await stateOf(member.user_id)).toEqual({ is_warned: true, is_disabled: false })
  })

  test('that somebody uses as the job looks at it is left alone', async () => {
    const { user_id } = await newMember(service)
    await clock.advance(91 * day_ms)
    let job: Promise<number> | undefined
    await sql.begin(async (tx) => {
      await tx`update users set seen_at = ${clock.now()} where user_id = ${user_id}`
      job = disableUnused(context)
      await until(
        () => countLockWaits(sql),
        (waits) => waits > 0,
      )
    })
    await job
    expect(await stateOf(user_id)).toMatchObject({ is_disabled: false })
  })

  test('leaves no sessions and links behind', async () => {
    await newMember(service)
    await clock.advance(100 * day_ms)
    expect(await purgeSignIns(context)).toBeGreaterThan(1)
    const rows = await sql`select 1 from user_sessions union all select 1 from sign_in_links`
    expect(rows).toHaveLength(0)
    await service.close()
  })
})

test('after a rotation of the master key everything still opens', async () => {
  const [old_key, new_key] = [randomBytes(32), randomBytes(32)]
  const before = await startService({ clock, master_key: old_key })
  const { database } = before
  const { email, totp } = await liveALittle(before)
  const both = await startService({ clock, database, master_keys: [new_key, old_key] })
  expect(await rewrapCodeSecrets(both.context)).toBe(1)
  const signIn = async (service: typeof before) => {
    await clock.advance(60_000)
    const person = newPerson(service)
    expect((await person.signInByPassword(email, password)).body).toEqual({ next: 'one_time_code' })
    return (await person.post('/sign-in/one-time-code', { code: codeAt(totp, clock.now()) })).status
  }
  expect(await signIn(both)).toBe(200)
  const after = await startService({ clock, database, master_keys: [new_key] })
  expect(await signIn(after)).toBe(200)
  await after.close()
  await both.close()
  await before.close()
})

test('codes go by real time, whatever the clock of the service was shifted by', async () => {
  const shifted = await startService({ clock, clock_offset_seconds: 3600 })
  const member = await newMember(shifted)
  const { secret } = (await member.post('/me/one-time-codes')).body
  const confirm = (at: Date) => member.post('/me/one-time-codes/confirm', { code: codeAt(secret, at) })
  expect(refusalIn(await confirm(clock.now()))).toBe('401 sign_in_failed')
  expect((await confirm(new Date(clock.now().getTime() - 3600_000))).status).toBe(204)
  await shifted.close()
})

function base32Bytes(text: string): Buffer {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...text].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
}
