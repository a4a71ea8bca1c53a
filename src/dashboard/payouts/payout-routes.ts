// Payouts at the dashboard: the list, one with its lines that do not fit, a report that a page sends, and a month as a file.

import { z } from 'zod'
import { listConnections } from '../../connections/connection-store.ts'
import type { AnySql } from '../../database/open.ts'
import { limit_default, pageQuery, pageView } from '../../http/list-page.ts'
import { type FileAnswer, route } from '../../http/route.ts'
import { modeOfPayments } from '../../kernel/connection-mode.ts'
import { Refusal } from '../../kernel/errors.ts'
import { writerBy } from '../../merchants/write-as.ts'
import type { Context } from '../../payments/context.ts'
import { filterChoice } from '../../payments/reading/list-filters.ts'
import { importReports } from '../../payouts/import-reports.ts'
import { type Finding, findings, ReportFault } from '../../payouts/line.ts'
import { pageOfPayouts } from '../../payouts/list-payouts.ts'
import { linesOfMonth, monthForm } from '../../payouts/month.ts'
import { isShort, payoutView, viewPayout } from '../../payouts/payout.ts'
import { findPayout, listFindings } from '../../payouts/payout-store.ts'
import { bytesOf, dropPieces, keepPiece, piece_bytes_max, pieces_max } from '../../payouts/pieces.ts'
import { reporting_connectors } from '../../payouts/reports/read-report.ts'
import { dayOf } from '../../payouts/reports/table.ts'
import { notThere } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { journalWriter } from '../export/export-routes.ts'
import { fileOfMonth, type Part } from './month-file.ts'

const shared = { tag: 'Dashboard', dialect: 'dashboard' as const }
const mode = filterChoice(['test', 'live'])
const findings_max = 200

export const listPayoutsHere = route({
  ...shared,
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/payouts',
  summary: 'The payouts of a mode, those read last first, and the connections whose reports are read',
  access: signedIn('read_transactions', { mode: 'query' }),
  query: z.strictObject({ ...pageQuery, mode }),
  status: 200,
  reply: pageView(payoutView).extend({ connections: z.array(z.string()) }),
  refusals: ['invalid_pagination'],
  handle: async (context: Context, { holder: { merchant_id }, query }) => {
    const filters = { merchant_id, mode: query.mode, created_from: undefined, created_before: undefined }
    const asked = { limit: Number(query.limit ?? limit_default), after: query.after }
    const page = await pageOfPayouts(context, filters, asked)
    const connections = await reportingConnections(context, merchant_id, query.mode)
    return { ...page, connections: connections.map(({ label }) => label) }
  },
})

const finding = z.object({
  line: z.int(),
  transaction_id: z.string(),
  type: z.string(),
  payment_id: z.string().nullable(),
  reason: z.enum(Object.keys(findings) as [Finding, ...Finding[]]),
})

export const readPayoutHere = route({
  ...shared,
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/payouts/{payout_id}',
  summary: `A payout, and the first ${findings_max} of its lines that do not fit`,
  access: signedIn('read_transactions'),
  status: 200,
  reply: payoutView.extend({
    mode: z.enum(['test', 'live']),
    /** What the report says was paid; null where it says nothing, or the lines come to it. */
    short_of: z.int().nullable(),
    lines_with_findings: z.array(finding),
  }),
  refusals: [],
  handle: async ({ sql }: Context, { holder: { merchant_id }, params }) => {
    const payout = await findPayout(sql, { merchant_id, payout_id: params.payout_id! })
    if (!payout) throw notThere()
    const short_of = isShort(payout) ? payout.paid_amount : null
    const lines_with_findings = await listFindings(sql, payout, findings_max)
    return { ...viewPayout(payout), mode: payout.mode, short_of, lines_with_findings }
  },
})

const uploadId = z.string().regex(/^[0-9a-f]{24}$/, 'must be 24 hexadecimal characters')

