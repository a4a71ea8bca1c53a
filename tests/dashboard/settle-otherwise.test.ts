// A failed refund that was given back another way: who may say so, what it changes, and that it happens once.

import { expect, test } from 'vitest'
import { verifyPayments } from '../../src/payments/reading/verify-payments.ts'
import { type Json, purchase } from '../support/client.ts'
import { meeting } from '../support/meeting.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock, lock_limit: 'none' })
const { account, client, sql } = service
const at = `/${account.merchant_id}`
const owner = await newMember(service, { role: 'owner' })
const support = await newMember(service, { role: 'support' })
const viewer = await newMember(service, { role: 'viewer' })
const note = 'Bank transfer of Tuesday'
/** The simulated acquirer refuses an amount by its last digits. */
const refused_amount = 513
const keyed = () => ({ headers: { 'rip-idempotency-key': crypto.randomUUID() } })

/** A payment with a refund that failed. */
async function payment(order_reference = 'A-1'): Promise<{ payment_id: string; refund_id: string }> {
  const { payment_id } = (await client.pay(undefined, { ...purchase, order_reference })).body
  await clock.advance(2000)
  const { body } = await client.refund(payment_id, { amount: refused_amount })
  await clock.advance(2000)
  return { payment_id, refund_id: body.id }
}

const settle = (refund_id: string, body: object = { amount: refused_amount, note }, person = owner) =>
  person.post(`${at}/refunds/${refund_id}/otherwise`, body)
