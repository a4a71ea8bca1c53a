// What the mailer says of a letter, whatever the server does: taken, not taken, never to be taken, or unknown.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { SmtpAddress } from '../../src/config/mail-address.ts'
import { MailFailure, type MailMessage } from '../../src/outgoing/mail/mailer.ts'
import { type MailLimits, openMailer } from '../../src/outgoing/mail/smtp.ts'
import { manualClock } from '../support/clock.ts'
import { type MailServer, mailRoot, openMailServer, readLetter, type Trouble } from '../support/mail-server.ts'
import { realClock } from '../support/world.ts'

/** Longer than any machine needs. */
const limits: MailLimits = { connect_ms: 60_000, silence_ms: 60_000, whole_ms: 60_000 }
const message: MailMessage = {
  from: { name: 'Tea & Sons', address: 'receipts@shop.example' },
  to: 'ada@example.com',
  subject: 'Receipt from Tea & Sons',
  text: 'Thank you.\n.\n.. dots\n',
  html: '<p>Thank you.</p>\n',
  language: 'en',
  message_id: 'receipt.pay_1@shop.example',
  date: new Date('2026-09-01T12:00:00Z'),
}

let server: MailServer
beforeEach(async () => {
  server = await openMailServer()
})
afterEach(() => server.close())

async function send(address: SmtpAddress = server.address, asked: Partial<MailMessage> = {}, within = limits) {
  const line = await openMailer(address, realClock, within).open()
  try {
    await line.send({ ...message, ...asked })
    return 'taken'
  } finally {
    line.close()
  }
}

const verdict = (sending: Promise<unknown>) =>
  sending.then(
    () => 'taken',
    (error: unknown) => {
      expect(error).toBeInstanceOf(MailFailure)
      return (error as MailFailure).verdict
    },
  )

test('a letter arrives whole, with a plain and an HTML part', async () => {
  await send()
  const [letter] = server.letters
  expect(letter).toMatchObject({ from: 'receipts@shop.example', to: ['ada@example.com'] })
  const { head, text, html, parts } = readLetter(letter!)
  expect(parts).toBe(2)
  expect(text).toContain('Thank you.\r\n.\r\n.. dots')
  expect(html).toContain('<p>Thank you.</p>')
  expect(head).toContain('Message-ID: <receipt.pay_1@shop.example>')
  expect(head).toContain('Date: Tue, 01 Sep 2026 12:00:00 +0000')
  expect(head).toContain('Content-Language: en')
  expect(head).toContain('Auto-Submitted: auto-generated')
})

test('several letters go over one line', async () => {
  const line = await openMailer(server.address, realClock, limits).open()
  for (const to of ['a@example.com', 'b@example.com', 'c@example.com']) {
    await line.send({ ...message, to })
  }
  line.close()
  expect(server.letters.map(({ to }) => to[0])).toEqual(['a@example.com', 'b@example.com', 'c@example.com'])
  expect(server.connections).toHaveLength(1)
})

test.each<[string, Trouble, string]>([
  ['a sender refused for now', { at: 'mail', code: 451 }, 'not_taken'],
  ['a sender refused for good: the setting may be put right', { at: 'mail', code: 550 }, 'not_taken'],
  ['a recipient refused for now', { at: 'rcpt', code: 450 }, 'not_taken'],
  ['a recipient refused for good', { at: 'rcpt', code: 550 }, 'refused'],
  ['a letter refused for now', { at: 'data', code: 451 }, 'not_taken'],
  ['a letter refused for good', { at: 'data', code: 554 }, 'refused'],
  ['a server that leaves before the letter', 'cut_before', 'not_taken'],
  ['a server that leaves when it has it', 'cut_after', 'unknown'],
])('%s', async (_name, trouble, expected) => {
  server.meet(trouble)
  expect(await verdict(send())).toBe(expected)
  expect(server.letters).toEqual([])
})

test('a server that falls silent before the letter', async () => {
  server.meet('silent_before')
  const short = { ...limits, silence_ms: 200 }
  expect(await verdict(send(server.address, {}, short))).toBe('not_taken')
})

test('a server that falls silent when it has it', async () => {
  server.meet('silent_after')
  const clock = manualClock()
  const line = await openMailer(server.address, clock, limits).open()
  const met = server.met()
  const sending = verdict(line.send(message))
  await met
  await clock.advance(limits.whole_ms)
  expect(await sending).toBe('unknown')
})

