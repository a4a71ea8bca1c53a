// Who did what at the merchant: its journal, newest first, as a list and as a file.

import { z } from 'zod'
import { insertLine } from '../../audit/journal-store.ts'
import { filterChoice, filterText, spanQuery } from '../../checkout/reading/list-filters.ts'
import type { Context } from '../../context.ts'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { type FileAnswer, route } from '../../http/route.ts'
import { timestamp } from '../../kernel/values.ts'
import { lineOf, writerOf } from '../../merchants/account-lines.ts'
import type { Member } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { bounds, days_max, fileName, linesOf, spanned } from '../export/export-file.ts'
import { idsNamed, peopleIn, peopleView } from '../people.ts'
import { audit_kind_names, beginningsOf } from './audit-kinds.ts'
import { type AuditFilters, type AuditLine, listAuditLines, noteReading } from './audit-store.ts'

const filters = {
  created_from: spanQuery.created_from,
  created_before: spanQuery.created_before,
  actor: filterText(100).optional(),
  change: filterText(100).optional(),
  kind: filterChoice(audit_kind_names).optional(),
  search: filterText(100).optional().meta({ description: 'in ids, names and actions' }),
  /** The changes that the search means in the words of its reader. */
  meant: filterText(4000)
    .optional()
    .meta({ description: 'such as key_created, with commas between' }),
}
const filterQuery = z.strictObject(filters)
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
    }),
  ).extend({ people: peopleView }),
  refusals: ['invalid_pagination'],
  handle: async ({ sql, keyring, ids }: Context, { holder, query, request_id, now }) => {
    const { merchant_id, user_id } = holder
    const { limit: length, after, offset: _, ...filtering } = query
    const limit = Number(length ?? limit_default)
    const asked = { purpose: 'audit cursor', merchant_id, filters: boundTo(query), limit, after }
    const behind = beginOf(keyring, asked)
    const writer = writerOf({ ids }, { holder, request_id })
    const told = { merchant_id, subject: merchant_id, change: 'audit.read', at: now }
    await noteReading(sql, { user_id, line: lineOf(writer, told) })
    const wanted = await filtersOf(sql, filtering, holder)
    const found = await listAuditLines(sql, wanted, { behind, limit: limit + 1 })
    const { rows, ...page } = pageOf(keyring, asked, found, ({ entry_id }) => entry_id)
    const data = rows.map(({ entry_id, at, change, subject, session_id, ...by }) => ({
      ...{ entry_id, at: timestamp(at), change, subject, session_id },
      ...{ actor: by.actor, request_id: by.request_id, detail: by.detail },
    }))
    return { data, people: await peopleIn(sql, rows, holder), ...page }
  },
})

export const exportAuditHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/audit/export',
  summary: `The journal as comma-separated values: of ${days_max} days and ${bounds.rows_max} rows at most; the last line says where there are more`,
  access: signedIn('read_audit', { gravity: 'grave' }),
  query: filterQuery,
  file: 'text/csv; charset=utf-8',
  reply: z.unknown(),
  refusals: ['invalid_request'],
  handle: async (context: Context, { holder, query, now, request_id }): Promise<FileAnswer> => {
    const { sql, ids, world } = context
    const { merchant_id } = holder
    const wanted = spanned(await filtersOf(sql, query, holder), now)
    const { search, meant: _, ...others } = query
    const named = { ...others, ...(search !== undefined && { search: '…' }) }
    const lines = {
      noun: 'lines',
      columns: [
        'at',
        'change',
        'actor',
        'actor_name',
        'subject',
        'subject_name',
        'request_id',
        'detail',
      ],
      read: (place: { behind: string | null; limit: number }) => listAuditLines(sql, wanted, place),
      positionOf: ({ entry_id }: AuditLine) => entry_id,
      cellsOf: async (rows: AuditLine[]) => {
        const people = await peopleIn(sql, rows, holder)
        return rows.map(({ at, change, actor, subject, request_id: by, detail }) => [
          ...[at.toISOString(), change, actor, people[actor.replace(/^\w+ /, '')] ?? null],
          ...[subject, people[subject] ?? null, by, JSON.stringify(detail)],
        ])
      },
      writeDown: async (count: number) => {
        const writer = writerOf({ ids }, { holder, request_id })
        const told = { change: 'audit.exported', detail: { filters: named, count } }
        const at = world.clock.now()
        await insertLine(sql, lineOf(writer, { merchant_id, subject: merchant_id, ...told, at }))
      },
    }
    return { name: fileName('journal', wanted), parts: linesOf(lines, bounds) }
  },
})

/** What a cursor is bound to. */
function boundTo({ created_from, created_before, ...texts }: Query) {
  const { actor, change, kind, search, meant } = texts
  return [created_from?.getTime(), created_before?.getTime(), actor, change, kind, search, meant]
}

async function filtersOf(
  sql: Context['sql'],
  { kind, search: text, meant, ...plain }: Query,
  holder: Member,
): Promise<AuditFilters> {
  const changes = meant?.split(',') ?? []
  return {
    merchant_id: holder.merchant_id,
    ...{ created_from: plain.created_from, created_before: plain.created_before },
    ...{ actor: plain.actor, change: plain.change },
    beginnings: kind && beginningsOf(kind),
    search:
      text === undefined ? undefined : { text, ids: await idsNamed(sql, text, holder), changes },
  }
}
