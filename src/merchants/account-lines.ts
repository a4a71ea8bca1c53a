// The journal's lines about accounts, integrations and keys. They record states and settings, not names.

import type { JournalLine, OpenLine } from '../audit/journal.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Integration } from './integration.ts'
import type { IntegrationLines } from './store.ts'
import { type Holder, type Writer, writerBy } from './write-as.ts'

type AccountChange = { change: string; detail?: object; at: Date }

/** The writer of lines. `by` is the name of the person at the command line. */
export type LineWriter = Writer & { ids: Pick<Ids, 'journalEntry'>; by?: string }

/** The writer of lines about what the holder of a key, or a person at the dashboard, does by a request. */
export function writerOf(
  { ids }: Pick<LineWriter, 'ids'>,
  { holder, request_id }: { holder: Holder; request_id: string },
): LineWriter {
  return { ...writerBy(holder, request_id), ids }
}

/** A line about something that belongs to no session; `subject` is the thing that changed. */
export function accountLine(
  writer: LineWriter,
  fields: AccountChange & { merchant_id: string; subject: string },
): JournalLine {
  const { merchant_id, subject } = fields
  return { ...openLine(writer, fields), merchant_id, subject }
}

/** A line whose merchant and subject the writing statement fills in. */
export function openLine(
  { ids, actor, by, request_id }: LineWriter,
  { change, detail: ownDetail = {}, at }: AccountChange,
): OpenLine {
  const entry_id = ids.journalEntry(at)
  const detail = by === undefined ? ownDetail : { ...ownDetail, by }
  return { entry_id, session_id: null, change, detail, actor, request_id: request_id ?? null, at }
}

/** The lines that creating an integration may need. */
export function integrationLines(writer: LineWriter, integration: Integration): IntegrationLines {
  const { merchant_id, integration_id: subject, created_at: at } = integration
  const fields = { change: 'integration.created', detail: rulesTold(integration), at }
  return {
    changed: accountLine(writer, { merchant_id, subject, ...fields }),
    loses: roleLines(writer, at),
  }
}

/** The lines that changing an integration may need; null if nothing changed. */
export function integrationChangeLines(
  writer: LineWriter,
  [before, after]: [Integration, Integration],
  at: Date,
): IntegrationLines | null {
  const detail = integrationChange(before, after)
  if (detail === null) return null
  const { merchant_id, integration_id: subject } = after
  const change = after.deleted_at === null ? 'integration.changed' : 'integration.deleted'
  return {
    changed: accountLine(writer, { merchant_id, subject, change, detail, at }),
    loses: roleLines(writer, at),
  }
}

function roleLines(writer: LineWriter, at: Date): IntegrationLines['loses'] {
  const changeFields = { change: 'integration.changed', at }
  return {
    is_default: openLine(writer, { ...changeFields, detail: { is_default: false } }),
    is_hosted_page: openLine(writer, { ...changeFields, detail: { is_hosted_page: false } }),
  }
}

/** The changed members of rulesTold with their new values, and the names of all other changed members. */
function integrationChange(before: Integration, after: Integration): object | null {
  const isSame = (column: string) =>
    JSON.stringify(before[column as keyof Integration]) === JSON.stringify(after[column as keyof Integration])
  const changedRules = Object.entries(rulesTold(after)).filter(([column]) => !isSame(column))
  const others = Object.keys(after).filter(
    (column) => !isSame(column) && !(column in rulesTold(after)) && column !== 'deleted_at',
  )
  if (changedRules.length + others.length === 0 && isSame('deleted_at')) return null
  return { ...Object.fromEntries(changedRules), ...(others.length > 0 && { changed: others }) }
}

/** The settings that decide whose pages may use the integration and how money is handled. */
function rulesTold(integration: Integration): object {
  const { is_default, is_hosted_page, mode_setting, allowed_origins } = integration
  const { require_verified_amount, on_3ds_unavailable, review_window_seconds } = integration
  const { at_deadline, escalate_after_seconds, capture_below, capture, test_connections } = integration
  return {
    is_default,
    is_hosted_page,
    mode_setting,
    allowed_origins,
    require_verified_amount,
    on_3ds_unavailable,
    review_window_seconds,
    at_deadline,
    escalate_after_seconds,
    capture_below,
    capture,
    test_connections,
  }
}
