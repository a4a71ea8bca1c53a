// Receipts from the payment to the shopper's mailbox, whatever the mail server, and whoever sends, does on the way.

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openMetrics } from '../../src/http/metrics.ts'
import type { Mailer } from '../../src/outgoing/mail/mailer.ts'
import { type MailLimits, openMailer } from '../../src/outgoing/mail/smtp.ts'
import { openReceiptMailer, type ReceiptMailer } from '../../src/payments/receipts/mailer.ts'
import { claimReceipt } from '../../src/payments/receipts/receipt-store.ts'
import { receipt_life_ms, sendReceipts } from '../../src/payments/receipts/send-receipts.ts'
import { nameOf } from '../adapters/acquirer-requests.ts'
import { purchase, visa } from '../support/client.ts'
import { manualClock } from '../support/clock.ts'
import { hold } from '../support/holding.ts'
import { type MailServer, openMailServer, readLetter, type Trouble } from '../support/mail-server.ts'
import type { Account } from '../support/service.ts'
import { useService } from '../support/use-service.ts'
import { realClock } from '../support/world.ts'

/** Silence alone ends nothing here: time is the test's. */
const limits: MailLimits = { connect_ms: 60_000, silence_ms: 60_000, whole_ms: 30_000 }
const minute_ms = 60_000
const from = 'receipts@pay.example'

const clock = manualClock()
const service = await useService({ clock })
let mail: MailServer
let post: ReceiptMailer
beforeEach(async () => {
  await service.sql`delete from receipt_queue`
  await service.sql`delete from receipt_senders`
  mail = await openMailServer()
  post = postTo(openMailer(mail.address, realClock, limits))
  // From now on receipts are queued.
  await send()
})
afterEach(() => mail.close())

function postTo(mailer: Mailer, modes: ReceiptMailer['modes'] = ['test']): ReceiptMailer {
  return openReceiptMailer({ mailer, from, modes })
}

/** By a process that sends none where null is given. */
const send = (by: ReceiptMailer | null = post, stopping?: AbortSignal) =>
  sendReceipts({ ...service.context, metrics: openMetrics(), post: by ?? undefined, stopping })

async function pay(account: Account = service.account, body: object = {}, number = visa) {
  const { client } = account
  const session = await client.open({ ...purchase, ...body })
  await client.present(session, number)
  const { status, payment_id } = (await client.confirm(session)).body
  return { status, payment_id, session }
}

const waiting = async () =>
  (
    await service.sql<{ payment_id: string; tries: number; claimed_at: Date | null }[]>`
    select payment_id, tries, claimed_at from receipt_queue order by created_at, payment_id`
  ).map((row) => ({ ...row }))

/** What the journal says of a payment's receipt. */
const told = async (payment_id: string) =>
  service.sql<{ change: string; detail: object; actor: string; session_id: string }[]>`
    select change, detail, actor, session_id from journal
    where subject = ${payment_id} and change like 'receipt.%' order by entry_id`

test('one letter for one payment, in the language of the checkout', async () => {
  const { client } = service.account
  const items = [
    { name: '<b>Assam</b>', quantity: 2, unit_amount: 1600 },
    { name: 'Pot', quantity: 1, unit_amount: 1000 },
  ]
  const asked = { ...purchase, items, order_reference: 'A-17', statement_descriptor_suffix: 'A17' }
  const session = await client.open({ ...asked, customer: { email: 'ada@example.com' } })
  const card_reference = await client.reference(session, visa)
  // As checkout.js sends it, whatever the browser's own language is.
  await client.send('POST', `/v1/checkout/sessions/${session.id}/authenticate`, {
    headers: { 'rip-client-secret': session.client_secret, 'accept-language': 'de-CH' },
    body: { card_reference, browser: { ...browserFacts, language: 'fr' } },
  })
  const { payment_id } = (await client.confirm(session)).body
  expect(await send()).toBe(1)
  expect(await send()).toBe(0)
  expect(mail.letters).toHaveLength(1)
  expect(mail.letters[0]).toMatchObject({ from, to: ['ada@example.com'] })
  const { head, text, html } = readLetter(mail.letters[0]!)
  expect(head).toContain('Subject: Beleg von Tea & Sons')
  expect(head).toContain('From: "Tea & Sons" <receipts@pay.example>')
  expect(head).toContain(`Message-ID: <receipt.${payment_id}@pay.example>`)
  for (const said of ['42.00', 'A-17', 'Visa mit den Endziffern 4242', 'Tea & Sons A17', payment_id]) {
    expect(text).toContain(said)
  }
  expect(text).toContain('2 × <b>Assam</b>')
  expect(html).toContain('2 × &#60;b&#62;Assam&#60;/b&#62;')
  expect(await waiting()).toEqual([])
  expect(await told(payment_id)).toEqual([
    { change: 'receipt.sent', detail: {}, actor: 'service', session_id: session.id },
  ])
})

