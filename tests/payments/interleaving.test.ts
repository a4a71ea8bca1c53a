// Two requests that meet at the worst moment, made to: the test holds the session's row while one of them waits for it.

import { expect, test } from 'vitest'
import type { Sql } from '../../src/database/open.ts'
import type { SessionSecret } from '../support/client.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService({ lock_limit: 'none' })
const { client } = service

/** Holds the session's row, lets `start` run into it, does `meanwhile` in the holder's transaction, and commits. */
async function meet<T>(
  session: SessionSecret,
  start: () => Promise<T>,
  meanwhile: (tx: Sql) => Promise<unknown>,
): Promise<T> {
  let started: Promise<T> | null = null
  await service.sql.begin(async (tx) => {
    await tx`select 1 from sessions where session_id = ${session.id} for update`
    started = start()
    await until(
      () => countLockWaits(service.sql),
      (count) => count > 0,
    )
    await meanwhile(tx as unknown as Sql)
  })
  return started!
}

test('a charge that waits while its attempt is settled does not begin', async () => {
  const session = await client.open()
  await client.present(session, '4242424242424242')
  const result = {
    status: 'declined',
    session_id: session.id,
    payment_id: 'pay_x',
    attempt: { id: 'att_x', number: 1 },
    decline: null,
    attempts_left: 2,
    order_reference: null,
    confirmation_url: null,
  }
  // What a soft decline leaves behind: the session as it was, the attempt settled.
  const answer = await meet(
    session,
    () => client.confirm(session),
    (tx) =>
      tx`update attempts set phase = 'settled', settled_at = created_at, result = ${result as never}
      where session_id = ${session.id}`,
  )
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({ ...result, receipt: null })
  expect(await service.sql`select 1 from payments where session_id = ${session.id}`).toHaveLength(0)
  expect(
    await service.sql`select 1 from acquirer_operations o join payments using (payment_id) where session_id = ${session.id}`,
  ).toHaveLength(0)
})

test('a decline by the bank that waits while its attempt is superseded is not recorded', async () => {
  const session = await client.open()
  await client.present(session, '4000000000002925')
  const answer = await meet(
    session,
    () => client.confirm(session),
    async (tx) => {
      await tx`update sessions set attempt_count = 2 where session_id = ${session.id}`
      await tx`update attempts set phase = 'settled', settled_at = created_at, three_ds_state = 'superseded'
      where session_id = ${session.id}`
    },
  )
  expect(answer.body).toMatchObject({
    error: 'authentication_incomplete',
    three_ds: { state: 'superseded' },
  })
  expect(await service.sql`select 1 from payments where session_id = ${session.id}`).toHaveLength(0)
})

test('a new card that waits while the session begins to charge finds it processing', async () => {
  const session = await client.open()
  await client.present(session, '4242424242424242')
  const other = await client.reference(session, '5555555555554444')
  const answer = await meet(
    session,
    () => client.authenticate(session, other),
    (tx) => tx`update sessions set status = 'processing', payment_id = 'pay_x' where session_id = ${session.id}`,
  )
  expect(answer.body).toMatchObject({ error: 'session_processing' })
  expect(await service.sql`select 1 from attempts where session_id = ${session.id}`).toHaveLength(1)
})

test('a provider that is down and a new card, again and again: no request waits for another', async () => {
  for (let round = 0; round < 15; round++) {
    const session = await client.open()
    const down = await client.reference(session, '4000009900040000')
    const good = await client.reference(session, '4242424242424242')
    const answers = await Promise.all([
      client.authenticate(session, down),
      client.authenticate(session, good),
      client.authenticate(session, down),
    ])
    expect(answers.map(({ status }) => status).filter((status) => status === 500)).toEqual([])
  }
})
