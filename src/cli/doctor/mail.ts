// The check of the mail server that receipts go to.

import { type Check, ok, warning } from './finding.ts'

/** `server`: its host and port; null where none is set. `fault`: why no letter could be handed over now, or null. */
export type MailFacts = { server: string | null; fault: string | null; test_mode: boolean }

export const mailChecks: Check<MailFacts>[] = [
  {
    name: 'Mail server',
    judge({ server, fault, test_mode }) {
      if (server === null) return ok('none is set, so no receipts are sent')
      if (fault === null)
        return ok(`${server}; test payments ${test_mode ? 'have' : 'have no'} receipts`)
      return warning(
        `${server} cannot be used: ${fault}`,
        'Put RIPPER_SMTP_URL or the server right. Receipts wait for a day; payments go on.',
      )
    },
  },
]