const browserFacts = {
  language: 'en-GB',
  color_depth: 24,
  screen_height: 900,
  screen_width: 1440,
  time_zone_offset: -60,
  java_enabled: false,
  javascript_enabled: true,
}

test("without a word from checkout.js it is the browser's language", async () => {
  const { client } = service.account
  const session = await client.open()
  await client.present(session, visa, { browser: { ...browserFacts, language: 'nl-BE' } })
  await client.confirm(session)
  await send()
  expect(readLetter(mail.letters[0]!).head).toContain('Subject: Betaalbewijs van')
})

test('each merchant in its own name, and its goods in the words of its price list', async () => {
  const price_list = [{ sku: 'pot', name: 'Teapot', unit_amount: 4200, currency: 'GBP' }]
  const merchant = { name: 'Książki' }
  const other = await service.newAccount({ merchant, integration: { price_list } })
  await pay()
  await pay(other, { items: [{ sku: 'pot', quantity: 1 }] })
  expect(await send()).toBe(2)
  const texts = mail.letters.map((letter) => readLetter(letter).text)
  expect(texts.filter((text) => text.includes('Teapot'))).toHaveLength(1)
  const froms = mail.letters.map((letter) => /^From: (.*)$/m.exec(readLetter(letter).head)?.[1])
  expect(froms.sort()).toEqual([
    '"Tea & Sons" <receipts@pay.example>',
    expect.stringMatching(/^=\?UTF-8\?.*\?= <receipts@pay.example>$/),
  ])
})

test.each([
  ['declined', '4000000000009995'],
  ['failed', '4000000000000119'],
])('a payment that is %s has none', async (status, number) => {
  expect((await pay(service.account, {}, number)).status).toBe(status)
  expect(await waiting()).toEqual([])
})

describe('a held payment', () => {
  test('has none while it is held, and one once it is captured', async () => {
    const { payment_id } = await hold(service.account)
    expect(await waiting()).toEqual([])
    expect((await service.client.decideHold('capture', payment_id)).status).toBe(200)
    expect(await waiting()).toMatchObject([{ payment_id }])
    expect(await send()).toBe(1)
    expect(mail.letters).toHaveLength(1)
  })

  test('has one when it was captured at the acquirer', async () => {
    const { payment_id } = await hold(service.account)
    const [row] = await service.sql<{ reference: string }[]>`
      select operation_id as reference from acquirer_operations where payment_id = ${payment_id}`
    await service.context.acquirerOf('test', null).capture({
      reference: service.context.ids.operation(clock.now()),
      authorisation: nameOf(row!.reference),
      amount: 4200,
      currency: 'GBP',
    })
    expect((await service.client.decideHold('capture', payment_id)).status).toBe(200)
    expect(await waiting()).toMatchObject([{ payment_id }])
  })

  test('has none when it is voided', async () => {
    const { payment_id } = await hold(service.account)
    expect((await service.client.decideHold('void', payment_id)).status).toBe(200)
    expect(await waiting()).toEqual([])
  })
})

