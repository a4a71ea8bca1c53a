// One call to an acquirer: its time limit, the meaning of a missing answer, and the safe-keeping of an answer.

import { type Accepted, NotSent, type SettleAnswer, TooMany, Unanswered } from '../../acquirers/acquirer.ts'
import { isLockTimeout, isRetriable, isStoreUnavailable } from '../../database/failures.ts'
import type { Clock } from '../../kernel/world.ts'
import { isAsAsked } from '../bound-money.ts'
import type { SettlementContext } from '../context.ts'
import { deadline_ms, type Operation, sendable_ms, sendableSince } from '../operation.ts'
import type { WholePayment } from '../whole-payment.ts'

/**
 * What to do with the result of an operation that was sent. Each returns null where another process recorded an answer
 * first.
 */
type Ends<Answer, Result> = {
  /** A definite answer, even one that comes after the deadline. */
  answered(answer: Answer): Promise<Result | null>
  /** Nothing left this machine. */
  notSent(error: NotSent): Promise<Result | null>
  /** The outcome is unknown. */
  unanswered(error: Unanswered): Promise<Result | null>
}

/**
 * Sends an operation that is written down, and settles it. Throws whatever else `call` throws, and what the handlers
 * throw.
 */
export async function sendAndSettle<Answer extends { result: string }, Result>(
  { world }: Pick<SettlementContext, 'world'>,
  operation: Operation,
  call: () => Promise<Answer>,
  ends: Ends<Answer, Result>,
): Promise<Result | null> {
  const { operation_id, payment_id, last_sent_at } = operation
  const late = (answer: Answer) => {
    const told = { operation_id, payment_id, result: answer.result }
    ends.answered(answer).then(
      (settled) => world.log.warn({ ...told, counted: settled !== null }, 'late answer'),
      (error: Error) => world.log.error({ ...told, error: error.message }, 'late answer lost'),
    )
  }
  let answer: Answer
  try {
    answer = await sendToAcquirer(world.clock, last_sent_at, call, late)
  } catch (error) {
    if (error instanceof NotSent) return ends.notSent(error)
    if (error instanceof Unanswered) return ends.unanswered(error)
    throw error
  }
  return ends.answered(answer)
}

/**
 * A definite answer to a call that moves money and was written down at that time. Throws Unanswered or NotSent; NotSent
 * also where that time is too long ago. The clock is read here, since the statement before may have waited for a lock
 * or a connection, and the process itself may have stood still. What `call` waits for before it sends takes time, too: its
 * request says by when it has to be sent.
 */
export async function sendToAcquirer<Answer>(
  clock: Clock,
  written_at: Date,
  call: () => Promise<Answer>,
  late?: (answer: Answer) => void,
): Promise<Answer> {
  // A time in the future was written before the clock was set back, nobody knows how long ago.
  const age_ms = Math.abs(clock.now().getTime() - written_at.getTime())
  if (age_ms > sendable_ms) {
    throw new NotSent(`it was not sent within ${sendable_ms / 1000} s, and then not any more`)
  }
  return askAcquirer(clock, call, late)
}

/**
 * A definite answer. Throws NotSent where nothing left this machine, and Unanswered for every other failure. An answer
 * that comes after the deadline goes to `late`.
 */
export async function askAcquirer<Answer>(
  clock: Clock,
  call: () => Promise<Answer>,
  late: (answer: Answer) => void = () => {},
): Promise<Answer> {
  // An adapter that never returns must not keep the shopper waiting, nor the process at its end.
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
    // A defect of an adapter: the outcome of the request is unknown all the same.
    throw new Unanswered((error as Error).message, { cause: error })
  } finally {
    // A reason, or the signal would make an exception with its stack.
    over.abort('ended')
  }
}

async function begin<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  return call()
}

/** Between the tries of a query, in milliseconds. */
const pauses_ms = [1_000, 5_000]

/**
 * The same for a query, which changes nothing: it is repeated where no answer came, so that a job of many queries need
 * not start over for each lost one. Once `stopping` is aborted it throws at once.
 */
export async function askPatiently<Answer>(
  clock: Clock,
  call: () => Promise<Answer>,
  stopping?: AbortSignal,
): Promise<Answer> {
  for (const pause_ms of pauses_ms) {
    try {
      return await askAcquirer(clock, call)
    } catch (error) {
      if (error instanceof TooMany) throw error
      await clock.sleep(pause_ms, stopping)
    }
  }
  return askAcquirer(clock, call)
}

/**
 * The call of a capture, void, reversal or refund, under its own reference: repeated, it is the same request. An approval of
 * another amount is no answer.
 */
export function callToSettle(
  { acquirerOf }: Pick<SettlementContext, 'acquirerOf'>,
  sent: Pick<WholePayment, 'payment' | 'authorisation'> & { operation: Operation },
): () => Promise<SettleAnswer | Accepted> {
  const { operation_id, kind, acquirer, amount, currency, sent_at, last_sent_at } = sent.operation
  if (kind === 'authorise') throw new Error('an authorisation is not sent without its card')
  const named = acquirerOf(sent.payment.mode, acquirer)
  const authorisation = sent.authorisation!
  const sendable = sendableSince(last_sent_at)
  const is_repeat = last_sent_at > sent_at
  const request = { reference: operation_id, authorisation, amount, currency, is_repeat, sendable }
  return async () => {
    const answer = await named[kind](request)
    const money = answer.result === 'approved' ? answer.money : undefined
    if (!money || isAsAsked(request, money)) return answer
    // A look-up says the same, and then there is a finding: see `noteOtherAmount`.
    throw new Unanswered(`it says ${money.amount} ${money.currency} and not ${amount} ${currency}`)
  }
}

/** Pauses of 8 s in all, plus the time of the tries. */
const tries_max = 12
const pause_max_ms = 1_000

/**
 * The answer could not be saved for now. The reconciler looks the operation up by its reference, and finds the answer
 * again.
 */
export class SaveError extends Error {}

/**
 * A definite answer must not be lost to a connection or a lock. `save` is a compare-and-set, so it is tried again for
 * some seconds. After the last try the log holds the acquirer's answer. Returns false where an answer was saved before,
 * perhaps by an earlier try of ours: the row tells. Throws SaveError.
 */
export async function saveSurely(
  { world }: Pick<SettlementContext, 'world'>,
  save: () => Promise<boolean>,
  told: {
    operation_id: string | undefined
    result: string
    acquirer_transaction_id: string | null
  },
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      return await save()
    } catch (error) {
      const passing = isRetriable(error) || isStoreUnavailable(error) || isLockTimeout(error)
      if (!passing || tries === tries_max) {
        world.log.error(told, 'the answer of the acquirer could not be saved')
        throw passing ? new SaveError((error as Error).message, { cause: error }) : error
      }
      await world.clock.sleep(Math.min(200 * tries, pause_max_ms))
    }
  }
}
