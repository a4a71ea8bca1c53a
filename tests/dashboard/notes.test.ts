// A note on a payment: who writes and reads it, where it stands, and what bounds it.

import { expect, test } from 'vitest'
import { notes_max } from '../../src/payments/history/note-payment.ts'
import type { Json } from '../support/client.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { useService } from '../support/use-service.ts'

const service = await useService({ lock_limit: 'none' })
const { account, client } = service
const at = `/${account.merchant_id}`
const support = await newMember(service, { role: 'support' })
const admin = await newMember(service, { role: 'admin' })
const viewer = await newMember(service, { role: 'viewer' })

const paid = async (): Promise<string> => (await client.pay()).body.payment_id
const write = (payment_id: string, note: unknown, person = support) =>
  person.post(`${at}/payments/${payment_id}/notes`, { note })
const notesOf = async (payment_id: string, person = support) =>
  (await person.get(`${at}/payments/${payment_id}/timeline`)).body.lines
    .filter(({ change }: Json) => change === 'payment.noted')
    .map(({ actor, detail }: Json) => [actor, detail.note])

test('it is in the timeline with its author, and for nobody who may not read shoppers', async () => {
  const payment_id = await paid()
  expect((await write(payment_id, '  Rang: leave it at the door ')).status).toBe(204)
  expect((await write(payment_id, 'Parcel came back', admin)).status).toBe(204)
  expect(await notesOf(payment_id)).toEqual([
    [`user ${support.user_id}`, 'Rang: leave it at the door'],
    [`user ${admin.user_id}`, 'Parcel came back'],
  ])
  expect((await notesOf(payment_id, viewer)).map(([, note]: Json) => note)).toEqual([undefined, undefined])
  expect(refusalIn(await write(payment_id, 'x', viewer))).toBe('403 permission_denied')
})

test.each([
  ['nothing', undefined],
  ['null', null],
  ['blanks', '  '],
  ['two lines', 'a\nb'],
  ['a card number', 'card 4111 1111 1111 1111'],
  ['too much', 'x'.repeat(256)],
])('%s is no note', async (_, note) => {
  const payment_id = await paid()
  const answer = await write(payment_id, note)
  expect([answer.status, answer.headers['rip-error-field']]).toEqual([400, 'note'])
  expect(await notesOf(payment_id)).toEqual([])
})

test('sent again after a lost answer it is there once, also when both come at once', async () => {
  const payment_id = await paid()
  const answers = await Promise.all([write(payment_id, 'once'), write(payment_id, 'once'), write(payment_id, 'once')])
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
  expect(await notesOf(payment_id)).toHaveLength(1)
})

test(`a payment has at most ${notes_max}`, async () => {
  const payment_id = await paid()
  for (let count = 1; count < notes_max; count++) expect((await write(payment_id, `note ${count}`)).status).toBe(204)
  const last = await Promise.all([write(payment_id, 'last'), write(payment_id, 'too many', admin)])
  expect(last.map(({ status }) => status).sort()).toEqual([204, 400])
  expect(await notesOf(payment_id)).toHaveLength(notes_max)
})