describe('nothing is queued', () => {
  test('where no process sends', async () => {
    await service.sql`delete from receipt_senders`
    expect((await pay()).status).toBe('captured')
    expect(await send(null)).toBe(0)
    expect(await waiting()).toEqual([])
  })

  test('of a mode that no process sends', async () => {
    await service.sql`delete from receipt_senders`
    await send(postTo(openMailer(mail.address, realClock, limits), ['live']))
    await pay()
    expect(await waiting()).toEqual([])
  })

  test('a day after the last sender said a word, and before that it is', async () => {
    await clock.advance(receipt_life_ms - minute_ms)
    await pay()
    expect(await waiting()).toHaveLength(1)
    await clock.advance(minute_ms)
    await pay()
    expect(await waiting()).toHaveLength(1)
  })
})

test('a process that sends only live ones leaves those of tests to others', async () => {
  const { payment_id } = await pay()
  await send(postTo(openMailer(mail.address, realClock, limits), ['live']))
  expect(mail.letters).toEqual([])
  expect(await waiting()).toMatchObject([{ payment_id, tries: 0 }])
})

describe('a server that cannot be reached', () => {
  test('costs no payment, is left alone longer and longer, and no receipt is lost', async () => {
    const { port } = mail.address
    await mail.close()
    const { status, payment_id } = await pay()
    expect(status).toBe('captured')
    const opened: number[] = []
    const mailer: Mailer = {
      open() {
        opened.push(clock.now().getTime())
        return openMailer({ ...mail.address, port }, realClock, limits).open()
      },
    }
    post = postTo(mailer)
    for (let seconds = 0; seconds < 600; seconds += 5) {
      await send()
      await clock.advance(5_000)
    }
    const waits = opened.slice(1).map((at, index) => (at - opened[index]!) / 1000)
    expect(waits.length).toBeLessThan(8)
    expect(waits).toEqual([...waits].sort((a, b) => a - b))
    // Not one of its tries is spent on that.
    expect(await waiting()).toEqual([{ payment_id, tries: 0, claimed_at: null }])
    mail = await openMailServer({}, port)
    await clock.advance(10 * minute_ms)
    expect(await send()).toBe(1)
    expect(mail.letters).toHaveLength(1)
  })

  test.each<[string, Parameters<typeof openMailServer>[0], object]>([
    ['a server without STARTTLS where it is demanded', {}, { tls: 'starttls' }],
    ['a certificate that nobody vouches for', { tls: 'at_once' }, {}],
    [
      'a login that is refused',
      { allowInsecureAuth: true, onAuth: (_auth, _session, done) => done(new Error('no')) },
      { login: { user: 'shop', password: 'hush' } },
    ],
  ])('%s: the receipt waits', async (_name, options, address) => {
    const strict = await openMailServer(options)
    const { payment_id } = await pay()
    await send(postTo(openMailer({ ...strict.address, ...address }, realClock, limits)))
    expect(strict.letters).toEqual([])
    expect(await waiting()).toEqual([{ payment_id, tries: 0, claimed_at: null }])
    expect(JSON.stringify(service.log)).not.toContain('hush')
    await strict.close()
  })
})

test.each<[string, Trouble]>([
  ['refused for now', { at: 'rcpt', code: 451 }],
  ['its sender refused', { at: 'mail', code: 550 }],
  ['cut off before it is whole', 'cut_before'],
])('a letter that is %s is sent later, once', async (_name, trouble) => {
  mail.meet(trouble)
  const { payment_id } = await pay()
  expect(await send()).toBe(0)
  expect(await waiting()).toEqual([{ payment_id, tries: 1, claimed_at: null }])
  expect(await send()).toBe(0)
  expect(mail.letters).toEqual([])
  await clock.advance(2 * minute_ms)
  expect(await send()).toBe(1)
  expect(mail.letters).toHaveLength(1)
})

