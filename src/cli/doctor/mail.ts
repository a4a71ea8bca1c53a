// Checks the mail server for receipts.

import type { MailConfig } from '../../config/config.ts'
import { openMailer } from '../../outgoing/mail/smtp.ts'
import { realClock } from '../../outgoing/real-world.ts'
import { type Check, ok, warning } from './finding.ts'

/** `server` is its host and port; null if none is set. `fault` is the reason why it would take no mail now, or null. */
export type MailFacts = { server: string | null; fault: string | null; test_mode: boolean }

export const mailChecks: Check<MailFacts>[] = [
  {
    name: 'Mail server',
    judge({ server, fault, test_mode }) {
      if (server === null) return ok('none is set, so no receipts are sent')
      if (fault === null) return ok(`${server}; test payments ${test_mode ? 'have' : 'have no'} receipts`)
      return warning(
        `${server} cannot be used: ${fault}`,
        'Correct RIPPER_SMTP_URL, or the server. Receipts wait for a day; payments go on.',
      )
    },
  },
]

/** For the connection, and again for the login. */
const limit_ms = 1_200

/** Tries the mail server: connection, TLS and login, and nothing else. */
export async function readMail(mail: MailConfig | null): Promise<MailFacts> {
  if (mail === null) return { server: null, fault: null, test_mode: false }
  const { smtp, test_mode } = mail
  const limits = { connect_ms: limit_ms, silence_ms: limit_ms, whole_ms: limit_ms }
  const mailer = openMailer(smtp, realClock(), limits)
  const fault = await mailer.open().then(
    (line) => {
      line.close()
      return null
    },
    (error: Error) => error.message,
  )
  return { server: `${smtp.host}:${smtp.port}`, fault, test_mode }
}
