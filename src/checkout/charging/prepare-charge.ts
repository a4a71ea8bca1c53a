// The step before a charge at acquirers that name an authorisation before any money moves: the handle is stored first.

import type { Acquirer, AuthoriseAnswer, AuthoriseRequest } from '../../acquirers/acquirer.ts'
import { failed } from '../../acquirers/answers.ts'
import { strangeEnvironment } from '../../acquirers/environment.ts'
import { environmentOfMode } from '../../kernel/connection-mode.ts'
import { askAcquirer } from '../asking/ask-acquirer.ts'
import type { Context } from '../context.ts'
import { answerBy, type Operation } from '../operation.ts'
import type { Payment } from '../payment.ts'
import { savePrepared } from './charge-store.ts'

/** `taken`: the reconciler has begun to look for the charge's answer, so the charge is no longer sent. */
export type Preparation =
  | { operation: Operation; request: AuthoriseRequest }
  | { ended: Exclude<AuthoriseAnswer, { result: 'approved' }> }
  | 'taken'

/**
 * Returns the operation and its request, with the handle and the time from which it counts as sent. An answer from the other
 * environment ends the charge before any money moves. Throws if the acquirer gave no answer: nothing has moved, so this is as
 * definite as a refusal.
 */
export async function prepareCharge(
  { sql, world: { clock } }: Pick<Context, 'sql' | 'world'>,
  { operation, payment: { mode } }: { operation: Operation; payment: Pick<Payment, 'mode'> },
  prepare: NonNullable<Acquirer['prepare']>,
  request: AuthoriseRequest,
): Promise<Preparation> {
  const answer = await askAcquirer(clock, () => prepare(request))
  if (answer.result !== 'prepared') return { ended: answer }
  const strange = strangeEnvironment(answer, environmentOfMode[mode])
  if (strange !== null) return { ended: failed(strange) }
  const at = clock.now()
  const answer_by = answerBy(at)
  const { handle } = answer
  const prepared = { ...operation, handle, last_sent_at: at, answer_by, next_check_at: answer_by }
  if (!(await savePrepared(sql, operation, prepared))) return 'taken'
  return { operation: prepared, request: { ...request, handle } }
}
