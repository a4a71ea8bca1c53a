// The port to a mail server: lines to it, over which messages are handed over one after the other.

export type Message = {
  from: { name: string; address: string }
  to: string
  subject: string
  text: string
  html: string
  /** A language tag. */
  language: string
  /** Without its angle brackets. The same for a message that is handed over again. */
  message_id: string
  date: Date
}

export type MailLine = {
  /** Ends when the server has taken the message. Throws a MailFailure. */
  send(message: Message): Promise<void>
  close(): void
}

export type Mailer = {
  /** A line that is connected, encrypted where it must be, and logged in. Throws a MailFailure. */
  open(): Promise<MailLine>
}

/**
 * What a failure says of the message. `not_taken`: another time it may be. `refused`: the server will never take it.
 * `unknown`: it was handed over whole, and no answer came.
 */
export type Verdict = 'not_taken' | 'refused' | 'unknown'

export class MailFailure extends Error {
  readonly verdict: Verdict
  /** Of the server's answer, such as 451; null where there was none. */
  readonly code: number | null

  constructor(verdict: Verdict, message: string, code: number | null = null) {
    super(message)
    this.verdict = verdict
    this.code = code
  }
}