export const sendPieceHere = route({
  ...shared,
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/payouts/pieces',
  summary: 'Send a piece of a report; the same one again replaces it',
  access: signedIn('resolve_operations', { mode: 'body' }),
  body: z.strictObject({
    mode,
    upload_id: uploadId,
    piece: z
      .int()
      .min(0)
      .max(pieces_max - 1),
    bytes: z.base64().max(Math.ceil(piece_bytes_max / 3) * 4),
  }),
  body_kind: 'list',
  status: 204,
  reply: z.null(),
  refusals: [],
  handle: async ({ sql }: Context, { holder, body, now }) => {
    const { merchant_id, user_id } = holder
    const upload = { merchant_id, user_id, upload_id: body.upload_id }
    await keepPiece(sql, upload, { piece: body.piece, bytes: Buffer.from(body.bytes, 'base64'), at: now })
    return null
  },
})

export const importPayoutsHere = route({
  ...shared,
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/payouts/import',
  summary: 'Read a report whose pieces were sent: all of it or nothing',
  access: signedIn('resolve_operations', { mode: 'body' }),
  body: z.strictObject({
    mode,
    upload_id: uploadId,
    pieces: z.int().min(1).max(pieces_max),
    file_name: z.string().min(1).max(255),
    connection: z.string().min(1).max(64),
    paid_on: z
      .string()
      .refine((text) => text.length === 10 && dayOf(text) !== null, 'must be a day such as 2027-01-31')
      .nullable(),
  }),
  status: 200,
  reply: z.object({
    lines: z.int(),
    matched: z.int(),
    known: z.int(),
    findings: z.int(),
    payouts: z.array(z.string()),
  }),
  refusals: [],
  handle: async (context: Context, { holder, body, request_id }) => {
    const { sql } = context
    const { merchant_id, user_id } = holder
    const connections = await reportingConnections(context, merchant_id, body.mode)
    const connection = connections.find(({ label }) => label === body.connection)
    if (!connection) {
      throw new Refusal('invalid_request', 'connection must be one whose reports are read.', { field: 'connection' })
    }
    const upload = { merchant_id, user_id, upload_id: body.upload_id }
    const file = { name: body.file_name, open: (tx: AnySql) => bytesOf(tx, upload, body.pieces), paid_on: body.paid_on }
    try {
      const author = { ...writerBy(holder, request_id), request_id }
      const result = await importReports(context, { merchant_id, connection }, [file], author)
      return { ...result, findings: result.findings.length, payouts: result.payouts.slice(0, findings_max) }
    } catch (error) {
      if (!(error instanceof ReportFault)) throw error
      await dropPieces(sql, upload)
      throw new Refusal('invalid_request', `${error.message}. Nothing was kept.`, { field: 'file' })
    }
  },
})

async function reportingConnections({ sql }: Pick<Context, 'sql'>, merchant_id: string, mode: 'test' | 'live') {
  const connections = await listConnections(sql, merchant_id)
  return connections.filter(
    (each) =>
      each.kind === 'acquirer' && reporting_connectors.includes(each.connector) && modeOfPayments[each.mode] === mode,
  )
}

export const exportPayoutsHere = route({
  ...shared,
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/export/payouts',
  summary: 'The lines of all payouts of a month as comma-separated values: they add up to what the bank got',
  access: signedIn('export_transactions', { gravity: 'grave', mode: 'query' }),
  query: z.strictObject({
    mode,
    month: z.string('must be a month such as 2027-01').regex(monthForm, 'must be a month such as 2027-01'),
  }),
  status: 200,
  file: 'text/csv; charset=utf-8',
  reply: z.unknown(),
  refusals: ['invalid_request'],
  handle: async (context: Context, { holder, query, request_id }): Promise<FileAnswer> => {
    const { merchant_id } = holder
    const filters = { mode: query.mode, month: query.month }
    const writeDown = journalWriter(context, { of: 'payouts', merchant_id, filters, member: holder, request_id })
    const lines = linesOfMonth(context.sql, { merchant_id, ...filters })
    return { name: `payouts-${query.mode}-${query.month}.csv`, parts: writtenDown(fileOfMonth(lines), writeDown) }
  },
})

async function* writtenDown(
  parts: AsyncGenerator<Part>,
  writeDown: (count: number | null) => Promise<void>,
): AsyncGenerator<string> {
  let count = 0
  await writeDown(null)
  try {
    for await (const part of parts) {
      count += part.count
      yield part.text
    }
  } finally {
    await writeDown(count)
  }
}