describe('a server that', () => {
  const sockets: Socket[] = []
  /** Answers each line as told, or not at all. */
  async function listen(greet: (socket: Socket) => void): Promise<SmtpAddress & { close(): void }> {
    const raw = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => {})
      greet(socket)
    })
    await new Promise<void>((resolve) => raw.listen(0, '127.0.0.1', resolve))
    const { port } = raw.address() as AddressInfo
    return { host: '127.0.0.1', port, tls: 'none', login: null, close: () => raw.close() }
  }
  afterEach(() => {
    for (const each of sockets.splice(0)) each.destroy()
  })

  test('is not there', async () => {
    const gone = await listen(() => {})
    gone.close()
    expect(await verdict(send(gone))).toBe('not_taken')
  })

  test('takes the connection and says nothing', async () => {
    const silent = await listen(() => {})
    const short = { ...limits, connect_ms: 200, silence_ms: 200 }
    expect(await verdict(send(silent, {}, short))).toBe('not_taken')
    silent.close()
  })

  test('never comes to the end of what it says', async () => {
    // Each sign of life starts the silence anew; only the whole time ends it.
    const chatty = await listen((socket) => {
      socket.write('220 hello\r\n')
      socket.on('data', () => {
        const more = () => !socket.destroyed && socket.write('250-more\r\n', () => setImmediate(more))
        more()
      })
    })
    const short = { ...limits, connect_ms: 10_000, whole_ms: 300 }
    expect(await verdict(send(chatty, {}, short))).toBe('not_taken')
    chatty.close()
  })

  test('is not one for mail', async () => {
    const web = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    expect(await verdict(send(web))).toBe('not_taken')
    web.close()
  })
})

describe('TLS', () => {
  const trusted = getCACertificates('default')
  afterEach(() => setDefaultCACertificates(trusted))

  test('is demanded: a server without STARTTLS gets neither login nor letter', async () => {
    const login = { user: 'shop', password: 'hush' }
    expect(await verdict(send({ ...server.address, tls: 'starttls', login }))).toBe('not_taken')
    expect(server.letters).toEqual([])
  })

  test.each(['starttls', 'at_once'] as const)(
    '%s: a certificate that nobody vouches for is refused, a trusted one is not',
    async (tls) => {
      const users: string[] = []
      const secure = await openMailServer({
        tls,
        onAuth({ username, password }, _session, done) {
          users.push(`${username} ${password}`)
          done(null, { user: username })
        },
      })
      const address = { ...secure.address, login: { user: 'sh@p', password: 'h:ush' } }
      expect(await verdict(send(address))).toBe('not_taken')
      expect([secure.letters, users]).toEqual([[], []])
      setDefaultCACertificates([...trusted, mailRoot])
      expect(await verdict(send(address))).toBe('taken')
      expect(secure.letters).toMatchObject([{ tls: true, user: 'sh@p' }])
      expect(users).toEqual(['sh@p h:ush'])
      await secure.close()
    },
  )

  test('a login that is refused is no word about the letter', async () => {
    setDefaultCACertificates([...trusted, mailRoot])
    const secure = await openMailServer({
      tls: 'starttls',
      onAuth: (_auth, _session, done) => done(new Error('no')),
    })
    const address = { ...secure.address, login: { user: 'shop', password: 'hush' } }
    const failure = await send(address).catch((error: MailFailure) => error)
    expect(failure).toMatchObject({ verdict: 'not_taken', code: 535 })
    expect((failure as MailFailure).message).not.toContain('hush')
    await secure.close()
  })
})

test.each([
  ['a name with a line break', { from: { name: 'A\r\nBcc: eve@example.com', address: message.from.address } }],
  ['a subject with a line break', { subject: 'A\r\nBcc: eve@example.com\r\n\r\nbody' }],
])('%s adds no header', async (_name, asked) => {
  await send(server.address, asked)
  expect(server.letters).toMatchObject([{ to: ['ada@example.com'] }])
  expect(readLetter(server.letters[0]!).head).not.toMatch(/^Bcc/im)
})

test.each([
  'ada@example.com\r\nRCPT TO:<eve@example.com>',
  'ada@example.com, eve@example.com',
  'ada@example.com>',
  '<ada@example.com',
  'no address',
  '',
])('%j never reaches more than one recipient, and no other than it says', async (to) => {
  const result = await verdict(send(server.address, { to }))
  const reached = server.letters.flatMap((letter) => letter.to)
  expect(reached).not.toContain('eve@example.com')
  if (result === 'taken') expect(reached).toHaveLength(1)
  else expect(result).toBe('refused')
})

test('what a server repeats of an address stays out of the failure', async () => {
  const repeats = await openMailServer({
    onRcptTo: ({ address }, _session, done) =>
      done(Object.assign(new Error(`<${address}> is unknown`), { responseCode: 550 })),
  })
  const failure = await send(repeats.address).catch((error: MailFailure) => error)
  expect(failure).toMatchObject({ verdict: 'refused', code: 550 })
  expect((failure as MailFailure).message).not.toContain('ada')
  await repeats.close()
})
