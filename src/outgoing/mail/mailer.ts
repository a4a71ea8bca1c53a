// The port to a mail server: connections over which messages are handed over one after the other.

export type MailMessage = {
  from: { name: string; address: string }
  to: string
  subject: string
  text: string
  html: string
  /** A language tag. */
  language: string
  /** Without its angle brackets. A message that is handed over again keeps it. */
  message_id: string
  date: Date
}

export type MailLine = {
  /** Resolves when the server has accepted the message. Throws a MailFailure. */
  send(message: MailMessage): Promise<void>
  close(): void
}

export type Mailer = {
  /** A connection that is encrypted where it must be, and logged in. Throws a MailFailure. */
  open(): Promise<MailLine>
}

/**
 * What a failure says about the message. `not_taken`: it may be accepted another time. `refused`: the server will never
 * accept it. `unknown`: the whole message was sent, and no answer came.
 */
export type MailVerdict = 'not_taken' | 'refused' | 'unknown'

export class MailFailure extends Error {
  readonly verdict: MailVerdict
  /** The code of the server's answer, such as 451; null without an answer. */
  readonly code: number | null

  constructor(verdict: MailVerdict, message: string, code: number | null = null) {
    super(message)
    this.verdict = verdict
    this.code = code
  }
}