test.each<[string, Trouble, string, object]>([
  ['refused for good', { at: 'rcpt', code: 550 }, 'receipt.given_up', { reason: 'refused', code: 550 }],
  ['refused when it is whole', { at: 'data', code: 554 }, 'receipt.given_up', { reason: 'refused', code: 554 }],
  ['cut off when it is whole', 'cut_after', 'receipt.unknown', { reason: 'no_answer' }],
])('a letter that is %s is never sent again', async (_name, trouble, change, detail) => {
  mail.meet(trouble)
  const { payment_id } = await pay()
  expect(await send()).toBe(0)
  await clock.advance(receipt_life_ms / 2)
  expect(await send()).toBe(0)
  expect(mail.letters).toEqual([])
  expect(await waiting()).toEqual([])
  expect(await told(payment_id)).toMatchObject([{ change, detail }])
  expect(JSON.stringify(service.log)).not.toContain('ada@example.com')
})

test.each<[Trouble, string[], number]>([
  ['silent_before', [], 1],
  ['silent_after', ['receipt.unknown'], 0],
])('a server that hangs is left after a while: %s', async (trouble, changes, left) => {
  mail.meet(trouble)
  const { payment_id } = await pay()
  const met = mail.met()
  const sending = send(postTo(openMailer(mail.address, clock, limits)))
  await met
  await clock.advance(limits.whole_ms)
  expect(await sending).toBe(0)
  expect((await told(payment_id)).map(({ change }) => change)).toEqual(changes)
  expect(await waiting()).toHaveLength(left)
  await clock.advance(2 * minute_ms)
  expect(await send()).toBe(left)
  expect(mail.letters).toHaveLength(left)
})

test('one that was refused does not keep the next from being sent', async () => {
  mail.meet({ at: 'rcpt', code: 550 }, { at: 'data', code: 451 })
  for (let count = 0; count < 4; count++) await pay()
  await send()
  expect(mail.letters).toHaveLength(2)
  expect(await waiting()).toHaveLength(1)
})

test('an address that cannot be written to is given up', async () => {
  const { payment_id } = await pay(service.account, { customer: { email: 'a,b@example.com' } })
  await send()
  expect(await waiting()).toEqual([])
  expect(await told(payment_id)).toMatchObject([{ change: 'receipt.given_up', detail: { reason: 'unwritable' } }])
})

test('a process that dies between the server’s answer and the note leaves a receipt that is not sent again', async () => {
  const { payment_id, session } = await pay()
  const { merchant_id } = service.account
  const now = clock.now()
  // All that such a process leaves behind.
  const lease_until = new Date(now.getTime() + 5 * minute_ms)
  await claimReceipt(service.sql, { merchant_id, payment_id }, { now, lease_until })
  await send()
  expect(await waiting()).toMatchObject([{ payment_id, claimed_at: now }])
  await clock.advance(5 * minute_ms)
  expect(await send()).toBe(1)
  expect(mail.letters).toEqual([])
  expect(await waiting()).toEqual([])
  expect(await told(payment_id)).toEqual([
    { change: 'receipt.unknown', detail: { reason: 'no_note' }, actor: 'service', session_id: session.id },
  ])
})

test('a note that the database does not take leaves it so, too', async () => {
  const { payment_id } = await pay()
  let is_gone = false
  const mailer = openMailer(mail.address, realClock, limits)
  const watched: Mailer = {
    async open() {
      const line = await mailer.open()
      const send: typeof line.send = async (message) => {
        await line.send(message)
        is_gone = true
      }
      return { ...line, send }
    },
  }
  const sql = new Proxy(service.sql, {
    apply(target, self, args) {
      if (is_gone) throw new Error('the database is gone')
      return Reflect.apply(target, self, args)
    },
  })
  const context = { ...service.context, metrics: openMetrics(), sql, post: postTo(watched) }
  await expect(sendReceipts(context)).rejects.toThrow('the database is gone')
  expect(mail.letters).toHaveLength(1)
  await clock.advance(5 * minute_ms)
  await send()
  expect(mail.letters).toHaveLength(1)
  expect(await told(payment_id)).toMatchObject([{ change: 'receipt.unknown' }])
})

