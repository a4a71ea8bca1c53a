// The journal's lines of accounts, integrations and keys. They tell of states and settings, not of names.

import type { Actor, JournalLine, OpenLine } from '../audit/journal.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Integration } from './integration.ts'
import type { IntegrationLines } from './store.ts'

type AccountChange = { change: string; detail?: object; at: Date }

/** Who writes lines; `by` is the name of the person at the command line, where it is one. */
export type Writer = { ids: Pick<Ids, 'journalEntry'>; actor: Actor; by?: string }

/** A line of what belongs to no session; `subject` is what changed. */
export function lineOf(
  writer: Writer,
  told: AccountChange & { merchant_id: string; subject: string },
): JournalLine {
  const { merchant_id, subject } = told
  return { ...openLine(writer, told), merchant_id, subject }
}

/** The same of what the statement will find. */
export function openLine(
  { ids, actor, by }: Writer,
  { change, detail: told = {}, at }: AccountChange,
): OpenLine {
  const entry_id = ids.journalEntry(at)
  const detail = by === undefined ? told : { ...told, by }
  return { entry_id, session_id: null, change, detail, actor, request_id: null, at }
}

/** Those that a new integration may need. */
export function integrationLines(writer: Writer, integration: Integration): IntegrationLines {
  const { merchant_id, integration_id: subject, created_at: at } = integration
  const told = { change: 'integration.created', detail: rulesTold(integration), at }
  return {
    changed: lineOf(writer, { merchant_id, subject, ...told }),
    loses: roleLines(writer, at),
  }
}

/** The same of a change; null where nothing changed. */
export function integrationChangeLines(
  writer: Writer,
  [before, after]: [Integration, Integration],
  at: Date,
): IntegrationLines | null {
  const detail = integrationChange(before, after)
  if (detail === null) return null
  const { merchant_id, integration_id: subject } = after
  const change = after.deleted_at === null ? 'integration.changed' : 'integration.deleted'
  return {
    changed: lineOf(writer, { merchant_id, subject, change, detail, at }),
    loses: roleLines(writer, at),
  }
}

function roleLines(writer: Writer, at: Date): IntegrationLines['loses'] {
  const changed = { change: 'integration.changed', at }
  return {
    is_default: openLine(writer, { ...changed, detail: { is_default: false } }),
    is_hosted_page: openLine(writer, { ...changed, detail: { is_hosted_page: false } }),
  }
}

/** What is told whole is told as it is now; of what else changed that it did. */
function integrationChange(before: Integration, after: Integration): object | null {
  const isSame = (column: string) =>
    JSON.stringify(before[column as keyof Integration]) ===
    JSON.stringify(after[column as keyof Integration])
  const told = Object.entries(rulesTold(after)).filter(([column]) => !isSame(column))
  const others = Object.keys(after).filter(
    (column) => !isSame(column) && !(column in rulesTold(after)) && column !== 'deleted_at',
  )
  if (told.length + others.length === 0 && isSame('deleted_at')) return null
  return { ...Object.fromEntries(told), ...(others.length > 0 && { changed: others }) }
}

/** Whose pages may use it, and what decides about money. */
function rulesTold(integration: Integration): object {
  const { is_default, is_hosted_page, mode_setting, allowed_origins } = integration
  const { require_verified_amount, on_3ds_unavailable, review_window_seconds } = integration
  const { at_deadline, escalate_after_seconds, capture_below } = integration
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
  }
}
