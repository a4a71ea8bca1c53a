// The journal's lines about people. Those that concern no merchant stand under the installation's id.

import { type Actor, installation_id, type JournalLine, journalLine } from '../audit/journal.ts'
import type { Ids } from '../kernel/ids.ts'

/** Who acts, by which request, and from where; `by` is the user name at the command line. */
export type Author = {
  actor: Actor
  request_id: string | null
  address?: string
  by?: string
}

export type PersonChange = {
  /** Left out if the line concerns the person alone. */
  merchant_id?: string
  subject: string
  change: string
  detail?: object
  at: Date
}

export function personLine(
  { ids }: { ids: Pick<Ids, 'journalEntry'> },
  { actor, request_id, address, by }: Author,
  { merchant_id = installation_id, subject, change, detail = {}, at }: PersonChange,
): JournalLine {
  const from = { ...(address !== undefined && { address }), ...(by !== undefined && { by }) }
  return journalLine(ids, {
    merchant_id,
    session_id: null,
    subject,
    change,
    actor,
    request_id,
    at,
    detail: { ...detail, ...from },
  })
}