test('a receipt is given up after a day, by any process, a sender or not', async () => {
  const { payment_id } = await pay()
  await clock.advance(receipt_life_ms - 1)
  expect(await send(null)).toBe(0)
  await clock.advance(1)
  expect(await send(null)).toBe(1)
  expect(await told(payment_id)).toMatchObject([{ change: 'receipt.given_up', detail: { reason: 'too_old' } }])
  await send()
  expect(mail.letters).toEqual([])
})

describe('several at once', () => {
  async function payMany(count: number): Promise<string[]> {
    const paid = await Promise.all(Array.from({ length: count }, () => pay()))
    return paid.map(({ payment_id }) => payment_id).sort()
  }
  const sentFor = () => mail.letters.map((letter) => /receipt\.(pay_\w+)@/.exec(letter.raw)![1]!).sort()

  test('two workers send each receipt once', async () => {
    const paid = await payMany(24)
    const other = postTo(openMailer(mail.address, realClock, limits))
    const counts = await Promise.all([send(), send(other), send(), send(other)])
    expect(sentFor()).toEqual(paid)
    expect(counts.reduce((sum, count) => sum + count)).toBe(24)
    expect(await waiting()).toEqual([])
  })

  test('one worker uses two connections, for many letters each', async () => {
    await payMany(12)
    await send()
    expect(mail.letters).toHaveLength(12)
    expect(mail.connections.length).toBeLessThanOrEqual(2)
    expect(mail.most_open).toBeLessThanOrEqual(2)
  })

  test('a server that refuses all for now is asked a few times a run, not for each', async () => {
    mail.meet(...Array.from({ length: 50 }, (): Trouble => ({ at: 'mail', code: 451 })))
    await payMany(24)
    await send()
    expect(mail.connections.length).toBeLessThanOrEqual(10)
    expect(await waiting()).toHaveLength(24)
  })

  test('a process that is to stop begins no other one', async () => {
    await payMany(6)
    const stopping = new AbortController()
    const mailer = openMailer(mail.address, realClock, limits)
    const stopsAfterFirst: Mailer = {
      async open() {
        const line = await mailer.open()
        return {
          ...line,
          async send(message) {
            stopping.abort()
            await line.send(message)
          },
        }
      },
    }
    await send(postTo(stopsAfterFirst), stopping.signal)
    expect(mail.letters.length).toBeGreaterThan(0)
    expect(mail.letters.length).toBeLessThanOrEqual(2)
    expect((await waiting()).every(({ claimed_at }) => claimed_at === null)).toBe(true)
  })

  test('a run ends in time: what is left is sent in the next', async () => {
    await payMany(6)
    const mailer = openMailer(mail.address, realClock, limits)
    const slow: Mailer = {
      async open() {
        const line = await mailer.open()
        return {
          ...line,
          async send(message) {
            await line.send(message)
            await clock.advance(20_000)
          },
        }
      },
    }
    await send(postTo(slow))
    expect(mail.letters.length).toBeLessThan(6)
    await send()
    expect(mail.letters).toHaveLength(6)
  })
})

test('metrics', async () => {
  const metrics = openMetrics()
  const run = () => sendReceipts({ ...service.context, metrics, post })
  mail.meet({ at: 'rcpt', code: 550 }, 'cut_after', { at: 'mail', code: 451 })
  for (let each = 0; each < 3; each++) {
    await pay()
    await run()
  }
  await clock.advance(30_000)
  await run()
  const shown = await metrics.text()
  expect(shown).toContain('ripper_receipts_total{result="given_up"} 1')
  expect(shown).toContain('ripper_receipts_total{result="unknown"} 1')
  expect(shown).toContain('ripper_receipts_waiting 1')
  expect(shown).toContain('ripper_receipts_oldest_seconds 30')
  await clock.advance(2 * minute_ms)
  await run()
  expect(await metrics.text()).toMatch(/result="sent"} 1\n[\s\S]*ripper_receipts_waiting 0/)
})
