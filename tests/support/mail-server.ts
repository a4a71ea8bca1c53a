// A real mail server on loopback, which can be made to fail at each step of a letter.

import { readFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { SmtpAddress } from '../../src/config/mail-address.ts'

export type Letter = { from: string; to: string[]; raw: string; user: string | null; tls: boolean }

/**
 * What becomes of a letter. `cut_before` and `cut_after` end the connection before the letter is asked for and once it is whole;
 * `silent_before` and `silent_after` say nothing from there on.
 */
export type Trouble =
  | { at: 'mail' | 'rcpt' | 'data'; code: number }
  | 'cut_before'
  | 'cut_after'
  | 'silent_before'
  | 'silent_after'

export type MailServer = {
  address: SmtpAddress
  /** Those that it has taken. */
  letters: Letter[]
  /** Of each connection, by its number from 0. */
  connections: Socket[]
  /** The most that were open at once. */
  most_open: number
  /** The next letters meet these, one after the other; those after them meet none. */
  meet(...troubles: Trouble[]): void
  /** Resolves when a letter has met the trouble it was to meet. */
  met(): Promise<void>
  close(): Promise<void>
}

const file = (name: string) => readFileSync(new URL(`fixtures/receiver/${name}.pem`, import.meta.url), 'utf8')

export const mailRoot = file('root')

const answer = (code: number) => Object.assign(new Error('as the test says'), { responseCode: code })

export async function openMailServer(
  { tls = 'none', ...options }: SMTPServerOptions & { tls?: SmtpAddress['tls'] } = {},
  port = 0,
): Promise<MailServer> {
  const letters: Letter[] = []
  const connections: Socket[] = []
  const troubles: Trouble[] = []
  const watching = new Set<() => void>()
  let open = 0
  let most_open = 0

  const next = (...steps: ('mail' | 'rcpt' | 'data' | 'cut' | 'silent' | 'after')[]) => {
    const [first] = troubles
    if (first === undefined) return null
    const step = typeof first === 'object' ? first.at : first.endsWith('after') ? 'after' : 'mail'
    if (!steps.includes(step)) return null
    troubles.shift()
    for (const each of watching) each()
    return first
  }
  const cut = () => {
    for (const each of connections) each.destroy()
  }
  /** True where it was dealt with. */
  const trouble = (met: Trouble | null, refuse: (error: Error) => void): boolean => {
    if (met === null) return false
    if (typeof met === 'object') refuse(answer(met.code))
    else if (met.startsWith('cut')) cut()
    return true
  }

  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    closeTimeout: 100,
    secure: tls === 'at_once',
    hideSTARTTLS: tls === 'none',
    cert: file('certificate'),
    key: file('key'),
    disableReverseLookup: true,
    onMailFrom(_address, _session, done) {
      if (!trouble(next('mail'), done)) done()
    },
    onRcptTo(_address, _session, done) {
      if (!trouble(next('rcpt'), done)) done()
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (trouble(next('data', 'after'), done)) return
        const { mailFrom, rcptTo } = session.envelope
        letters.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map((each) => each.address),
          raw: Buffer.concat(chunks).toString(),
          user: typeof session.user === 'string' ? session.user : null,
          tls: session.secure,
        })
        done()
      })
    },
    ...options,
  })
  // A client that leaves in the middle of TLS is what some tests want.
  server.on('error', () => {})
  server.server.on('connection', (socket: Socket) => {
    connections.push(socket)
    open += 1
    most_open = Math.max(most_open, open)
    socket.once('close', () => {
      open -= 1
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  const address = {
    host: '127.0.0.1',
    port: (server.server.address() as AddressInfo).port,
    tls,
    login: null,
  }
  return {
    address,
    letters,
    connections,
    get most_open() {
      return most_open
    },
    meet(...met) {
      troubles.splice(0, troubles.length, ...met)
    },
    met: () =>
      new Promise((resolve) => {
        const look = () => {
          watching.delete(look)
          resolve()
        }
        watching.add(look)
      }),
    async close() {
      cut()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** The parts of a letter as a reader sees them. */
export function readLetter({ raw }: Letter) {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  const boundary = /boundary="([^"]+)"/.exec(head)?.[1]
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [partHead = '', ...partRest] = part.trimStart().split('\r\n\r\n')
      return { head: partHead, text: decode(partHead, partRest.join('\r\n\r\n')) }
    })
  const part = (type: string) => parts.find((each) => each.head.includes(type))?.text ?? ''
  return { head, parts: parts.length, text: part('text/plain'), html: part('text/html') }
}

function decode(head: string, body: string): string {
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString()
  if (!/quoted-printable/i.test(head)) return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
