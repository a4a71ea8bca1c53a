// One call to an acquirer: how long it may take, and what it means where there is no answer.

import { NotSent, type SettleAnswer, Unanswered } from '../../acquirers/acquirer.ts'
import type { Clock } from '../../kernel/world.ts'
import type { SettlementContext } from '../context.ts'
import { deadline_ms, type Operation, sendable_ms } from '../operation.ts'
import type { WholePayment } from '../whole-payment.ts'

/**
 * A definite answer. Throws NotSent where nothing left this machine, else Unanswered, whatever it was that went wrong. An
 * answer that comes after the deadline goes to `late`.
 */
export async function askAcquirer<Answer>(
  clock: Clock,
  call: () => Promise<Answer>,
  late: (answer: Answer) => void = () => {},
): Promise<Answer> {
  // An adapter that never returns must not keep the shopper, nor the process at its end, waiting.
  const over = new AbortController()
  let is_late = false
  const deadline = clock.sleep(deadline_ms, over.signal).then((): never => {
    is_late = true
    throw new Unanswered('no answer before the deadline')
  })
  deadline.catch(() => {})
  const asked = begin(call)
  asked.then(
    (answer) => is_late && late(answer),
    () => {},
  )
  try {
    return await Promise.race([asked, deadline])
  } catch (error) {
    if (error instanceof NotSent || error instanceof Unanswered) throw error
    // A defect of an adapter: what became of the request is unknown all the same.
    throw new Unanswered((error as Error).message, { cause: error })
  } finally {
    over.abort()
  }
}

/**
 * The same for a call that moves money, which was written down at that time. Throws NotSent where that is too long ago: the
 * clock is read here, since the statement before may have waited for a lock or a connection, and the process itself may have
 * stood still.
 */
export async function sendToAcquirer<Answer>(
  clock: Clock,
  written_at: Date,
  call: () => Promise<Answer>,
  late?: (answer: Answer) => void,
): Promise<Answer> {
  // One that is younger than nothing was written before the clock was put back, nobody knows how long ago.
  const age_ms = Math.abs(clock.now().getTime() - written_at.getTime())
  if (age_ms > sendable_ms) {
    throw new NotSent(`it was not sent within ${sendable_ms / 1000} s, and then not any more`)
  }
  return askAcquirer(clock, call, late)
}

/** Between the tries of a question, milliseconds. */
const pauses_ms = [1_000, 5_000]

/**
 * The same for a question, which changes nothing: it is asked again where there was no answer, so that work that asks many
 * questions does not begin anew for each that gets lost. Not when `stopping` is over: then it throws at once.
 */
export async function askPatiently<Answer>(
  clock: Clock,
  call: () => Promise<Answer>,
  stopping?: AbortSignal,
): Promise<Answer> {
  for (const pause_ms of pauses_ms) {
    try {
      return await askAcquirer(clock, call)
    } catch {
      await clock.sleep(pause_ms, stopping)
    }
  }
  return askAcquirer(clock, call)
}

/** Sends a capture, void or reversal under its own reference: once more is the same request. */
export function askToSettle(
  { acquirerOf, world }: Pick<SettlementContext, 'acquirerOf' | 'world'>,
  sent: Pick<WholePayment, 'payment' | 'authorisation_reference'> & { operation: Operation },
  late?: (answer: SettleAnswer) => void,
): Promise<SettleAnswer> {
  const { operation_id, kind, acquirer, amount, currency, last_sent_at } = sent.operation
  if (kind === 'authorise') throw new Error('an authorisation is not sent without its card')
  const named = acquirerOf(sent.payment.mode, acquirer)
  const request = {
    reference: operation_id,
    authorisation_reference: sent.authorisation_reference!,
    amount,
    currency,
  }
  return sendToAcquirer(world.clock, last_sent_at, () => named[kind](request), late)
}

async function begin<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  return call()
}
