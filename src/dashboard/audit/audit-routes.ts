// Who did what at the merchant: its journal, newest first.

import { z } from 'zod'
import { filterText, spanQuery } from '../../checkout/reading/list-filters.ts'
import type { Context } from '../../context.ts'
import { beginOf, limit_default, pageOf, pageQuery, pageView } from '../../http/list-page.ts'
import { route } from '../../http/route.ts'
import { timestamp } from '../../kernel/values.ts'
import { lineOf, writerOf } from '../../merchants/account-lines.ts'
import { signedIn } from '../../users/signed-in.ts'
import { peopleIn, peopleView } from '../people.ts'
import { listAuditLines, noteReading } from './audit-store.ts'

export const listAuditHere = route({
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/audit',
  tag: 'Dashboard',
  summary: 'The journal of the merchant, newest first',
  access: signedIn('read_audit'),
  dialect: 'dashboard',
  query: z.strictObject({
    ...pageQuery,
    created_from: spanQuery.created_from,
    created_before: spanQuery.created_before,
    actor: filterText(100).optional(),
    change: filterText(100).optional(),
  }),
  status: 200,
  reply: pageView(
    z.object({
      entry_id: z.string(),
      at: z.string(),
      change: z.string(),
      subject: z.string(),
      actor: z.string(),
      request_id: z.string().nullable(),
      detail: z.record(z.string(), z.unknown()),
    }),
  ).extend({ people: peopleView }),
  refusals: ['invalid_pagination'],
  handle: async ({ sql, keyring, ids }: Context, { holder, query, request_id, now }) => {
    const { merchant_id, user_id } = holder
    const { created_from, created_before, actor, change, after } = query
    const bound = [created_from?.getTime(), created_before?.getTime(), actor, change]
    const limit = Number(query.limit ?? limit_default)
    const asked = { purpose: 'audit cursor', merchant_id, filters: bound, limit, after }
    const behind = beginOf(keyring, asked)
    const writer = writerOf({ ids }, { holder, request_id })
    const told = { merchant_id, subject: merchant_id, change: 'audit.read', at: now }
    await noteReading(sql, { user_id, line: lineOf(writer, told) })
    const filters = { merchant_id, created_from, created_before, actor, change }
    const found = await listAuditLines(sql, filters, { behind, limit: limit + 1 })
    const { rows, ...page } = pageOf(keyring, asked, found, ({ entry_id }) => entry_id)
    const data = rows.map(({ entry_id, at, change, subject, actor, request_id, detail }) => ({
      ...{ entry_id, at: timestamp(at), change, subject, actor, request_id, detail },
    }))
    return { data, people: await peopleIn(sql, rows, holder), ...page }
  },
})
