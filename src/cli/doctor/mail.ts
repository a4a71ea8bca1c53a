// Checks the mail server for receipts.

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
