// Fetches the result of a challenge from a provider that keeps it for us: when the bank's page says that the shopper is done,
// and by a job for those who closed the page.

import type { Mode } from '../../kernel/values.ts'
import { type FetchedThreeDs, ProviderUnavailable } from '../../three-ds/three-ds.ts'
import type { Attempt } from '../attempt.ts'
import type { Context } from '../context.ts'
import type { Cause } from '../outcome.ts'
import { runEach } from '../run-rows.ts'
import { challengeTimedOut } from '../three-ds-states.ts'
import { listFetchable } from './attempt-store.ts'
import { agrees, type ChallengeContext, settleChallenge } from './settle-challenge.ts'

export type FetchContext = ChallengeContext &
  Pick<Context, 'threeDsOf'> & {
    /** See JobContext. */
    stopping?: AbortSignal
  }

/** The result may be on its way when the bank's page comes back. The job asks for one that is later than these. */
const asks_at_return = 3
const pause_ms = 1_000
/** A provider may hear of a result a little after the challenge's end. */
const late_ms = 60_000
const page_size = 100
/** How long one connection is asked in a run. The run waits for the slowest, and the next follows soon after it. */
const turn_ms = 30_000

/** Asks a few times, as the shopper waits for it. The end is read from the attempt. */
export async function fetchAtReturn(
  context: FetchContext,
  { mode, attempt, request_id }: { mode: Mode; attempt: Attempt; request_id: string },
): Promise<void> {
  const provider = fetchedBy(context, mode, attempt)
  if (!provider || attempt.three_ds_state !== 'awaiting_challenge') return
  for (let asks = 1; asks <= asks_at_return; asks++) {
    const result = await fetchResult(context, provider, attempt, { actor: 'bank', request_id })
    if (result !== 'not_yet' || asks === asks_at_return) return
    await context.world.clock.sleep(pause_ms)
  }
}

/** The job. Returns how many results came. Several processes may ask for the same one; it is recorded once. */
export async function fetchResults(context: FetchContext): Promise<number> {
  const turns = Map.groupBy(await listWaiting(context), ({ attempt }) => attempt.three_ds_provider)
  // All connections at the same time, so that the silence of one holds up no results of another.
  const counts = await Promise.all([...turns.values()].map((turn) => takeTurn(context, turn)))
  return counts.reduce((sum, count) => sum + count, 0)
}

type Waiting = Awaited<ReturnType<typeof listFetchable>>[number]

async function listWaiting(context: FetchContext): Promise<Waiting[]> {
  const ended_after = new Date(context.world.clock.now().getTime() - late_ms)
  const waiting: Waiting[] = []
  let after: Parameters<typeof listFetchable>[1]['after'] = null
  while (!context.stopping?.aborted) {
    const page = await listFetchable(context.sql, { ended_after, after, limit: page_size })
    waiting.push(...page)
    const last = page.at(-1)?.attempt
    if (!last || page.length < page_size) break
    after = { challenge_expires_at: last.challenge_expires_at!, attempt_id: last.attempt_id }
  }
  return waiting
}

/**
 * Asks one connection, a few at once: first for the attempts that began earliest, since the provider forgets theirs first.
 * What is left when the turn is over is asked for in the next run.
 */
async function takeTurn(context: FetchContext, waiting: Waiting[]): Promise<number> {
  const { clock } = context.world
  const ends_ms = clock.now().getTime() + turn_ms
  const begun_first = waiting.toSorted((a, b) => a.attempt.created_at.getTime() - b.attempt.created_at.getTime())
  let count = 0
  await runEach(begun_first, async ({ mode, attempt }) => {
    if (context.stopping?.aborted || clock.now().getTime() >= ends_ms) return
    const provider = fetchedBy(context, mode, attempt)
    const cause: Cause = { actor: 'bank', request_id: null }
    const result = provider && (await fetchResult(context, provider, attempt, cause))
    if (result === 'settled') count++
  })
  return count
}

/** Null for an attempt whose result is posted to us. */
function fetchedBy({ threeDsOf }: FetchContext, mode: Mode, { three_ds_provider }: Attempt): FetchedThreeDs | null {
  const provider = three_ds_provider === null ? null : threeDsOf(mode, three_ds_provider)
  return provider?.results === 'fetched' ? provider : null
}

/** `nothing`: the provider could not be asked, or said nothing of use. Why is in the log. Never throws. */
async function fetchResult(
  context: FetchContext,
  provider: FetchedThreeDs,
  attempt: Attempt,
  cause: Cause,
): Promise<'settled' | 'not_yet' | 'nothing'> {
  const { attempt_id, server_transaction_id, three_ds_handle: handle } = attempt
  const { log } = context.world
  const about = { connection: provider.name, attempt_id }
  try {
    const answer = await provider.fetchResult({ server_transaction_id, handle })
    if (answer === 'not_yet') return 'not_yet'
    if (answer === 'gone') log.warn(about, 'the result of a challenge is kept no longer')
    else if (!agrees(attempt, answer)) {
      log.error(about, 'the provider gave the result of another challenge')
      return 'nothing'
    }
    // The lost result may have been a no, so it must not be read as "unavailable", after which the card might be charged.
    const outcome = answer === 'gone' ? challengeTimedOut : answer.outcome
    return (await settleChallenge(context, attempt, outcome, cause)) ? 'settled' : 'nothing'
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) {
      const fields = { ...about, error: (error as Error).message }
      log.error(fields, 'the result of a challenge could not be fetched')
    }
    return 'nothing'
  }
}
