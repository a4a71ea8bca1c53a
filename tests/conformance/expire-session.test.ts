// A merchant's server ends an unpaid session: what it then reads as, what is refused, and what happens where a shopper pays meanwhile.

import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { AnySql } from '../../src/database/open.ts'
import { type MerchantId, type SessionId, timestamp } from '../../src/kernel/values.ts'
import { endSession } from '../../src/payments/sessions/end-session.ts'
import { findSession } from '../../src/payments/sessions/session-store.ts'
import { type Answer, refusal, type SessionSecret, visa } from '../support/client.ts'
import { openCompatible } from '../support/compatible.ts'
import { hold } from '../support/holding.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { meeting } from '../support/meeting.ts'
import { drivenClock, driving, until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { account, client, sql } = service
const compatible = openCompatible(client, account)

const fraudulent = '4000009105980000'
const never_answered = '4000009190450000'

const linesOf = (id: string) => sql`
  select change, detail, actor from journal where subject = ${id} and change not in ('session.created', 'payment_intent.canceled')`
const paymentsOf = (id: string) => sql`select status from payments where session_id = ${id}`

test('it ends at once, as if its time were over', async () => {
  const session = await client.open()
  await clock.advance(60_000)
  const before = (await client.readSession(session.id)).body
  const answer = await client.expire(session.id)
  const now = timestamp(clock.now())
  const ended = { ...before, status: 'expired', expires_at: now, expires_in_seconds: 0 }
  expect([answer.status, answer.body]).toEqual([200, ended])
  expect((await client.readSession(session.id)).body).toEqual(ended)
  expect((await client.state(session)).body.session).toMatchObject({ status: 'expired', expires_in_seconds: 0 })
  expect(await linesOf(session.id)).toEqual([
    { change: 'session.expired', detail: { mode: 'test', cancellation: 'expired' }, actor: `key ${account.key_id}` },
  ])
  const list = (await client.send('GET', '/v1/checkout/sessions?status=expired', { headers: client.withKey })).body
  expect(list.data[0].id).toBe(session.id)
  const open = (await client.send('GET', '/v1/checkout/sessions?status=requires_payment', { headers: client.withKey }))
    .body
  expect(open.data.map(({ id }: { id: string }) => id)).not.toContain(session.id)
  expect((await compatible.read(session.id)).body).toMatchObject({
    status: 'canceled',
    cancellation_reason: 'expired',
    canceled_at: Math.floor(clock.now().getTime() / 1000),
  })
})

test('a process whose clock is behind does not take it for open', async () => {
  const session = await client.open()
  await client.present(session)
  await client.expire(session.id)
  await sql`update sessions set expires_at = ${new Date(clock.now().getTime() + 1500)} where session_id = ${session.id}`
  expect((await client.readSession(session.id)).body.status).toBe('expired')
  expect(refusal(await client.confirm(session))).toBe('409 session_expired')
})

test('nobody begins to pay it any more', async () => {
  const session = await client.open()
  await client.present(session)
  const other = await client.reference(session)
  await client.expire(session.id)
  for (const answer of [await client.authenticate(session, other), await client.confirm(session)]) {
    expect(refusal(answer)).toBe('409 session_expired')
    expect(answer.body.message).toBe('The merchant has ended the session.')
  }
  expect(await paymentsOf(session.id)).toEqual([])
})

test('a retry gets the first answer, and another key the session as it is', async () => {
  const { id } = await client.open()
  const key = randomUUID()
  const first = await client.expire(id, key)
  await clock.advance(5000)
  const again = await client.expire(id, key)
  expect([again.text, again.headers.get('rip-idempotent-replayed')]).toEqual([first.text, 'true'])
  const other = await client.expire(id)
  expect([other.text, other.headers.get('rip-idempotent-replayed')]).toEqual([first.text, 'false'])
  expect(await linesOf(id)).toHaveLength(1)
})

test.each<[string, () => Promise<string>]>([
  [
    'expired',
    async () => {
      const { id } = await client.open()
      await clock.advance(30 * 60_000)
      return id
    },
  ],
  ['declined', async () => (await client.pay(fraudulent)).body.session_id],
])('one that has %s already is answered as it is, under its key', async (status, make) => {
  const id = await make()
  const key = randomUUID()
  const read = (await client.readSession(id)).body
  const answer = await client.expire(id, key)
  expect([answer.status, answer.body.status, answer.body]).toEqual([200, status, read])
  expect((await client.expire(id, key)).headers.get('rip-idempotent-replayed')).toBe('true')
  expect((await linesOf(id)).filter(({ change }) => change === 'session.expired')).toEqual([])
})

test.each<[string, () => Promise<string>]>([
  ['409 session_completed', async () => (await client.pay(visa)).body.session_id],
  ['409 session_completed', async () => (await hold(account)).session.id],
  [
    '409 session_processing',
    async () => {
      const session = await client.open()
      await client.present(session, never_answered)
      return (await driving(clock, client.confirm(session))).body.session_id
    },
  ],
  ['404 resource_not_found', async () => 'cs_000000000000000000000000'],
])('%s', async (expected, make) => {
  const id = await make()
  const key = randomUUID()
  expect(refusal(await client.expire(id, key))).toBe(expected)
  // A refusal stores nothing.
  const fresh = await client.open()
  expect((await client.expire(fresh.id, key)).status).toBe(200)
})

test('after a decline it can end, too', async () => {
  const { session_id } = (await client.pay('4000009105150000')).body
  const { body } = await client.expire(session_id)
  expect(body).toMatchObject({ status: 'expired', last_decline: { category: 'soft' } })
})

test.each([{ reason: 'x' }, []])('a body with members is refused: %j', async (body) => {
  const { id } = await client.open()
  const headers = { ...client.withKey, 'rip-idempotency-key': randomUUID() }
  const answer = await client.send('POST', `/v1/checkout/sessions/${id}/expire`, { headers, body })
  expect(refusal(answer)).toBe('400 invalid_request')
})

test('it needs a key of its own, and the permission to create', async () => {
  const { id } = await client.open()
  const answer = await client.send('POST', `/v1/checkout/sessions/${id}/expire`, { headers: client.withKey })
  expect(refusal(answer)).toBe('400 idempotency_key_missing')
  const reader = await service.newAccount({ key: { permissions: ['read_transactions'] } })
  expect(refusal(await reader.client.expire(id))).toBe('403 permission_denied')
})

describe('a shopper who pays meanwhile', () => {
  const ended = (answer: Answer) => (answer.status === 200 ? answer.body.status : refusal(answer))
  /** The second comes while the first, and what it will write, waits for the session's row. */
  async function inTurn(
    { id }: SessionSecret,
    first: () => Promise<Answer>,
    second: () => Promise<Answer>,
  ): Promise<[Answer, Answer]> {
    const [held, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const lock = sql.begin(async (tx) => {
      await tx`select 1 from sessions where session_id = ${id} for update`
      held.resolve()
      await release.promise
    })
    await held.promise
    const waiting = (count: number) =>
      until(
        () => countLockWaits(sql),
        (waits) => waits >= count,
      )
    const one = first()
    await waiting(1)
    const other = second()
    await waiting(2)
    release.resolve()
    await lock
    return Promise.all([one, other])
  }

  const ready = async (): Promise<SessionSecret> => {
    const session = await client.open()
    await client.present(session)
    return session
  }

  // The bank refuses the second: its decline would be recorded without asking the acquirer.
  test.each([visa, '4000009100000010'])('confirms %s after the end', async (number) => {
    const session = await client.open()
    await client.present(session, number)
    const [end, confirmed] = await inTurn(
      session,
      () => client.expire(session.id),
      () => client.confirm(session),
    )
    expect([ended(end), ended(confirmed)]).toEqual(['expired', '409 session_expired'])
    expect(await paymentsOf(session.id)).toEqual([])
  })

  test('confirms before it', async () => {
    const session = await ready()
    const [confirmed, end] = await inTurn(
      session,
      () => client.confirm(session),
      () => client.expire(session.id),
    )
    expect(ended(confirmed)).toBe('captured')
    expect(ended(end)).toMatch(/^409 session_(processing|completed)$/)
    expect(await paymentsOf(session.id)).toEqual([{ status: 'captured' }])
    expect((await client.readSession(session.id)).body.status).toBe('succeeded')
  })

  test('authenticates after the end', async () => {
    const session = await client.open()
    const card = await client.reference(session)
    const [end, opened] = await inTurn(
      session,
      () => client.expire(session.id),
      () => client.authenticate(session, card),
    )
    expect([ended(end), refusal(opened)]).toEqual(['expired', '409 session_expired'])
    expect(await sql`select 1 from attempts where session_id = ${session.id}`).toHaveLength(0)
  })

  test('authenticates before it', async () => {
    const session = await client.open()
    const card = await client.reference(session)
    const [opened, end] = await inTurn(
      session,
      () => client.authenticate(session, card),
      () => client.expire(session.id),
    )
    expect([opened.status, ended(end), end.body.attempt_count]).toEqual([200, 'expired', 1])
    expect(refusal(await client.confirm(session))).toBe('409 session_expired')
  })

  test('two ends are one', async () => {
    const session = await ready()
    const [one, other] = await inTurn(
      session,
      () => client.expire(session.id),
      () => client.expire(session.id),
    )
    expect([ended(one), other.text]).toEqual(['expired', one.text])
    expect((await linesOf(session.id)).filter(({ change }) => change === 'session.expired')).toHaveLength(1)
  })
})

describe('its time is over before a shopper’s statement comes, which was admitted in time', () => {
  const cancel = (id: string) =>
    client.send('POST', `/v1/payment_intents/${id}/cancel`, { headers: compatible.bearer, body: {} })
  const ends: Record<string, (id: string) => Promise<Answer>> = { expire: (id) => client.expire(id), cancel }

  const rows = Object.keys(ends).flatMap((end) =>
    (['confirm', 'authenticate'] as const).flatMap((act) =>
      (['first', 'last'] as const).map((place) => ({ end, act, place })),
    ),
  )
  test.each(rows)('$end comes $place, beside $act: one of the two happens', async ({ end, act, place }) => {
    const session = await client.open()
    await client.present(session)
    await clock.advance(30 * 60_000 - 1)
    const card = await client.reference(session)
    const acting = () => (act === 'confirm' ? client.confirm(session) : client.authenticate(session, card))
    const ending = async () => {
      await clock.advance(1)
      return ends[end]!(session.id)
    }
    const late = async () => {
      await clock.advance(-1)
      return acting()
    }
    const lockFor = (tx: AnySql) => tx`select 1 from sessions where session_id = ${session.id} for update`
    const [ended, acted] =
      place === 'first'
        ? await meeting<Answer, Answer>(sql, ending, late, lockFor)
        : (await meeting<Answer, Answer>(sql, acting, ending, lockFor)).toReversed()
    if (place === 'first') expect(refusal(acted!)).toBe('409 session_expired')
    else expect(acted!.status).toBe(200)
    const is_paid = act === 'confirm' && place === 'last'
    expect(await paymentsOf(session.id)).toEqual(is_paid ? [{ status: 'captured' }] : [])
    const words = end === 'expire' ? (ended!.body.status ?? ended!.body.error) : ended!.body.error.message
    expect(words).toMatch(
      is_paid ? /session_(processing|completed)|status is (processing|succeeded)/ : /^expired$|status is canceled/,
    )
    expect((await linesOf(session.id)).filter(({ change }) => change === 'session.expired')).toEqual([])
  })

  test('two ends of a process that stood still meanwhile are one', async () => {
    const { id } = await client.open()
    const place = { merchant_id: account.merchant_id as MerchantId, session_id: id as SessionId }
    const session = (await findSession(sql, place))!
    await clock.advance(30 * 60_000)
    const end = { cancellation: 'canceled', cause: { actor: 'service', request_id: null }, keyFor: () => null } as const
    expect(await endSession(service.context, session, end)).toMatchObject({ cancellation: 'canceled' })
    expect(await endSession(service.context, session, end)).toBeNull()
    expect((await linesOf(id)).map(({ change }) => change)).toEqual(['session.expired'])
  })
})
