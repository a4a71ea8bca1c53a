// The last step of a charge: an acquirer's definite answer becomes payment, event and all, whoever brings it.

import type { AuthoriseAnswer } from '../../acquirers/acquirer.ts'
import { type Account, integrationOf } from '../../merchants/directory.ts'
import { countDecline, type Payer } from '../card-testing.ts'
import { type From, saveOutcome } from '../charge-store.ts'
import type { Orphan } from '../orphans/orphan.ts'
import { type Cause, outcomeOf } from '../outcome.ts'
import { conclude } from '../payment.ts'
import type { WholePayment } from '../payment-store.ts'
import type { ConfirmResult } from '../views.ts'
import type { Desk } from './desk.ts'
import type { Operation } from './operation.ts'
import { saveSurely } from './save-surely.ts'
import { tellOfLate } from './tell-of-late.ts'

/** A charge that was sent. */
export type SentCharge = Pick<WholePayment, 'session' | 'attempt' | 'payment'> & {
  operation: Operation
  account: Account
  /** Whom a decline is counted against; null in test mode. */
  payer: Payer | null
  cause: Cause
  /** What is to be reversed should the acquirer hold it though the answer says no. */
  orphan?: Orphan | null
}

/** Returns the confirm answer, or null where the outcome was recorded by somebody else meanwhile. */
export async function settleCharge(
  desk: Desk,
  sent: SentCharge,
  answer: AuthoriseAnswer,
  from: From = 'unanswered',
): Promise<ConfirmResult | null> {
  const { account, session } = sent
  const { operation_id } = sent.operation
  const now = desk.world.clock.now()
  const change = conclude(sent, answer, integrationOf(account, session.integration_id), now)
  const operation = { operation_id, state: answer.result, answer, from }
  const written = outcomeOf(desk.ids, { ...sent, change, operation, at: now })
  const outcome = { ...written, orphan: sent.orphan }
  const { acquirer_transaction_id } = answer
  const told = { operation_id, result: answer.result, acquirer_transaction_id }
  if (!(await saveSurely(desk, () => saveOutcome(desk.sql, outcome, now), told))) return null
  desk.wakeDeliveries('event', session.merchant_id)
  desk.metrics.paymentConfirmed(change.payment.status, change.payment.mode)
  await countDecline(desk, sent.payer, change.payment, now)
  return outcome.attempt.result as ConfirmResult
}

/** An answer that came when nobody waited for it any more: heard, unless the search for it was faster. */
export function settleLate(desk: Desk, sent: SentCharge, answer: AuthoriseAnswer): void {
  tellOfLate(desk, sent.operation, answer, async () => {
    return (await settleCharge(desk, sent, answer)) !== null
  })
}
