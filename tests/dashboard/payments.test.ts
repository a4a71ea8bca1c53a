// Payments at the dashboard: what each role reads of shoppers, what may be done now, the timeline, and who decided.

import { expect, test } from 'vitest'
import { type Json, purchase } from '../support/client.ts'
import { hold } from '../support/holding.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const { account, client, sql } = service
const at = `/${account.merchant_id}/payments`
const [owner, developer, support, viewer] = [
  await newMember(service, { role: 'owner' }),
  await newMember(service, { role: 'developer' }),
  await newMember(service, { role: 'support' }),
  await newMember(service, { role: 'viewer' }),
]
const paid = (await client.pay(undefined, { ...purchase, metadata: { basket: '7' } })).body.payment_id as string
const key = () => ({ headers: { 'rip-idempotency-key': crypto.randomUUID() } })
const read = async (person: typeof owner, id: string): Promise<Json> => {
  const answer = await person.get(`${at}/${id}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

test('the list is the public one, masked for who may not read shoppers', async () => {
  const headers = client.withKey
  const { body: open } = await client.send('GET', '/v1/payments?mode=test', { headers })
  for (const person of [owner, support, developer]) {
    expect((await person.get(`${at}?mode=test`)).body).toEqual({ ...open, next_cursor: null })
  }
  const { body: masked, text } = await viewer.get(`${at}?mode=test`)
  expect(masked.data[0].customer).toMatchObject({ email: 'a…@example.com' })
  expect(text).not.toContain('ada@')
  // Metadata may be about the shopper.
  expect(open.data[0].metadata).toEqual({ basket: '7' })
  expect(masked.data[0].metadata).toEqual({})
  expect(masked.data[0].card).toEqual({ brand: 'visa', last4: '4242' })
})

test('who may not read shoppers finds out by no filter either', async () => {
  const path = `${at}?mode=test&customer_email=ada@example.com`
  expect((await support.get(path)).status).toBe(200)
  expect(refusalIn(await viewer.get(path))).toBe('403 permission_denied')
  // In live mode a developer sees masked emails, too.
  const everywhere = await developer.get(`${at}?customer_email=ada@example.com`)
  expect(refusalIn(everywhere)).toBe('403 permission_denied')
})

test('one payment, with what each may do with it', async () => {
  const shown = await read(owner, paid)
  const { body: open } = await client.readPayment(paid)
  expect(shown).toMatchObject(open)
  expect(shown).toMatchObject({
    card: { brand: 'visa', last4: '4242' },
    hold: null,
    settlement: null,
    permitted: ['refund'],
  })
  for (const person of [developer, support, viewer]) {
    expect((await read(person, paid)).permitted).toEqual([])
  }
  const masked = await read(viewer, paid)
  expect([masked.customer.email, masked.metadata]).toEqual(['a…@example.com', {}])
  const { payment_id } = await hold(account)
  for (const person of [owner, developer, support]) {
    expect((await read(person, payment_id)).permitted).toEqual(['capture', 'void', 'escalate'])
  }
  expect((await read(viewer, payment_id)).permitted).toEqual([])
  const unknown = await owner.get(`${at}/pay_${'0'.repeat(24)}`)
  expect(refusalIn(unknown)).toBe('404 resource_not_found')
})

test('a person decides once, however often they press, and the journal names them', async () => {
  const { payment_id } = await hold(account)
  const path = `${at}/${payment_id}/hold`
  expect(refusalIn(await viewer.post(`${path}/capture`, {}, key()))).toBe('403 permission_denied')
  expect((await support.post(`${path}/escalate`, {}, key())).body.hold.status).toBe('escalated')
  expect((await read(support, payment_id)).permitted).toEqual(['capture', 'void'])
  const pressed = key()
  const [first, again] = [
    await support.post(`${path}/capture`, {}, pressed),
    await support.post(`${path}/capture`, {}, pressed),
  ]
  expect(first.body, first.text).toMatchObject({ status: 'captured' })
  expect(again.text).toBe(first.text)
  expect(first.body.hold.decided_by).toBe('merchant')
  expect(refusalIn(await owner.post(`${path}/void`, {}, key()))).toBe('409 hold_already_decided')
  const lines = await sql<{ change: string; actor: string }[]>`
    select change, actor from journal where subject = ${payment_id} and actor like 'user %' order by entry_id`
  expect(lines).toEqual(
    ['hold.escalated', 'capture.begun', 'payment.captured'].map((change) => ({
      change,
      actor: `user ${support.user_id}`,
    })),
  )
})

test.each([
  ['escalate', ['hold.escalated']],
  ['capture', ['capture.begun', 'payment.captured']],
  ['void', ['void.begun', 'payment.voided']],
])(
  'who decides by %s leaves a note in the timeline, and the page says what the deadline does',
  async (act, changes) => {
    const { payment_id } = await hold(account)
    expect((await read(support, payment_id)).hold).toMatchObject({ at_deadline: 'void', status: 'pending_review' })
    const path = `${at}/${payment_id}/hold/${act}`
    const number = await support.post(path, { note: 'is it 4000 0000 0000 0002?' }, key())
    expect([refusalIn(number), number.body.field]).toEqual(['400 invalid_request', 'note'])
    const note = 'Ada asks whether the teapot is in stock'
    expect((await support.post(path, { note }, key())).status).toBe(200)
    const readLines = async (person: typeof owner): Promise<Json[]> => {
      const { body } = await person.get(`${at}/${payment_id}/timeline`)
      return body.lines.filter(({ change }: { change: string }) => changes.includes(change))
    }
    for (const person of [support, developer]) {
      const notes = (await readLines(person)).map(({ change, actor, detail }) => [change, actor, detail.note])
      expect(notes).toEqual(changes.map((change) => [change, `user ${support.user_id}`, note]))
    }
    // It is free text, so a shopper's name may stand in it.
    const masked = await readLines(viewer)
    expect(masked.map(({ actor }) => actor)).toEqual(changes.map(() => `user ${support.user_id}`))
    expect(JSON.stringify(masked)).not.toContain('Ada')
    // The merchant's server takes no note: the specification closes that body.
    const { payment_id: other } = await hold(account)
    const answer = await client.send('POST', `/v1/payments/${other}/hold/${act}`, {
      headers: { ...client.withKey, ...key().headers },
      body: { note },
    })
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
  },
)

test('a key of one person is not that of another', async () => {
  const [one, other] = [await hold(account), await hold(account)]
  const pressed = key()
  const void_of = (id: string) => `${at}/${id}/hold/void`
  expect((await owner.post(void_of(one.payment_id), {}, pressed)).body.status).toBe('voided')
  expect((await support.post(void_of(other.payment_id), {}, pressed)).body.status).toBe('voided')
})

test('a refund, and the list of them', async () => {
  const { body } = await client.pay()
  const path = `${at}/${body.payment_id}/refunds`
  expect(refusalIn(await viewer.post(path, {}, key()))).toBe('403 permission_denied')
  const made = await owner.post(path, { amount: 1200, reason: 'broken' }, key())
  expect(made.body, made.text).toMatchObject({ amount: 1200, status: 'succeeded' })
  const nothing = { owed_amount: null, otherwise_amount: null }
  const named = { ...made.body, acquirer_transaction_id: expect.stringMatching(/./), ...nothing }
  expect((await viewer.get(path)).body.refunds).toEqual([named])
  expect(await read(owner, body.payment_id)).toMatchObject({ refunded_amount: 1200, permitted: ['refund'] })
})

test('support refunds a payment up to the limit of its currency, all refunds together', async () => {
  const limits = `/${account.merchant_id}/team/refund-limits`
  const limit = (amount: number | null, currency = 'gbp') => owner.post(limits, { currency, amount })
  const { body } = await client.pay()
  const path = `${at}/${body.payment_id}/refunds`
  const refund = async (amount?: number) => refusalIn(await support.post(path, { amount }, key()))
  const exceeded = '403 refund_limit_exceeded'
  expect(await refund(100)).toBe(exceeded)
  expect(await read(support, body.payment_id)).toMatchObject({ permitted: [], refund_max: 0 })
  expect((await limit(1000, 'EUR')).status).toBe(204)
  expect(await refund(100)).toBe(exceeded)
  expect((await limit(500)).status).toBe(204)
  expect((await limit(1500)).status).toBe(204)
  expect((await support.get(limits)).body).toEqual({
    limits: [
      { currency: 'EUR', amount: 1000 },
      { currency: 'GBP', amount: 1500 },
    ],
  })
  expect(refusalIn(await support.post(limits, { currency: 'GBP', amount: 1 }))).toBe('403 permission_denied')
  expect(await refund()).toBe(exceeded)
  expect((await support.post(path, { amount: 1000 }, key())).status).toBe(201)
  expect(await read(support, body.payment_id)).toMatchObject({
    permitted: ['refund'],
    refund_max: 500,
    refunded_amount: 1000,
  })
  expect(await refund(501)).toBe(exceeded)
  // At once: the payment is locked, so together they stay within it.
  const both = await Promise.all([300, 300].map((amount) => support.post(path, { amount }, key())))
  expect(both.map(({ status }) => status).sort()).toEqual([201, 403])
  expect((await owner.post(path, { amount: 1000 }, key())).status).toBe(201)
  expect((await limit(null)).status).toBe(204)
  expect((await owner.get(limits)).body.limits).toEqual([{ currency: 'EUR', amount: 1000 }])
  const lines = await sql<{ detail: object; actor: string }[]>`
    select detail, actor from journal
    where merchant_id = ${account.merchant_id} and change = 'refund_limit.set' order by entry_id`
  expect(lines.map(({ detail }) => detail)).toEqual([
    { currency: 'EUR', amount: 1000, before: null, address: expect.any(String) },
    { currency: 'GBP', amount: 500, before: null, address: expect.any(String) },
    { currency: 'GBP', amount: 1500, before: 500, address: expect.any(String) },
    { currency: 'GBP', amount: null, before: 1500, address: expect.any(String) },
  ])
})

test.each([
  { currency: 'GBP', amount: 0 },
  { currency: 'XXX', amount: 5 },
  { currency: 'GBP' },
  { currency: 'GBP', amount: 1.5 },
])('no limit is %o', async (body) => {
  const answer = await owner.post(`/${account.merchant_id}/team/refund-limits`, body)
  expect(refusalIn(answer)).toBe('400 invalid_request')
})

test('the timeline tells all of it, and no shopper', async () => {
  const { payment_id } = await hold(account)
  await owner.post(`${at}/${payment_id}/hold/void`, {}, key())
  const { body, text } = await viewer.get(`${at}/${payment_id}/timeline`)
  const changes = body.lines.map(({ change }: Json) => change)
  expect(changes).toEqual(expect.arrayContaining(['session.created', 'charge.begun', 'payment.held', 'payment.voided']))
  expect(body.lines.at(-1)).toMatchObject({ actor: `user ${owner.user_id}`, seal: 'not_yet' })
  // Who may see neither team nor shoppers reads no names of people.
  expect(body.people[owner.user_id]).toBeUndefined()
  const seenBySupport = (await support.get(`${at}/${payment_id}/timeline`)).body
  expect(Object.keys(seenBySupport.people)).toContain(owner.user_id)
  const seen = (await owner.get(`${at}/${payment_id}/timeline`)).body
  expect(seen.people[owner.user_id]).toMatch(/^\S/)
  expect(body.events.map(({ type }: Json) => type)).toEqual(['payment.held', 'payment.voided'])
  expect(body.payments).toMatchObject([
    { payment_id, status: 'voided', acquirer: 'simulator', amount: 4200, refunds: [] },
  ])
  expect(body.attempts).toEqual([
    {
      attempt_id: body.payments[0].attempt_id,
      number: 1,
      card: { brand: 'visa', last4: '4242' },
      authentication_failure: null,
    },
  ])
  expect(body.seals).toEqual({ right: 0, wrong: 0, not_yet: changes.length })
  expect(text).not.toContain('ada@')
})

test('keys are told by their names', async () => {
  const made = await owner.post(`/${account.merchant_id}/keys`, {
    name: 'web shop',
    permissions: ['create_payments', 'decide_holds'],
    mode: 'test_only',
  })
  expect(made.body, made.text).toMatchObject({ key_id: expect.any(String) })
  const { payment_id } = await hold(account)
  const decided = await client.send('POST', `/v1/payments/${payment_id}/hold/void`, {
    headers: { ...key().headers, 'x-service-api-key': made.body.secret_key },
  })
  expect(decided.body, decided.text).toMatchObject({ status: 'voided' })
  const { people } = (await viewer.get(`${at}/${payment_id}/timeline`)).body
  expect(people[made.body.key_id]).toBe('web shop')
})

test('the search box knows what an acquirer calls a payment or its refund, and our reference', async () => {
  const { body } = await client.pay()
  const { acquirer_transaction_id } = await read(owner, body.payment_id)
  await client.refund(body.payment_id, { amount: 1000 })
  const [refund] = (await owner.get(`${at}/${body.payment_id}/refunds`)).body.refunds
  expect(refund.acquirer_transaction_id).not.toBe(acquirer_transaction_id)
  const idsOf = async (text: string, mode = 'test') =>
    (await owner.get(`/${account.merchant_id}/beginnings?mode=${mode}&text=${text}`)).body.payment_ids
  for (const name of [acquirer_transaction_id, refund.acquirer_transaction_id]) {
    expect(await idsOf(name)).toEqual([body.payment_id])
    expect(await idsOf(name, 'live')).toEqual([])
    expect(await idsOf(name.slice(0, -1))).toEqual([])
  }
  // Our reference of the charge and of the refund, which the acquirer was given.
  const operations = await sql<{ operation_id: string }[]>`
    select operation_id from acquirer_operations where payment_id = ${body.payment_id} order by sent_at`
  expect(operations).toHaveLength(2)
  const elsewhere = await service.newAccount()
  const stranger = await newMember(service, { merchant_id: elsewhere.merchant_id })
  for (const { operation_id } of operations) {
    expect(await idsOf(operation_id)).toEqual([body.payment_id])
    expect(await idsOf(operation_id.toUpperCase())).toEqual([body.payment_id])
    expect(await idsOf(operation_id, 'live')).toEqual([])
    expect(await idsOf(operation_id.slice(0, -1))).toEqual([])
    const { body: theirs } = await stranger.get(`/${elsewhere.merchant_id}/beginnings?mode=test&text=${operation_id}`)
    expect(theirs.payment_ids).toEqual([])
  }
  // Of an acquirer whose operations are in the index.
  await sql`
    update acquirer_operations set acquirer = 'stripe', acquirer_transaction_id = 're_1'
    where acquirer_transaction_id = ${refund.acquirer_transaction_id}`
  expect(await idsOf('re_1')).toEqual([body.payment_id])
})

test('the search box completes orders and emails, which are for who may read shoppers', async () => {
  const other = await service.newAccount()
  const orders = ['B-10', 'B-1%', 'B-102', 'B-101', 'B-2', 'b-1', 'B-103', 'B-104', 'B-10']
  for (const [index, order_reference] of orders.entries()) {
    const name = index < 2 ? 'Zoe' : order_reference === 'b-1' ? 'zb-1' : `z${index}`
    const customer = { email: `${name}@b.example` }
    await client.pay(undefined, { ...purchase, order_reference, customer })
  }
  await other.client.pay(undefined, { ...purchase, order_reference: 'B-1-theirs' })
  const begin = async (person: typeof owner, text: string, mode = 'test') =>
    (await person.get(`/${account.merchant_id}/beginnings?mode=${mode}&text=${encodeURIComponent(text)}`)).body
  // Five at most, each once, in the order of bytes; % is itself.
  expect(await begin(support, 'B-1')).toEqual({
    order_references: ['B-1%', 'B-10', 'B-101', 'B-102', 'B-103'],
    customer_emails: [],
    payment_ids: [],
    session_ids: [],
  })
  // Where five begin so, none is looked for that has it inside.
  expect((await begin(support, '-1')).customer_emails).toEqual(['zb-1@b.example'])
  expect((await begin(support, 'B-1%')).order_references).toEqual(['B-1%'])
  expect(await begin(support, 'ZO')).toEqual({
    order_references: [],
    customer_emails: ['zoe@b.example'],
    payment_ids: [],
    session_ids: [],
  })
  // What begins so comes before what has it inside, which is the newest first.
  expect(await begin(support, '10')).toMatchObject({
    order_references: ['B-10', 'B-104', 'B-103', 'B-101', 'B-102'],
    customer_emails: [],
  })
  expect(await begin(support, 'E@B')).toMatchObject({ order_references: [], customer_emails: ['zoe@b.example'] })
  expect((await begin(support, 'theirs')).order_references).toEqual([])
  for (const text of ['ZO', '-1']) expect((await begin(viewer, text)).customer_emails).toEqual([])
  expect((await begin(owner, 'B-1', 'live')).order_references).toEqual([])
  const missing = await owner.get(`/${account.merchant_id}/beginnings?mode=test`)
  expect(refusalIn(missing)).toBe('400 invalid_request')
})
