// Tries the mail server: connection, TLS and login, and nothing else.

import type { MailConfig } from '../../config/config.ts'
import { openMailer } from '../../outgoing/mail/smtp.ts'
import { realClock } from '../../outgoing/real-world.ts'
import type { MailFacts } from './mail.ts'

/** For the connection, and again for the login. */
const limit_ms = 1_200

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
