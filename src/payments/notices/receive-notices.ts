// POST /acquirers/{connection_id}/notices: receives an acquirer's notices. They are verified and stored, and a job settles the
// operations that they concern.

import { NotGenuine, type Notice, type NoticePost } from '../../acquirers/acquirer.ts'
import type { NoticeKey } from '../../acquirers/connector.ts'
import { type ConnectionRow, type Credentials, noticeUrl } from '../../connections/connection.ts'
import { credentialsThatCount, findConnection } from '../../connections/connection-store.ts'
import type { KnownConnector } from '../../connections/connectors.ts'
import { cellOf } from '../../database/cells/cells.ts'
import type { Page, PageAnswer } from '../../http/pages.ts'
import { modeOfPayments } from '../../kernel/connection-mode.ts'
import { routingsIn } from '../../kernel/ids.ts'
import { acquirerName } from '../../merchants/account-connection.ts'
import { listOrphanIds } from '../acquirer-operations/orphan-rows-store.ts'
import type { Context } from '../context.ts'
import { listKnownDisputes } from '../disputes/dispute-store.ts'
import { doWait, findOperationsNamed, hasUnansweredCharge, isNamed, saveNotices } from './notice-store.ts'
import { mayBeOfUs } from './unknown-charge.ts'

export function receiveNotices(connectors: readonly KnownConnector[]): Page<Context> {
  return {
    method: 'POST',
    path: noticeUrl('', { connection_id: '{connection_id}' }),
    body_kind: 'notice',
    counted_apart: 'notices',
    // Headers and body are read once the connection is known.
    async handle(context, request) {
      const { sql, keyring, world, installation } = context
      const id = request.params.connection_id!
      const routings = routingsIn(id, keyring)
      // No id of ours has this form, so no query is needed.
      if (routings.length === 0) return refused
      const row = await findConnection(sql, id, routings)
      const reader = row && connectors.find(({ name }) => name === row.connector)?.notices
      if (!row || !reader) return refused
      const now = world.clock.now()
      const keys = credentialsThatCount(keyring, row, now).map((credentials) => ({
        credentials,
        mode: row.mode,
        installation,
        now,
      }))
      const post = { headers: request.headers, body: request.body }
      const notices = verified(reader.read, post, keys)
      if (typeof notices === 'string') {
        const fields = { connection_id: row.connection_id, connector: row.connector }
        world.log.warn({ ...fields, reason: notices }, 'a notice that is not genuine was refused')
        return refused
      }
      const cell = await cellOf(sql, row.merchant_id)
      const delivery = { notices, received_at: now }
      await saveNotices(cell, row, await ours({ ...context, sql: cell }, row, delivery), now)
      return answer(200, reader.reply)
    },
  }
}

type Read = (post: NoticePost, by: NoticeKey<Credentials>) => Notice[]

/** Verifies a post by the current credentials or those before a rotation. Returns the reason if neither fit. */
function verified(read: Read, post: NoticePost, keys: NoticeKey<Credentials>[]): Notice[] | string {
  let reason = ''
  for (const key of keys) {
    try {
      return read(post, key)
    } catch (error) {
      if (!(error instanceof NotGenuine)) throw error
      reason = error.message
    }
  }
  return reason
}

/**
 * Other systems may share the account at the acquirer, and may have far more payments than we do. A notice concerns us if it bears our
 * mark, if it may bear a reference of ours, or if it names something of ours in any way. Where nothing but notices tells, it may name a
 * charge whose own name is still to come. The log counts the others.
 */
async function ours(
  { sql, installation, world, acquirerOf }: NoticeContext,
  row: ConnectionRow,
  { notices, received_at }: { notices: Notice[]; received_at: Date },
): Promise<Notice[]> {
  const by = { installation, received_at }
  const doubtful = notices.filter((notice) => !mayBeOfUs(notice, by))
  if (doubtful.length === 0) return notices
  const acquirer = acquirerName(row)
  const { merchant_id, mode } = row
  const charge = { merchant_id, acquirer, sent_before: received_at }
  const is_told_alone = acquirerOf(modeOfPayments[mode], acquirer).learned_by === 'notice'
  const may_be_nameless = is_told_alone && (await hasUnansweredCharge(sql, charge))
  if (may_be_nameless && !(await doWait(sql, row, waiting_max))) return notices
  const operations = await findOperationsNamed(sql, { merchant_id, acquirer, names: doubtful })
  const transaction_ids = doubtful.flatMap((each) => each.authorisation_transaction_id ?? [])
  const orphan_ids = await listOrphanIds(sql, { acquirer, transaction_ids })
  const vendor_ids = doubtful.flatMap(({ dispute }) => dispute?.vendor_id ?? [])
  const disputes = vendor_ids.length === 0 ? [] : await listKnownDisputes(sql, { merchant_id, acquirer, vendor_ids })
  const own = notices.filter(
    (notice) =>
      !doubtful.includes(notice) ||
      operations.some((each) => isNamed(each, notice)) ||
      orphan_ids.includes(notice.authorisation_transaction_id ?? '') ||
      disputes.includes(notice.dispute?.vendor_id ?? ''),
  )
  const { connection_id, connector } = row
  const fields = { connection_id, connector, count: notices.length - own.length }
  if (fields.count > 0) world.log.info(fields, 'notices that name nothing of ours are not kept')
  return own
}

/** More of others are not kept for the sake of a charge that has no name yet. */
const waiting_max = 1_000

type NoticeContext = Pick<Context, 'sql' | 'installation' | 'world' | 'acquirerOf'>

const refused = answer(401, '')

function answer(status: number, body: string): PageAnswer {
  return { status, body, headers: { 'content-type': 'text/plain; charset=utf-8' } }
}
