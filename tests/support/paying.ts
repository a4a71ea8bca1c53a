// One payment from the card to all that can be read of it afterwards, whatever the card does.

import { expect } from 'vitest'
import { type Json, purchase, runChallenge } from './client.ts'
import { type DrivenClock, driving, type Service, until } from './service.ts'

export type PaidCourse = {
  /** three_ds.state after authenticate, and where confirm found it. */
  states: string
  /** The confirm body. */
  result: Json
  payment: Json
  session: Json
  /** The one event's envelope, or null. */
  event: Json
  /** Whether the acquirer heard of it. */
  asked: boolean
}

/** Takes a card through authenticate, its challenge where there is one, and confirm. */
export async function payAndTell(
  service: Service,
  clock: DrivenClock,
  number: string,
  challenge: (url: string) => Promise<void> = runChallenge,
): Promise<PaidCourse> {
  const { client, sql } = service
  const session = await client.open({ ...purchase, order_reference: number.slice(-6) })
  const reference = await client.reference(session, number)
  const silence = clock.nextSleep(60_000)
  const authenticating = client.authenticate(session, reference)
  if (isSilent(number)) {
    // The Directory Server keeps silent; the time that we give it passes.
    await silence
    await clock.advance(10_000)
  }
  const authenticated = await driving(clock, authenticating)
  expect(authenticated.status, authenticated.text).toBe(200)
  const { three_ds } = authenticated.body
  if (three_ds.challenge) await challenge(three_ds.challenge.url)
  const { body: state } = await client.state(session)
  const confirmed = await driving(clock, client.confirm(session))
  expect(confirmed.status, confirmed.text).toBe(200)
  const { payment_id } = confirmed.body
  const payment = (await client.readPayment(payment_id)).body
  const read = (await client.readSession(session.id)).body
  const events = await sql<{ body: string }[]>`select body from events where payment_id = ${payment_id}`
  expect(events.length).toBeLessThanOrEqual(1)
  const asked = await sql`select 1 from simulator.ledger l
    join acquirer_operations o on o.operation_id = l.reference where o.payment_id = ${payment_id}`
  return {
    states: three_ds.challenge ? `challenge ${state.three_ds.state}` : three_ds.state,
    result: confirmed.body,
    payment,
    session: read,
    event: events[0] ? JSON.parse(events[0].body) : null,
    asked: asked.length === 1,
  }
}

/** Goes to the bank, lets so much time pass, and waits until the bank's result has come. */
export function lateResult(
  { service, clock, delay_ms }: { service: Service; clock: DrivenClock; delay_ms: number },
  browse: (url: string) => Promise<void>,
) {
  return async (url: string): Promise<void> => {
    await browse(url)
    const count = async () => {
      const [row] = await service.sql<{ open: number }[]>`
        select count(*)::int as open from attempts where three_ds_state = 'awaiting_challenge'`
      return row!.open
    }
    const before = await count()
    await clock.advance(delay_ms)
    await until(count, (open) => open < before)
  }
}

function isSilent(number: string): boolean {
  return /^(?:[45]\d{13}|3\d{12})60$/.test(number) || number === '4000000000002354'
}
