// Two services on one database and one clock, and an acquirer that can be made to fail: what the proofs of holds and of
// lost answers begin with.

import { randomBytes } from 'node:crypto'
import { afterAll } from 'vitest'
import { type Acquirer, NotSent, Unanswered } from '../../src/acquirers/acquirer.ts'
import { deadline_ms } from '../../src/payments/operation.ts'
import { openClient } from './client.ts'
import { freshDatabase, type LockLimit } from './database.ts'
import { type DatabaseProxy, openDatabaseProxy } from './database-proxy.ts'
import { runJob } from './holding.ts'
import { type Account, type DrivenClock, drivenClock, driving, type Service, startService, until } from './service.ts'

export const second_ms = 1_000
export const minute_ms = 60 * second_ms
export const hour_ms = 60 * minute_ms
export const day_ms = 24 * hour_ms

export type Verb = 'authorise' | 'capture' | 'void' | 'reverse' | 'refund' | 'lookUp'

/** One request as it reached the acquirer, or was about to. */
export type Call = { verb: Verb; reference: string; at_ms: number }

/** What becomes of a call: `act` is what the acquirer does and answers. */
export type Fault = (act: () => Promise<unknown>, call: FaultedCall) => Promise<unknown>
type FaultedCall = { reference: string; clock: DrivenClock }

export type FaultyAcquirer = {
  wrap(acquirer: Acquirer): Acquirer
  calls: Call[]
  /** The next calls of this kind meet these, one after the other; those after them meet none. */
  meet(verb: Verb, ...faults: Fault[]): void
  /** From now on nothing goes wrong. */
  calm(): void
  /** When a reference was looked up, in seconds after `since`. */
  looks(reference: string, since: Date): number[]
}

export function faultyAcquirer(clock: DrivenClock): FaultyAcquirer {
  const calls: Call[] = []
  const waiting = new Map<Verb, Fault[]>()

  function via<Request, Answer>(
    verb: Verb,
    ask: (request: Request) => Promise<Answer>,
    nameOf: (request: Request) => string,
  ) {
    return async (request: Request): Promise<Answer> => {
      const reference = nameOf(request)
      calls.push({ verb, reference, at_ms: clock.now().getTime() })
      const fault = waiting.get(verb)?.shift()
      if (!fault) return ask(request)
      return (await fault(() => ask(request), { reference, clock })) as Answer
    }
  }

  const named = ({ reference }: { reference: string }) => reference
  return {
    calls,
    meet(verb, ...faults) {
      waiting.set(verb, faults)
    },
    calm: () => waiting.clear(),
    looks: (reference, since) =>
      calls
        .filter((call) => call.verb === 'lookUp' && call.reference === reference)
        .map(({ at_ms }) => (at_ms - since.getTime()) / second_ms),
    wrap: (acquirer) => ({
      ...acquirer,
      authorise: via('authorise', acquirer.authorise, named),
      capture: via('capture', acquirer.capture, named),
      void: via('void', acquirer.void, named),
      reverse: via('reverse', acquirer.reverse, named),
      refund: via('refund', acquirer.refund, named),
      lookUp: via('lookUp', acquirer.lookUp, named),
    }),
  }
}

/** What can go wrong with one call. */
export const faults = {
  lost_before: async () => {
    throw new Unanswered('lost on its way')
  },
  lost_after: async (act) => {
    await act()
    throw new Unanswered('the answer was lost')
  },
  broken_before: async () => {
    throw new Error('503 from the gateway')
  },
  broken_after: async (act) => {
    await act()
    throw new Error('502 from the gateway')
  },
  not_sent: async () => {
    throw new NotSent('the connection was refused')
  },
  never: async (_, { clock }) => silence(clock),
  never_after: async (act, { clock }) => {
    await act()
    return silence(clock)
  },
  answers_late: async (act, { clock }) => {
    const answer = await act()
    await clock.sleep(25 * second_ms)
    return answer
  },
  arrives_late: async (act, { clock }) => {
    await clock.sleep(25 * second_ms)
    return act()
  },
  doubled: async (act) => {
    await act()
    return act()
  },
} satisfies Record<string, Fault>

/** Nobody answers: whoever waits gives up. */
async function silence(clock: DrivenClock): Promise<never> {
  await clock.sleep(deadline_ms)
  return new Promise<never>(() => {})
}

