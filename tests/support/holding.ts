// Held payments for tests: an amount that a page named and nothing could check.

import { expect } from 'vitest'
import { cellsOf } from '../../src/database/cells/cells.ts'
import { type JobContext, jobs } from '../../src/jobs.ts'
import { listFindings } from '../../src/payments/acquirer-operations/finding-store.ts'
import type { SessionSecret } from './client.ts'
import { type Account, type Service, shop } from './service.ts'

export type Held = { session: SessionSecret; payment_id: string }

/** Creates a session as a page does, with an amount that is not verified. */
export async function openUnverified(account: Account, body: object = {}): Promise<SessionSecret> {
  const { client, publishable_key } = account
  const asked = {
    public_key: publishable_key,
    amount: 4200,
    currency: 'GBP',
    customer: { email: 'ada@example.com' },
    ...body,
  }
  const answer = await client.createFrom(shop, asked)
  expect(answer.status, answer.text).toBe(201)
  return answer.body
}

/** A payment that is held. */
export async function hold(account: Account, number = '4242424242424242', body: object = {}): Promise<Held> {
  const { client } = account
  const session = await openUnverified(account, body)
  await client.present(session, number)
  const confirmed = await client.confirm(session)
  expect(confirmed.body, confirmed.text).toMatchObject({ status: 'held' })
  return { session, payment_id: confirmed.body.payment_id }
}

/** Runs a background job once, as the worker would. */
export async function runJob(service: Service, name: string): Promise<number> {
  const job = jobs.find((job) => job.name === name)
  if (!job) throw new Error(`there is no job ${name}`)
  const { context } = service
  if (job.where === 'whole') return job.run(context as JobContext)
  let count = 0
  for (const { sql } of cellsOf(context.sql)) count += await job.run({ ...context, sql } as JobContext)
  return count
}

/** Types and bodies of a payment's events, in order. */
export async function eventsOf({ sql }: Pick<Service, 'sql'>, payment_id: string) {
  const rows = await sql<{ sequence: number; type: string; body: string }[]>`
    select sequence, type, body from events where payment_id = ${payment_id} order by sequence`
  return rows.map(({ sequence, type, body }) => ({ sequence, type, envelope: JSON.parse(body) }))
}

/** The open differences between our books and the acquirer's about a payment. */
export async function findingsOf({ sql }: Pick<Service, 'sql'>, payment_id: string) {
  const all = await listFindings(sql, { acquirer: null, closed_too: false, limit: 1000 })
  return all.filter((finding) => finding.payment_id === payment_id)
}

/** What the acquirer's own books say of a payment's authorisation; null where it never heard of it. */
export async function booksOf({ sql }: Pick<Service, 'sql'>, payment_id: string) {
  const [row] = await sql<Record<'authorised_at' | 'captured_at' | 'voided_at' | 'reversed_at', Date | null>[]>`
    select l.authorised_at, l.captured_at, l.voided_at, l.reversed_at from simulator.ledger l
    join acquirer_operations o on o.operation_id = l.reference
    where o.payment_id = ${payment_id} and o.kind = 'authorise'`
  return row ?? null
}
