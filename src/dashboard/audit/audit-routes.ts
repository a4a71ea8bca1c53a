// Who did what at the merchant: its journal, newest first, as a list and as a file.

import { z } from 'zod'
import { insertLine } from '../../audit/journal-store.ts'
import type { Context } from '../../context.ts'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { type FileAnswer, route } from '../../http/route.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { accountLine, writerOf } from '../../merchants/account-lines.ts'
import { filterChoice, filterText, spanQuery } from '../../payments/reading/list-filters.ts'
import { signedIn } from '../../users/signed-in.ts'
import { type Cell, jsonCell } from '../export/csv.ts'
import { bounds, days_max, fileName, linesOf, timesOfFile, withSpan, zoneOfFile } from '../export/export-file.ts'
import { idOfActor, peopleIn, peopleView } from '../people.ts'
import { audit_kind_names, auditKinds } from './audit-kinds.ts'
import { type AuditFilters, type AuditLine, listAuditLines, noteReading, readLineFacts } from './audit-store.ts'

const filterMembers = {
  created_from: spanQuery.created_from,
  created_before: spanQuery.created_before,
  actor: filterText(100).optional(),
  change: filterText(100).optional(),
  kind: filterChoice(audit_kind_names).optional(),
  by: filterChoice(['people']).optional().meta({ description: 'what people did, here and at the command line' }),
  search: filterText(100).optional().meta({ description: 'in ids, names and actions; whole orders and emails' }),
  /** The changes that the search means in the words of its reader. */
  meant: filterText(4000).optional().meta({ description: 'such as key_created, with commas between' }),
}
const filterQuery = z.strictObject(filterMembers)
type Query = z.output<typeof filterQuery>

const shared = {
  method: 'GET' as const,
  tag: 'Dashboard',
  dialect: 'dashboard' as const,
  status: 200,
}

export const listAuditHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/audit',
  summary: 'The journal of the merchant, newest first',
  access: signedIn('read_audit'),
  query: filterQuery.extend(pageQuery),
  reply: pageView(
    z.object({
      entry_id: z.string(),
      at: z.string(),
      change: z.string(),
      subject: z.string(),
      session_id: z.string().nullable(),
      actor: z.string(),
      request_id: z.string().nullable(),
      detail: z.record(z.string(), z.unknown()),
      /** Of what the rules did to a held payment: by when somebody was to decide. */
      hold_deadline: z.string().nullable(),
      order_reference: z.string().nullable(),
      /** Of the refund that it is about. */
      refund_reason: z.string().nullable(),
    }),
  ).extend({ people: peopleView }),
  refusals: ['invalid_pagination'],
  handle: async ({ sql, keyring, ids }: Context, { holder, query, request_id, now }) => {
    const { merchant_id, user_id } = holder
    const { limit: length, after, offset: _, ...filtering } = query
    const limit = Number(length ?? limit_default)
    const list = { purpose: 'audit cursor', merchant_id, filters: boundTo(query), limit, after }
    const behind = beginOf(keyring, list)
    const writer = writerOf({ ids }, { holder, request_id })
    const reading = { merchant_id, subject: merchant_id, change: 'audit.read', at: now }
    await noteReading(sql, { user_id, line: accountLine(writer, reading) })
    const place = { behind, limit: limit + 1 }
    const lines = await listAuditLines(sql, filtersOf(filtering, merchant_id), place)
    const { rows, ...page } = pageOf(keyring, list, lines, ({ entry_id }) => entry_id)
    const facts = await readLineFacts(sql, merchant_id, rows)
    const data = rows.map(({ entry_id, at, change, subject, session_id, ...by }, place) => ({
      entry_id,
      at: timestamp(at),
      change,
      subject,
      session_id,
      actor: by.actor,
      request_id: by.request_id,
      detail: by.detail,
      hold_deadline: timestampOrNull(by.hold_deadline),
      ...facts[place]!,
    }))
    // A key that is asked for is named even where it did nothing. The name of a person of another merchant would be none of theirs.
    const { actor = '' } = query
    const subjects = actor.startsWith('key ') ? [...rows, { actor, subject: '' }] : rows
    return { data, people: await peopleIn(sql, subjects, holder), ...page }
  },
})

export const exportAuditHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/audit/export',
  summary: `The journal as comma-separated values: of ${days_max} days and ${bounds.rows_max} rows at most; the last line says where there are more`,
  access: signedIn('read_audit', { gravity: 'grave' }),
  query: filterQuery.extend(zoneOfFile),
  file: 'text/csv; charset=utf-8',
  reply: z.unknown(),
  refusals: ['invalid_request'],
  handle: async (context: Context, { holder, query: { zone, ...query }, now, request_id }): Promise<FileAnswer> => {
    const { sql, ids, world } = context
    const { merchant_id } = holder
    const filters = withSpan(filtersOf(query, merchant_id), now)
    const timeOf = timesOfFile({ zone })
    const { search, meant: _, ...others } = query
    const shown = { ...others, ...(search !== undefined && { search: '…' }) }
    const lines = {
      noun: 'lines',
      columns: Object.keys(columns),
      read: (place: { behind: string | null; limit: number }) => listAuditLines(sql, filters, place),
      positionOf: ({ entry_id }: AuditLine) => entry_id,
      cellsOf: async (rows: AuditLine[]) => {
        const people = await peopleIn(sql, rows, holder)
        return rows.map((line) => Object.values(columns).map((cell) => cell(line, people, timeOf)))
      },
      writeDown: async (count: number | null) => {
        const writer = writerOf({ ids }, { holder, request_id })
        const change = count === null ? 'audit.export_begun' : 'audit.exported'
        const detail = { filters: shown, ...(count !== null && { count }) }
        const at = world.clock.now()
        const line = { merchant_id, subject: merchant_id, change, detail, at }
        await insertLine(sql, accountLine(writer, line))
      },
    }
    return { name: fileName('journal', filters, timeOf), parts: linesOf(lines, bounds) }
  },
})

type People = Awaited<ReturnType<typeof peopleIn>>

const columns: Record<string, (line: AuditLine, people: People, timeOf: (at: Date) => string) => Cell> = {
  at: ({ at }, _, timeOf) => timeOf(at),
  change: ({ change }) => change,
  actor: ({ actor }) => actor,
  actor_name: ({ actor }, people) => people[idOfActor(actor)] ?? null,
  subject: ({ subject }) => subject,
  subject_name: ({ subject }, people) => people[subject] ?? null,
  request_id: ({ request_id }) => request_id,
  detail: ({ detail }) => jsonCell(detail),
}

const filter_names = Object.keys(filterMembers) as (keyof Query)[]

/** What a cursor is bound to. */
function boundTo(query: Query) {
  return filter_names.map((name) => {
    const value = query[name]
    return value instanceof Date ? value.getTime() : value
  })
}

function filtersOf({ kind, search, meant, ...plain }: Query, merchant_id: string): AuditFilters {
  return {
    ...plain,
    merchant_id,
    beginnings: kind && auditKinds[kind],
    search: search === undefined ? undefined : { text: search, changes: meant?.split(',') ?? [] },
  }
}