/**
 * Calls that nobody answers, of which so many are under way at once; `look` is told of each. `passing` lets the time of
 * all of them pass together, until the promise settles.
 */
export function silentCalls(clock: DrivenClock, at_once: number, look: SettleByLook) {
  let silent = 0
  const fault: Fault = async (_, { reference }) => {
    await look(reference)
    silent += 1
    await clock.sleep(deadline_ms)
    silent -= 1
    return new Promise<never>(() => {})
  }
  const passing = async (promise: Promise<unknown>) => {
    let over = false
    const end = promise.finally(() => {
      over = true
    })
    while (!over) {
      await until(async () => over || silent === at_once, Boolean)
      await clock.advance(deadline_ms)
    }
    return end
  }
  return { fault, passing }
}

type SettleByLook = (reference: string) => Promise<void>

/**
 * A fault that waits for the test, the request being held up on its way or the answer on its way back. `reached` gives
 * the reference once it is there, and `open` lets it go on.
 */
export function gate(held_up: 'request' | 'answer') {
  const reached = Promise.withResolvers<string>()
  const opened = Promise.withResolvers<void>()
  const fault: Fault = async (act, { reference }) => {
    const wait = () => {
      reached.resolve(reference)
      return opened.promise
    }
    if (held_up === 'request') await wait()
    const answer = await act()
    if (held_up === 'answer') await wait()
    return answer
  }
  return { fault, reached: reached.promise, open: () => opened.resolve() }
}

export type Stage = {
  clock: DrivenClock
  acquirer: FaultyAcquirer
  service: Service
  /** Another process of the same. */
  other: Service
  /** The first process's way to the database. */
  proxy: DatabaseProxy
  account: Account
  /** An account as it is served by the other process. */
  elsewhere(account: Account): Account
  /** Runs a background job once in each process, at the same time. Returns how much they found to do. */
  run(job: string, by?: Service[]): Promise<number>
  /**
   * Lets time pass from one look for an answer to the next, until everything is known or waits for a person. Returns how
   * many moments that took.
   */
  settle(by?: Service[]): Promise<number>
}

/** The stage of a test file, gone after all. `as`: what kind of acquirer the simulated one is made into. */
export async function useStage(
  as: (acquirer: Acquirer) => Acquirer = (it) => it,
  { lock_limit }: { lock_limit?: LockLimit } = {},
): Promise<Stage> {
  const clock = drivenClock()
  const acquirer = faultyAcquirer(clock)
  const database = await freshDatabase('migrated', lock_limit)
  const proxy = await openDatabaseProxy(database.url)
  const shared = {
    clock,
    database,
    master_key: randomBytes(32),
    wrapSimulator: (it: Acquirer) => as(acquirer.wrap(it)),
  }
  const service = await startService({ ...shared, database_url: proxy.url })
  const other = await startService(shared)
  const both = [service, other]
  afterAll(async () => {
    await Promise.all(both.map((each) => each.close()))
    await proxy.close()
    await database.drop()
  })
  const run = async (job: string, by = both) => {
    const runs = Promise.all(by.map((each) => runJob(each, job)))
    const counts = await driving(clock, runs)
    return counts.reduce((sum, count) => sum + count)
  }
  const settle = (by = both) => settleAll(other, clock, () => run('reconcile', by))
  const elsewhere = (account: Account): Account => {
    const { secret_key } = account
    return { ...account, client: openClient({ base_url: other.base_url, secret_key }) }
  }
  const { account } = service
  return { clock, acquirer, service, other, proxy, account, elsewhere, run, settle }
}

const moments_max = 500

/** See Stage.settle; `search` looks for answers once. */
export async function settleAll(
  { sql }: Pick<Service, 'sql'>,
  clock: DrivenClock,
  search: () => Promise<unknown>,
): Promise<number> {
  for (let moments = 0; moments < moments_max; moments++) {
    const [row] = await sql<{ due: Date | null }[]>`
      select min(next_check_at) as due from acquirer_operations`
    if (!row?.due) return moments
    await clock.advance(Math.max(0, row.due.getTime() - clock.now().getTime()))
    await search()
  }
  throw new Error('the search for answers does not come to an end')
}
