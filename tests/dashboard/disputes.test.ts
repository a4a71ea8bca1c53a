// Disputes at the dashboard: the list, worst first; a payment that has one; and a refund that asks first.

import { expect, test } from 'vitest'
import { type Json, purchase } from '../support/client.ts'
import { disputeOf } from '../support/disputing.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock })
const { account, client } = service
const { merchant_id } = account
const at = `/${merchant_id}`
const owner = await newMember(service, { role: 'owner' })
const day_ms = 24 * 3_600_000

async function disputed(days: number | null, status: 'needs_response' | 'under_review' | 'lost' = 'needs_response') {
  await clock.advance(2000)
  const { payment_id } = (await client.pay(undefined, purchase)).body
  const respond_by = days === null ? null : new Date(clock.now().getTime() + days * day_ms)
  const { dispute_id } = await disputeOf(service, { merchant_id, payment_id }, { status, respond_by })
  return { payment_id: payment_id as string, dispute_id }
}

const read = async (path: string): Promise<Json> => {
  const answer = await owner.get(`${at}/${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

test('open disputes are listed by the time that is left, page by page, and the overview counts them', async () => {
  const nearest = await disputed(2)
  const later = await disputed(9)
  const without = await disputed(null)
  const reviewed = await disputed(1, 'under_review')
  const over = await disputed(1, 'lost')
  const open = [nearest, later, without, reviewed].map(({ dispute_id }) => dispute_id)
  const seen: string[] = []
  let after = ''
  do {
    const page = await read(`disputes?mode=test&limit=1${after}`)
    seen.push(...page.data.map(({ id }: Json) => id))
    after = page.has_more ? `&after=${page.next_cursor}` : ''
  } while (after !== '')
  expect(seen).toEqual(open)
  expect((await read('disputes?mode=live')).data).toEqual([])
  const all = await read('disputes?mode=test&which=all')
  expect(all.data.map(({ id }: Json) => id)).toEqual(
    [over, reviewed, without, later, nearest].map((each) => each.dispute_id),
  )
  expect(refusalIn(await owner.get(`${at}/disputes?mode=test&after=x`))).toBe('400 invalid_pagination')
  const { waits } = await read('overview?mode=test&zone=UTC')
  const [first] = all.data.slice(-1)
  expect(waits).toMatchObject({ disputes: 3, disputes_until: first.respond_by })
})

test('a payment shows its dispute, its timeline tells of it, and a refund wants a word', async () => {
  const { payment_id, dispute_id } = await disputed(5)
  expect(await read(`payments/${payment_id}`)).toMatchObject({ is_disputed: true, disputes: [{ id: dispute_id }] })
  const { lines, events } = await read(`payments/${payment_id}/timeline`)
  expect(lines.map(({ change }: Json) => change)).toContain('dispute.opened')
  expect(events.map(({ type }: Json) => type)).toContain('dispute.opened')
  await owner.prove()
  const refund = (more: object) =>
    owner.post(
      `${at}/payments/${payment_id}/refunds`,
      { amount: 100, ...more },
      { headers: { 'rip-idempotency-key': crypto.randomUUID() } },
    )
  expect(refusalIn(await refund({}))).toBe('409 payment_disputed')
  expect((await refund({ accept_dispute: true })).status).toBe(201)
  const { payment_id: other } = await disputed(5, 'lost')
  expect((await read(`payments/${other}`)).is_disputed).toBe(true)
})