const reopen = (refund_id: string, person = owner) => person.remove(`${at}/refunds/${refund_id}/otherwise`)
const read = async (path: string, person = owner): Promise<Json> => {
  const answer = await person.get(`${at}/${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}
const owedOf = async (payment_id: string) => {
  const { refunds } = await read(`payments/${payment_id}/refunds`)
  return refunds.map(({ owed_amount, otherwise_amount }: Json) => [owed_amount, otherwise_amount])
}
const waiting = async () => (await read('overview?mode=test&zone=UTC')).waits.failed_refunds
const linesOf = async (payment_id: string) =>
  (await read(`payments/${payment_id}/timeline`)).lines.filter(({ change }: Json) =>
    /^refund\.(settled_otherwise|reopened)$/.test(change),
  )

test('it waits for nobody, is no longer told or owed, and can be taken back', async () => {
  const { payment_id, refund_id } = await payment('waits')
  const before = await waiting()
  const settled = await settle(refund_id)
  expect(settled.status, settled.text).toBe(204)
  expect(await waiting()).toBe(before - 1)
  const shown = await read(`payments/${payment_id}`)
  expect(shown).toMatchObject({ otherwise_amount: refused_amount, refund_max: 4200 })
  expect(shown).not.toHaveProperty('failed_refund_amount')
  const { data } = await read('payments?mode=test&order_reference=waits')
  expect(data[0]).not.toHaveProperty('failed_refund_amount')
  expect(await owedOf(payment_id)).toEqual([[null, refused_amount]])
  const { data: failed } = await read('refunds?mode=test&status=failed&limit=1')
  expect(failed).toMatchObject([{ id: refund_id, otherwise_amount: refused_amount }])
  // The API's refund is what it was.
  expect((await client.readRefund(refund_id)).body).toMatchObject({ id: refund_id, status: 'failed' })
  expect((await reopen(refund_id)).status).toBe(204)
  expect(await waiting()).toBe(before)
  expect(await read(`payments/${payment_id}`)).toMatchObject({ otherwise_amount: 0, failed_refund_amount: 513 })
  expect(await owedOf(payment_id)).toEqual([[refused_amount, null]])
})

test('what was given back another way, and what of it was undone, counts in the files and under Overview', async () => {
  const files = async (order_reference: string) => {
    const rows = async (path: string) => {
      const { text, status } = await owner.get(`${at}/${path}?mode=test`)
      expect(status, text).toBe(200)
      const [heading = '', ...lines] = text.replace('\uFEFF', '').trim().split('\r\n')
      const cells = lines.map((line) => line.split(',').map((cell, place) => [heading.split(',')[place]!, cell]))
      return cells.map((row) => Object.fromEntries(row)).filter((row) => row.order_reference === order_reference)
    }
    return { movements: await rows('export/movements'), payments: await rows('export') }
  }
  const refunded = async () => {
    const { captured } = await read('overview?mode=test&zone=UTC')
    return captured.map((each: Json) => [each.refunded_today, each.refunded_in_span])
  }
  const { payment_id, refund_id } = await payment('in-files')
  await owner.prove()
  const [[today, in_span]] = await refunded()
  const captured = { kind: 'capture', net_amount: '42.00' }
  expect((await files('in-files')).movements).toMatchObject([captured])
  expect((await settle(refund_id)).status).toBe(204)
  expect(await refunded()).toEqual([[today + refused_amount, in_span + refused_amount]])
  const row = { kind: 'settled_another_way', payment_id, refund_id, amount: '5.13', currency: 'GBP', acquirer: '' }
  const settled = { ...row, acquirer_transaction_id: '', net_amount: '-5.13' }
  const with_it = await files('in-files')
  expect(with_it.movements).toMatchObject([settled, captured])
  expect(with_it.payments).toMatchObject([{ refunded_amount: '0.00', settled_another_way_amount: '5.13' }])
  await clock.advance(1000)
  expect((await reopen(refund_id)).status).toBe(204)
  expect(await refunded()).toEqual([[today, in_span]])
  const undone = { ...row, kind: 'settlement_undone', net_amount: '5.13' }
  const without = await files('in-files')
  expect(without.movements).toMatchObject([undone, settled, captured])
  expect(without.payments).toMatchObject([{ settled_another_way_amount: '0.00' }])
})

test('who said so, when and why stands in the timeline and under Audit', async () => {
  const { payment_id, refund_id } = await payment()
  await settle(refund_id)
  await clock.advance(1000)
  await reopen(refund_id)
  const detail = { refund_id, amount: refused_amount, currency: 'GBP' }
  const by = { subject: payment_id, actor: `user ${owner.user_id}` }
  const lines = [
    { ...by, change: 'refund.settled_otherwise', detail: { ...detail, note } },
    { ...by, change: 'refund.reopened', detail },
  ]
  expect(await linesOf(payment_id)).toMatchObject(lines)
  const { data } = await read('audit?kind=payments&by=people&limit=2')
  expect(data).toMatchObject(lines.toReversed())
  // A note may name the shopper.
  expect(
    (await read(`payments/${payment_id}/timeline`, viewer)).lines.map(({ detail }: Json) => detail),
  ).not.toContainEqual(expect.objectContaining({ note }))
})

test.each<[string, object, string]>([
  ['no note', { amount: refused_amount }, 'note is required'],
  ['an empty note', { amount: refused_amount, note: '' }, 'note must not be empty'],
  ['a note of spaces', { amount: refused_amount, note: '  ' }, 'note must not be empty'],
  [
    'a note of 500 characters',
    { amount: refused_amount, note: 'a'.repeat(500) },
    'note must have at most 255 characters',
  ],
  ['a note of two lines', { amount: refused_amount, note: 'a\nb' }, 'note must be one line'],
  ['a card number', { amount: refused_amount, note: 'to 4242 4242 4242 4242' }, 'note must not contain a card number'],
  ['no amount', { note }, 'amount is required'],
  ['a word too much', { amount: refused_amount, note, at: 'yesterday' }, 'at is not a field of this request'],
])('%s is refused', async (_, body, words) => {
  const { payment_id, refund_id } = await payment()
  const answer = await settle(refund_id, body)
  expect([refusalIn(answer), answer.body.message]).toEqual(['400 invalid_request', expect.stringContaining(words)])
  expect(await linesOf(payment_id)).toEqual([])
})

test.each<[string, (one: { payment_id: string; refund_id: string }) => Promise<unknown>]>([
  ['one that is settled so already', ({ refund_id }) => settle(refund_id)],
  ['one that was tried again', ({ payment_id }) => client.refund(payment_id, { amount: refused_amount })],
  ['one of which a part was given back', ({ payment_id }) => client.refund(payment_id, { amount: 500 })],
  ['one that was given back', ({ payment_id }) => client.refund(payment_id, { amount: 1000 })],
])('%s is not owed, or not so much', async (_, prepare) => {
  const { payment_id, refund_id } = await payment()
  await prepare({ payment_id, refund_id })
  await clock.advance(2000)
  const before = await linesOf(payment_id)
  expect(refusalIn(await settle(refund_id))).toBe('409 refund_not_owed')
  expect(await linesOf(payment_id)).toEqual(before)
})

test('one that never failed is not owed', async () => {
  const { payment_id } = await payment()
  const { body } = await client.refund(payment_id, { amount: 600 })
  expect(refusalIn(await settle(body.id, { amount: 600, note }))).toBe('409 refund_not_owed')
})

test('a part that is left is settled by itself', async () => {
  const { payment_id, refund_id } = await payment()
  await client.refund(payment_id, { amount: 500 })
  await clock.advance(2000)
  expect((await settle(refund_id, { amount: 13, note })).status).toBe(204)
  expect(await read(`payments/${payment_id}`)).toMatchObject({ otherwise_amount: 13, refunded_amount: 500 })
})

test('what was not settled so cannot be taken back, nor twice', async () => {
  const { refund_id } = await payment()
  expect(refusalIn(await reopen(refund_id))).toBe('404 resource_not_found')
  await settle(refund_id)
  const [one, other] = await meeting(
    sql,
    () => reopen(refund_id),
    () => reopen(refund_id),
  )
  expect([one.status, refusalIn(other)]).toEqual([204, '404 resource_not_found'])
})

test('two who say so at once say it once', async () => {
  const { payment_id, refund_id } = await payment()
  const [one, other] = await meeting(
    sql,
    () => settle(refund_id),
    () => settle(refund_id, { amount: refused_amount, note: 'In cash' }),
  )
  expect([one.status, refusalIn(other)]).toEqual([204, '409 refund_not_owed'])
  expect(await linesOf(payment_id)).toMatchObject([{ detail: { note } }])
})

/** A refund by a person, whose page says how much was given back another way. */
const refund = (payment_id: string, body: object, person = owner) =>
  person.post(`${at}/payments/${payment_id}/refunds`, body, keyed())

test.each<[string, (one: { payment_id: string; refund_id: string }) => Promise<unknown>, number | undefined, string]>([
  ['a page from before it', ({ refund_id }) => settle(refund_id), 0, '409 refund_settled_otherwise'],
  ['a page that does not say', ({ refund_id }) => settle(refund_id), undefined, '409 refund_settled_otherwise'],
  ['a page that has it', ({ refund_id }) => settle(refund_id), refused_amount, '201 undefined'],
  ['a page that has more', async () => {}, refused_amount, '409 refund_settled_otherwise'],
  [
    'a page from before it was taken back',
    async ({ refund_id }) => [await settle(refund_id), await reopen(refund_id)],
    refused_amount,
    '409 refund_settled_otherwise',
  ],
])('a person refunds from %s', async (_, prepare, otherwise_amount, expected) => {
  const one = await payment()
  await prepare(one)
  expect(refusalIn(await refund(one.payment_id, { amount: 600, otherwise_amount }))).toBe(expected)
  expect(await read(`payments/${one.payment_id}`)).toMatchObject({ refund_count: expected.startsWith('201') ? 2 : 1 })
})

test('of a note and a refund by people in the same moment the first alone is done', async () => {
  const { payment_id, refund_id } = await payment()
  const again = () => refund(payment_id, { amount: refused_amount, otherwise_amount: 0 })
  const [noted, refused] = await meeting(sql, () => settle(refund_id), again)
  expect([noted.status, refusalIn(refused)]).toEqual([204, '409 refund_settled_otherwise'])
  await reopen(refund_id)
  const [made, late] = await meeting(sql, again, () => settle(refund_id))
  expect([made.status, refusalIn(late)]).toEqual([201, '409 refund_not_owed'])
})

test('a refund that is tried again by the API in the same moment is one of its own', async () => {
  const { payment_id, refund_id } = await payment()
  const [answer, made] = await meeting(
    sql,
    () => settle(refund_id),
    () => client.refund(payment_id, { amount: refused_amount }),
  )
  expect([answer.status, made.status]).toEqual([204, 201])
  expect(await owedOf(payment_id)).toEqual([
    [refused_amount, null],
    [null, refused_amount],
  ])
})

test('those who refund may: support up to its limit, of all that goes back', async () => {
  const { payment_id, refund_id } = await payment()
  const limit = (amount: number) => owner.post(`${at}/team/refund-limits`, { currency: 'GBP', amount })
  expect(refusalIn(await settle(refund_id, undefined, viewer))).toBe('403 permission_denied')
  expect(refusalIn(await settle(refund_id, undefined, support))).toBe('403 refund_limit_exceeded')
  await limit(refused_amount - 1)
  expect(refusalIn(await settle(refund_id, undefined, support))).toBe('403 refund_limit_exceeded')
  await limit(refused_amount)
  expect((await settle(refund_id, undefined, support)).status).toBe(204)
  expect(refusalIn(await reopen(refund_id, viewer))).toBe('403 permission_denied')
  await limit(refused_amount + 100)
  await owner.post(`${at}/payments/${payment_id}/refunds`, { amount: 14 }, keyed())
  const { body: second } = await client.refund(payment_id, { amount: refused_amount })
  await clock.advance(2000)
  expect(refusalIn(await settle(second.id, undefined, support))).toBe('403 refund_limit_exceeded')
  expect((await reopen(refund_id, support)).status).toBe(204)
})

test('what support gives back another way counts for its refunds, and what an owner so gave back is not its to reopen', async () => {
  const limit = (amount: number) => owner.post(`${at}/team/refund-limits`, { currency: 'GBP', amount })
  const { payment_id, refund_id } = await payment()
  await limit(refused_amount)
  const again = () => refund(payment_id, { amount: 1, otherwise_amount: refused_amount }, support)
  expect((await settle(refund_id, undefined, support)).status).toBe(204)
  expect(await read(`payments/${payment_id}`, support)).toMatchObject({ refund_max: 0, permitted: [] })
  expect(refusalIn(await again())).toBe('403 refund_limit_exceeded')
  await limit(refused_amount + 10)
  expect(await read(`payments/${payment_id}`, support)).toMatchObject({ refund_max: 10, permitted: ['refund'] })
  expect((await again()).status).toBe(201)
  await limit(refused_amount)
  expect(refusalIn(await reopen(refund_id, support))).toBe('403 refund_limit_exceeded')
  expect((await reopen(refund_id)).status).toBe(204)
})

test('the journal and the rows of money still say the same', async () => {
  const { refund_id } = await payment()
  await settle(refund_id)
  await reopen(refund_id)
  await settle(refund_id)
  const verified = await verifyPayments(sql, account.merchant_id)
  expect(verified).toMatchObject({ faults: [] })
  expect(verified.payments).toBeGreaterThan(0)
})
