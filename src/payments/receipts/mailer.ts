// The mailer of receipts: a mail server, the modes it serves, and the pause after the server could not be reached.

import type { Mode } from '../../kernel/values.ts'
import type { Mailer } from '../../outgoing/mail/mailer.ts'
import { nextTryAt } from '../backoff.ts'

export type ReceiptMailer = {
  mailer: Mailer
  /** The address that receipts come from. */
  from: string
  modes: readonly Mode[]
  isResting(now: Date): boolean
  reached(): void
  /** `chance` is from 0 up to 1. */
  missed(moment: { now: Date; chance: number }): void
}

const waits_seconds = [5, 15, 60, 120, 300]

/** Each process finds out on its own whether the server can be reached. */
export function openReceiptMailer(what: Pick<ReceiptMailer, 'mailer' | 'from' | 'modes'>): ReceiptMailer {
  let failures = 0
  let resting_until: Date | null = null
  return {
    ...what,
    isResting: (now) => resting_until !== null && now < resting_until,
    reached() {
      failures = 0
      resting_until = null
    },
    missed({ now, chance }) {
      failures += 1
      resting_until = nextTryAt(waits_seconds, { tries: failures, now, chance })
    },
  }
}

/** The modes whose payments get a receipt; none without a mail server. */
export function receiptModes(mail: { test_mode: boolean } | null): Mode[] {
  if (mail === null) return []
  return mail.test_mode ? ['test', 'live'] : ['live']
}
