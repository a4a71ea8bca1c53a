// A receipt that a person has sent again: by whom, how often, and never twice for one press.

import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { openMetrics } from '../../src/http/metrics.ts'
import { openMailer } from '../../src/outgoing/mail/smtp.ts'
import { openReceiptMailer, type ReceiptMailer } from '../../src/payments/receipts/mailer.ts'
import { sendReceiptAgain, sent_again_max } from '../../src/payments/receipts/send-again.ts'
import { sendReceipts } from '../../src/payments/receipts/send-receipts.ts'
import { type Json, purchase } from '../support/client.ts'
import { manualClock } from '../support/clock.ts'
import { type MailServer, openMailServer, readLetter } from '../support/mail-server.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { useService } from '../support/use-service.ts'
import { realClock } from '../support/world.ts'

const clock = manualClock()
const service = await useService({ clock, lock_limit: 'none' })
const { account, client, sql } = service
const at = `/${account.merchant_id}/payments`
const support = await newMember(service, { role: 'support' })
const viewer = await newMember(service, { role: 'viewer' })
const limits = { connect_ms: 60_000, silence_ms: 60_000, whole_ms: 30_000 }

let mail: MailServer
let post: ReceiptMailer
beforeEach(async () => {
  await sql`delete from receipt_queue`
  await sql`delete from receipt_senders`
  mail = await openMailServer()
  onTestFinished(() => mail.close())
  post = openReceiptMailer({
    mailer: openMailer(mail.address, realClock, limits),
    from: 'receipts@pay.example',
    modes: ['test'],
  })
  await run()
})

const run = () => sendReceipts({ ...service.context, metrics: openMetrics(), post })
const pay = async (): Promise<string> =>
  (await client.pay(undefined, { ...purchase, customer: { email: 'ada@example.com' } })).body.payment_id
const read = async (payment_id: string, person = support): Promise<Json> =>
  (await person.get(`${at}/${payment_id}/receipt`)).body.receipt
const again = (payment_id: string, person = support) => person.post(`${at}/${payment_id}/receipt`)

test('it shows what was sent, and another letter with a name of its own goes out', async () => {
  const payment_id = await pay()
  expect(await read(payment_id)).toMatchObject({ letters: [], hindrance: null, waiting_since: expect.any(String) })
  await clock.advance(1000)
  await run()
  await clock.advance(1000)
  const shown = await read(payment_id)
  expect(shown).toMatchObject({ to: 'ada@example.com', waiting_since: null, letters: [{ state: 'sent' }] })
  expect(readLetter(mail.letters[0]!).text.trim()).toBe(shown.text.trim().replaceAll('\n', '\r\n'))
  expect((await again(payment_id)).status).toBe(204)
  await clock.advance(1000)
  // A second press finds that it waits.
  expect((await again(payment_id)).status).toBe(204)
  await run()
  expect(mail.letters).toHaveLength(2)
  const [first, second] = mail.letters.map((letter) => /^Message-ID: (.*)$/m.exec(readLetter(letter).head)![1])
  expect([first, second]).toEqual([`<receipt.${payment_id}@pay.example>`, `<receipt.${payment_id}.1@pay.example>`])
  const { letters } = await read(payment_id)
  expect(letters.map(({ state, actor }: Json) => [state, actor])).toEqual([
    ['sent', 'service'],
    ['asked', `user ${support.user_id}`],
    ['sent', 'service'],
  ])
})

test('whoever sees masked addresses sees this one masked, and sends nothing', async () => {
  const payment_id = await pay()
  expect(await read(payment_id, viewer)).toMatchObject({ to: 'a…@example.com' })
  expect(refusalIn(await again(payment_id, viewer))).toBe('403 permission_denied')
})

test.each([
  ['an address that was deleted', () => sql`update sessions set customer = null`, 'no_address'],
  ['no mail server', () => sql`delete from receipt_senders`, 'no_mail_server'],
])('with %s it says so', async (_, change, hindrance) => {
  const payment_id = await pay()
  await run()
  await change()
  expect(await read(payment_id)).toMatchObject({ hindrance })
  expect(refusalIn(await again(payment_id))).toBe('409 receipt_not_possible')
  expect(await sql`select 1 from receipt_queue`).toHaveLength(0)
})

test('what is not captured has none', async () => {
  const { payment_id } = (await client.pay('4000000000009995')).body
  expect(await read(payment_id)).toBeNull()
  expect(refusalIn(await again(payment_id))).toBe('409 receipt_not_possible')
})

test(`at most ${sent_again_max} within a day`, async () => {
  const payment_id = await pay()
  await run()
  for (let count = 0; count < sent_again_max; count++) {
    expect((await again(payment_id)).status).toBe(204)
    await run()
  }
  expect(refusalIn(await again(payment_id))).toBe('409 receipt_not_possible')
  expect(await read(payment_id)).toMatchObject({ hindrance: 'sent_often' })
  await clock.advance(24 * 3_600_000)
  await run()
  // By then nobody is signed in any more.
  const key = { merchant_id: account.merchant_id, payment_id }
  const cause = { actor: 'operator', request_id: null } as const
  await sendReceiptAgain(service.context, key, { cause, now: clock.now() })
  await run()
  expect(mail.letters).toHaveLength(sent_again_max + 2)
})
