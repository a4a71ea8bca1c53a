// `ripper payment note` and `ripper receipt …`, as a user types them, on the database of a running service.

import { randomBytes } from 'node:crypto'
import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { answer, ripper } from '../support/programs.ts'
import { settingsOf, useService } from '../support/use-service.ts'

const master_key = randomBytes(32)
const service = await useService({ master_key })
const { client, sql } = service
const env = settingsOf(service, master_key)
const paid = async (): Promise<string> => (await client.pay()).body.payment_id

test('a note is a line of the journal, by whoever typed it', async () => {
  const payment_id = await paid()
  const { merchant_id } = service.account
  expect(await answer(['payment', 'note', payment_id, 'Parcel came back'], { env })).toEqual({
    merchant_id,
    payment_id,
    note: 'Parcel came back',
  })
  const lines = await sql`
    select actor, detail from journal where subject = ${payment_id} and change = 'payment.noted'`
  expect(lines).toMatchObject([{ actor: 'operator', detail: { by: userInfo().username, note: 'Parcel came back' } }])
})

test.each([
  [['payment', 'note', 'PAID', '4111 1111 1111 1111'], 2, /TEXT must not hold a card number/],
  [['payment', 'note', 'PAID', ' '], 2, /TEXT must/],
  [['payment', 'note', 'PAID'], 2, /TEXT/],
  [['receipt', 'send', 'PAID'], 1, /no mail server is set up/],
])('%j ends with %i', async (args, status, words) => {
  const payment_id = await paid()
  const typed = args.map((each) => (each === 'PAID' ? payment_id : each))
  const run = await ripper(typed, { env })
  expect([run.status, run.stderr]).toEqual([status, expect.stringMatching(words)])
})

test('a receipt is shown, and queued again where a mail server is set up', async () => {
  const payment_id = await paid()
  const shown = await ripper(['receipt', 'show', payment_id], { env })
  expect(shown.stdout).toContain('You paid £42.00 to')
  const until = new Date(Date.now() + 3_600_000)
  await sql`insert into receipt_senders (mode, sends_until) values ('test', ${until})`
  const sent = await ripper(['receipt', 'send', payment_id], { env })
  expect(sent.stdout).toMatch(/^The receipt waits to be sent, /)
  const again = await ripper(['receipt', 'send', payment_id], { env })
  expect(again.stdout).toMatch(/^The receipt waits since .*: nothing was added\.$/m)
  expect(await sql`select sequence from receipt_queue where payment_id = ${payment_id}`).toEqual([{ sequence: 1 }])
  const { receipt } = await answer(['receipt', 'show', payment_id], { env })
  expect(receipt).toMatchObject({ waiting_since: expect.any(String), letters: [{ state: 'asked', actor: 'operator' }] })
})
