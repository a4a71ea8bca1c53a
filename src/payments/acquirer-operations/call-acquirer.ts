// One call to an acquirer: when it may be sent, its time limit, and the meaning of a missing answer.

import {
  type Acquirer,
  type AuthorisationName,
  type AuthorisationStanding,
  chargeNamed,
  NotSent,
  TooMany,
  Unanswered,
} from '../../acquirers/acquirer.ts'
import type { Clock } from '../../kernel/world.ts'
import { deadline_ms, sendable_ms } from '../operation.ts'

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
  const answerOrError = begin(call)
  answerOrError.then(
    (answer) => is_late && late(answer),
    () => {},
  )
  try {
    return await Promise.race([answerOrError, deadline])
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
 * `not_found` where the acquirer does not know the reference, or has forgotten it; null where nothing was approved, or
 * the outcome is not known. Throws where the acquirer could not be reached.
 */
export async function lookUpStanding(
  clock: Clock,
  acquirer: Acquirer,
  authorisation: AuthorisationName,
): Promise<AuthorisationStanding | 'not_found' | null> {
  const look = await askAcquirer(clock, () => acquirer.lookUp(chargeNamed(authorisation)))
  if (look.result === 'not_found') return look.result
  return look.result === 'found' && look.kind === 'authorise' ? look.standing : null
}
