// The mailer over SMTP. nodemailer provides only the connection, because the result of each message must be known step
// by step.

import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SmtpAddress } from '../../config/mail-address.ts'
import type { Clock } from '../../kernel/world.ts'
import { type Mailer, MailFailure, type MailLine, type MailMessage } from './mailer.ts'

export type MailLimits = {
  /** From the look-up of its name to the end of STARTTLS. */
  connect_ms: number
  /** The longest silence on the connection. */
  silence_ms: number
  /** For connecting, for the login, and for one message. */
  whole_ms: number
}

export const mailLimits: MailLimits = { connect_ms: 10_000, silence_ms: 15_000, whole_ms: 30_000 }

export function openMailer(server: SmtpAddress, clock: Pick<Clock, 'sleep'>, limits = mailLimits): Mailer {
  return {
    async open() {
      const connection = new SMTPConnection({
        host: server.host,
        port: server.port,
        secure: server.tls === 'at_once',
        requireTLS: server.tls === 'starttls',
        ignoreTLS: server.tls === 'none',
        connectionTimeout: limits.connect_ms,
        dnsTimeout: limits.connect_ms,
        greetingTimeout: limits.connect_ms,
        socketTimeout: limits.silence_ms,
        // The end does not wait for a server that keeps its side open.
        socketCloseTimeout: 1_000,
        maxResponseSize: 64 * 1024,
      })
      const call = callOn(connection, clock, limits.whole_ms)
      try {
        await call((done) => connection.connect(done))
        const { login } = server
        if (login !== null) {
          const credentials = { user: login.user, pass: login.password }
          await call((done) => connection.login(credentials, done))
        }
      } catch (error) {
        throw failureOf(error, false)
      }
      return lineOver(connection, call)
    },
  }
}

type Call = (act: (done: (error?: Error | null) => void) => void) => Promise<void>

/**
 * Waits for one act on the connection within a limit. A failure ends the connection, because a late answer could belong
 * to any question.
 */
function callOn(connection: SMTPConnection, clock: Pick<Clock, 'sleep'>, limit_ms: number): Call {
  // Nobody waits for this error, which comes for example when an idle server closes: the next act finds the connection
  // closed.
  connection.on('error', () => {})
  return async (act) => {
    const over = new AbortController()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    connection.once('error', reject)
    clock.sleep(limit_ms, over.signal).then(
      () => reject(new Error('it took too long')),
      () => {},
    )
    try {
      act((error) => (error ? reject(error) : resolve()))
      await promise
    } catch (error) {
      connection.close()
      throw error
    } finally {
      connection.removeListener('error', reject)
      over.abort()
    }
  }
}

function lineOver(connection: SMTPConnection, call: Call): MailLine {
  return {
    async send(message) {
      const { envelope, bytes } = await written(message)
      const source = Readable.from([bytes], { objectMode: false })
      // nodemailer reads it once the server asks for it, then sends the dot that hands the message over.
      let is_handed_over = false
      source.once('end', () => {
        is_handed_over = true
      })
      try {
        await call((done) => connection.send({ ...envelope, size: bytes.length }, source, done))
      } catch (error) {
        throw failureOf(error, is_handed_over)
      } finally {
        source.destroy()
      }
    },
    close: () => connection.quit(),
  }
}

async function written(message: MailMessage) {
  const { from, to, subject, text, html, language, message_id, date } = message
  try {
    const node = new MailComposer({
      from,
      to: { name: '', address: to },
      subject,
      text,
      html,
      date,
      messageId: `<${message_id}>`,
      headers: {
        'Content-Language': language,
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'All',
      },
      disableFileAccess: true,
      disableUrlAccess: true,
    }).compile()
    const { from: sender, to: recipients } = node.getEnvelope()
    if (!sender || recipients.length !== 1) throw new Error('it is not for one address')
    return { envelope: { from: sender, to: recipients }, bytes: await node.build() }
  } catch (error) {
    throw new MailFailure('refused', (error as Error).message)
  }
}

type SmtpError = Error & { code?: string; command?: string; responseCode?: number }

/** Only a refusal of this very message is final: a login or a sender can be corrected. */
function failureOf(error: unknown, is_handed_over: boolean): MailFailure {
  const { message, code, command, responseCode = null } = error as SmtpError
  const words = serverWords(message)
  if (responseCode !== null) {
    const is_final = responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA')
    return new MailFailure(is_final ? 'refused' : 'not_taken', words, responseCode)
  }
  if (is_handed_over) return new MailFailure('unknown', words)
  // The address cannot be written or needs what the server lacks, or the message is larger than the server accepts.
  const is_final = code === 'EENVELOPE' || (code === 'EMESSAGE' && command === 'MAIL FROM')
  return new MailFailure(is_final ? 'refused' : 'not_taken', words)
}

/** For the log. Servers repeat the address that they refuse, and may write far more than anybody reads. */
export function serverWords(message: string): string {
  return message
    .slice(0, 1000)
    .replace(/[^\s<>]+@[^\s<>]+/g, '…@…')
    .replace(/[^\x20-\x7e…]+/g, ' ')
    .slice(0, 200)
}
