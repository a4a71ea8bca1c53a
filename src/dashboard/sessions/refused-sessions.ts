// Sessions in which the shopper could not go on: the last refusal of each of a page's sessions, and a list by these refusals.

import { z } from 'zod'
import { beginOf, pageOf } from '../../http/list-page.ts'
import { listRefusedRequests, type RefusedRequest } from '../../http/refusal-log-store.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { timestamp } from '../../kernel/values.ts'
import type { Context } from '../../payments/context.ts'
import { type listedSession, viewListed } from '../../payments/reading/list-sessions.ts'
import { listUnpaidAmong, type SessionFilters } from '../../payments/reading/session-list-store.ts'
import { refusalSpan } from '../requests/refusal-span.ts'

/** How long after a session's end its page may still be refused something. */
export const late_ms = 60 * 60 * 1000

export const could_not_go_on = 'could_not_go_on'

/** What the shopper was refused last; null where nothing was, or where there is a payment all the same. */
export const lastRefusal = z.object({ at: z.string(), code: z.string().nullable(), request_id: z.string() }).nullable()

type Row = z.input<typeof listedSession>
export type WithRefusal = Row & { refusal: z.input<typeof lastRefusal> }

/** One look at the refusals of the page's time, the newest first: where there were very many, old ones stay unseen. */
export async function withRefusals(sql: Context['sql'], merchant_id: string, rows: Row[]): Promise<WithRefusal[]> {
  const unpaid = rows.filter(({ status }) => status !== 'succeeded' && status !== 'processing')
  if (unpaid.length === 0) return rows.map((row) => ({ ...row, refusal: null }))
  const begins = unpaid.map(({ created_at }) => Date.parse(created_at))
  const ends = unpaid.map(({ expires_at }) => Date.parse(expires_at) + late_ms)
  const span = { from: idsFrom(new Date(Math.min(...begins))), below: idsFrom(new Date(Math.max(...ends))) }
  const refusals = await listRefusedRequests(sql, { merchant_id, askers: 'shoppers', ...span }, refusals_max)
  const ofSession = Map.groupBy(refusals.rows, ({ asker_id }) => asker_id)
  return rows.map((row) => {
    const last = unpaid.includes(row) ? ofSession.get(row.id)?.[0] : undefined
    return { ...row, refusal: last ? viewLast(last) : null }
  })
}

const refusals_max = 1_000

/** By the time of the refusal, the newest first. A session with several of them may come on several pages. */
export async function pageOfRefused(
  { sql, keyring }: Pick<Context, 'sql' | 'keyring'>,
  filters: Omit<SessionFilters, 'status'>,
  { limit, after }: { limit: number; after: string | undefined },
  now: Date,
) {
  const { merchant_id, mode, created_from, created_before, order_reference, text, in_emails, three_ds } = filters
  const times = [created_from?.getTime(), created_before?.getTime()]
  const bound = [mode, ...times, order_reference, text, String(in_emails), three_ds]
  const list = { purpose: 'refused session cursor', merchant_id, filters: bound, limit, after }
  const behind = beginOf(keyring, list)
  const span = refusalSpan({ created_from, created_before }, now)
  const wanted = { merchant_id, askers: 'shoppers' as const, ...span, ...(behind !== null && { below: behind }) }
  const refusals = await listRefusedRequests(sql, wanted, limit + 1)
  const { rows, ...page } = pageOf(keyring, list, refusals, ({ entry_id }) => entry_id)
  const ofSession = Map.groupBy(rows, ({ asker_id }) => asker_id)
  const sessions = await listUnpaidAmong(sql, [...ofSession.keys()], filters)
  const shown = new Map(sessions.map((session) => [session.session_id as string, viewListed(session, now)]))
  const data = [...ofSession].flatMap(([session_id, [last]]) => {
    const session = shown.get(session_id)
    return session ? [{ ...session, refusal: viewLast(last!) }] : []
  })
  return { data, ...page }
}

function viewLast({ at, code, request_id }: RefusedRequest) {
  return { at: timestamp(at), code, request_id }
}
