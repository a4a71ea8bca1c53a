// A notice about an operation that has ended. If the acquirer has it otherwise than we recorded, money may have moved against our
// books.

import type {
  AuthorisationStanding,
  AuthoriseAnswer,
  LookUpAnswer,
  SettleAnswer,
} from '../../acquirers/acquirer.ts'
import { askAcquirer } from '../asking/ask-acquirer.ts'
import { handleLostAnswer } from '../asking/lost-answer.ts'
import type { OperationWithAnswer } from '../asking/operation-store.ts'
import type { SettlementContext } from '../context.ts'
import type { WholePayment } from '../whole-payment.ts'
import type { StoredNotice } from './notice-store.ts'

/** `later`: the acquirer does not know yet. `taken_back`: a charge that had failed was approved, and is reversed. */
export type Contradiction = 'nothing_new' | 'contradicts' | 'taken_back' | 'later'

/** Asks an acquirer that can be asked, but only if the notice seems to say otherwise than we recorded. */
export async function askIfContradicted(
  context: SettlementContext,
  whole: WholePayment,
  operation: OperationWithAnswer,
  { about, answer }: Pick<StoredNotice, 'about' | 'answer'>,
): Promise<Contradiction> {
  if (answer?.result !== 'suggested') return 'nothing_new'
  if ((answer.outcome === 'approved') === (operation.state === 'approved')) return 'nothing_new'
  const look = await lookUp(context, whole, operation)
  if (look === null || look.result === 'in_progress') return 'later'
  if (look.result !== 'found' || look.kind !== operation.kind) return 'nothing_new'
  if (look.kind !== 'authorise') return contradiction(context, whole, operation, look.answer)
  const present = presentAnswer(look.answer, look.standing)
  if (about === 'capture' && present?.result === 'approved' && !present.captured) {
    return takenBack(context, operation)
  }
  return present ? contradiction(context, whole, operation, present) : 'nothing_new'
}

/** Compares the acquirer's answer with the recorded end of the operation. */
export async function contradiction(
  context: SettlementContext,
  { payment }: WholePayment,
  operation: OperationWithAnswer,
  answer: AuthoriseAnswer | SettleAnswer,
): Promise<Contradiction> {
  const was_approved = operation.state === 'approved'
  if (was_approved === (answer.result === 'approved')) return 'nothing_new'
  if (was_approved) return takenBack(context, operation)
  const money = 'captured' in answer ? answer : null
  await handleLostAnswer(context, { operation, payment }, { state: 'approved', money })
  return money ? 'taken_back' : 'contradicts'
}

function takenBack(
  { world }: SettlementContext,
  { operation_id, payment_id, kind, acquirer }: OperationWithAnswer,
): Contradiction {
  const fields = { operation_id, payment_id, kind, acquirer }
  world.log.error(fields, 'the acquirer has taken back what it approved')
  return 'contradicts'
}

/** Null if the acquirer could not be asked. */
async function lookUp(
  { acquirerOf, world }: SettlementContext,
  { payment, authorisation }: WholePayment,
  { operation_id: reference, kind, acquirer: name, acquirer_transaction_id }: OperationWithAnswer,
): Promise<LookUpAnswer | null> {
  const acquirer = acquirerOf(payment.mode, name)
  const asked = { kind, reference, acquirer_transaction_id, authorisation: authorisation! }
  return askAcquirer(world.clock, () => acquirer.lookUp(asked)).catch(() => null)
}

/** Null for an approval that holds nothing any more: it was voided, reversed, or has lapsed. */
function presentAnswer(
  answer: AuthoriseAnswer,
  standing: AuthorisationStanding | null,
): AuthoriseAnswer | null {
  if (answer.result !== 'approved' || standing === null) return answer
  return standing.state === 'reserved' || standing.state === 'captured' ? answer : null
}
