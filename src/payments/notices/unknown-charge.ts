// An approved charge of which an acquirer's notice tells, and on which no payment stands. Where the acquirer has no list, nothing else
// ever tells of it. Where it has one, the sweep finds the charge within minutes, and judges it by the acquirer's books.

import type { AuthoriseAnswer, Notice } from '../../acquirers/acquirer.ts'
import { standInReference } from '../../acquirers/reference.ts'
import { wholeOf } from '../../database/cells/cells.ts'
import { acquirerName } from '../../merchants/account-connection.ts'
import { saveOrphan } from '../acquirer-operations/orphan-rows-store.ts'
import { mayBeOurs, newOrphan, type Orphan, orphanLine } from '../orphan.ts'
import { decideUnknown } from '../orphans/note-orphans.ts'
import type { OrphanContext } from '../orphans/orphan-context.ts'
import { findCharges } from '../orphans/orphan-store.ts'
import type { StoredNotice } from './notice-store.ts'
import type { Subject } from './notice-subject.ts'

type Approved = Extract<AuthoriseAnswer, { result: 'approved' }>

/** The approval of a charge, if the acquirer's notice itself is the approval. */
export function approvalIn({ about, answer }: StoredNotice): Approved | null {
  if (about !== 'authorise' || answer?.result !== 'approved' || !('captured' in answer)) return null
  return answer
}

/**
 * Whether a notice that came at that time may be of this installation. Other systems may share the account at the acquirer. The
 * notice's own time does not count, since not every signature covers it.
 */
export function mayBeOfUs(
  { reference, is_ours }: Pick<Notice, 'reference' | 'is_ours'>,
  { installation, received_at }: { installation: string; received_at: Date },
): boolean {
  if (is_ours !== null || reference === null) return is_ours === true
  return mayBeOurs({ reference, installation: null, authorised_at: received_at }, installation)
}

/**
 * An intent is committed before it is sent: our books have lost this charge, and others may be lost with it. It is held back, and so
 * is whatever else nobody knows, until a person decides. False if it is not ours.
 */
export async function holdBackLost(context: OrphanContext, notice: StoredNotice, approval: Approved): Promise<boolean> {
  const { installation } = context
  const { received_at } = notice
  if (!mayBeOfUs(notice, { installation, received_at })) return false
  const sql = wholeOf(context.sql)
  const acquirers = await context.listAcquirers()
  const acquirer = acquirers.find((each) => each.acquirer.name === acquirerName(notice))
  if (!acquirer) return false
  const nobody = { mode: acquirer.mode, merchant_id: null, payment_id: null }
  const orphan = orphanIn(context, notice, approval, nobody)
  // Two connections may lead to one account, and each is told of the other's charges.
  if ((await findCharges(sql, [orphan.reference])).length > 0) return false
  await saveOrphan(sql, orphan, { settled_before: orphan.found_at, lines: [] })
  await decideUnknown({ ...context, sql }, orphan.acquirer, false)
  return true
}

/**
 * The acquirer has made two charges of one request. The second one goes back, but for one case: if the payment stands on the first
 * one, a person decides. Nobody can ask this acquirer whether the first one lives, and a person may have given it a wrong id.
 */
export async function noteSecond(
  context: OrphanContext,
  { whole: { payment }, charge }: Subject,
  notice: StoredNotice,
  approval: Approved,
): Promise<'held_back' | 'taken_back'> {
  const { sql, world, ids } = context
  const { acquirer_transaction_id, amount, currency } = approval
  const reference = standInReference(acquirer_transaction_id)
  const second = orphanIn(context, { ...notice, reference }, approval, payment)
  const { acquirer, found_at: at } = second
  const waits = charge.state === 'approved'
  const orphan = waits ? { ...second, next_try_at: null, held_back_at: at } : second
  const line = orphanLine(ids, reference, {
    change: 'orphan.found',
    detail: { acquirer, amount, currency, acquirer_transaction_id },
    actor: 'reconciler',
    at,
  })
  if (await saveOrphan(sql, orphan, { settled_before: new Date(0), lines: [line] })) {
    const { merchant_id, payment_id } = payment
    const first_transaction_id = charge.handle ?? charge.acquirer_transaction_id
    const names = { acquirer, reference, merchant_id, payment_id, known: first_transaction_id, acquirer_transaction_id }
    const fields = { ...names, amount, currency }
    if (waits) {
      world.log.error(
        fields,
        'the acquirer has two charges of one payment, and one waits for a person: ripper orphan list shows it',
      )
    } else world.log.error(fields, 'orphaned authorisation found, it will be reversed')
  }
  return waits ? 'held_back' : 'taken_back'
}

function orphanIn(
  { world, ids }: OrphanContext,
  notice: StoredNotice,
  { amount, currency, acquirer_transaction_id }: Approved,
  payment: Pick<Orphan, 'mode' | 'merchant_id' | 'payment_id'>,
): Orphan {
  const now = world.clock.now()
  const { mode, merchant_id, payment_id } = payment
  const reference = notice.reference ?? standInReference(acquirer_transaction_id)
  const names = { acquirer: acquirerName(notice), reference }
  const authorisation = {
    ...names,
    acquirer_transaction_id,
    amount,
    currency,
    mode,
    merchant_id,
    payment_id,
  }
  return newOrphan({ ...authorisation, authorised_at: notice.occurred_at }, { operation_id: ids.operation(now), now })
}
