// Lets one effect happen at a time, in an order that the seed decides, and moves time when nothing else can happen.
//
// Whatever a simulated process wants of the world is parked here until it is let go. While one effect is on its way all
// else stands still, so that the same seed gives the same order, though the database behind it is a real one.

import type { Clock } from '../../src/world.ts'
import type { Chance } from './chance.ts'
import type { Trace } from './trace.ts'

/** Whose effects: a process that may die, or something outside that never does. */
export type Owner = { name: string; alive: boolean }

type Parked = {
  owner: Owner
  label: string
  go(): Promise<void>
  meeting: Meeting | undefined
  end(outcome: Outcome): void
}

/** Starts a statement, over the connection of somebody's transaction where there is one. */
export type Start = (via?: (statement: unknown) => void) => Promise<unknown>
/** A statement that may meet another; `names` are the ids in it. */
export type Meeting = { start: Start; names(): readonly string[] }
export type Outcome = PromiseSettledResult<unknown>

/** Lets two statements meet: the second begins before the first is committed. Tells whether it had to wait. */
export type Meet = (
  first: Start,
  second: Start,
) => Promise<{ outcomes: [Outcome, Outcome]; waited: boolean }>
type Timer = { owner: Owner; label: string; at_ms: number; patience: Patience; wake(): void }

/**
 * `none`: time stops for who falls asleep. `some`: who waits for somebody else, and looks again whenever time has gone on.
 * `all`: who looks now and then whether there is something to do, and is woken when there is.
 */
export type Patience = 'none' | 'some' | 'all'

export type Scheduler = {
  now(): Date
  /**
   * Does `act` when it is let go. Of a dead owner nothing is done, and the promise never settles. A statement may meet
   * another one, and is then begun as `meeting` says.
   */
  effect<T>(owner: Owner, label: string, act: () => T | Promise<T>, meeting?: Meeting): Promise<T>
  /** `ahead_ms` is by how much it is ahead of the world's own time. */
  clockOf(
    owner: Owner,
    patienceOf?: (duration_ms: number, signal?: AbortSignal) => Patience,
    ahead_ms?: number,
  ): Clock
  /** Work that the world waits for. Its failure is the world's. */
  spawn(work: Promise<unknown>): void
  /** What its owner wanted never happens, and what it waits for never comes. */
  bury(owner: Owner): void
  /**
   * Goes on until `isOver`. `atRest` is asked where nothing can happen before the time that it is given, null for never; it
   * returns the time to go on to.
   */
  run(isOver: () => boolean, atRest: (timer_at_ms: number | null) => Promise<number>): Promise<void>
  /** Lets one look who looks now and then. */
  poll(owner: Owner): void
  steps(): number
  /** How many statements met another one, and how many of them had to wait for it. */
  meetings(): { met: number; waited: number }
}

/** Turns of the event loop in which nobody does anything: some of what goes on waits for the next one. */
const quiet_turns = 3

/** How often a statement meets one that names the same as it does, one of the same text, any other. */
const shares = { close: 0.7, alike: 0.15, other: 0.02 }

export function openScheduler(
  chance: Chance,
  trace: Trace,
  world: { start: Date; meet: Meet },
): Scheduler {
  let now_ms = world.start.getTime()
  const meetings = { met: 0, waited: 0 }
  let parked: Parked[] = []
  let timers: Timer[] = []
  let activity = 0
  let steps = 0
  let failure: { error: unknown } | null = null

  const effect: Scheduler['effect'] = (owner, label, act, meeting) => {
    if (!owner.alive) return new Promise(() => {})
    activity += 1
    return new Promise((resolve, reject) => {
      const end = (outcome: Outcome) => {
        if (!owner.alive) return
        if (outcome.status === 'fulfilled') resolve(outcome.value as never)
        else reject(outcome.reason)
      }
      const go = async () => {
        const [outcome] = await Promise.allSettled([begin(act)])
        end(outcome)
      }
      parked.push({ owner, label, go, meeting, end })
    })
  }

  const clockOf: Scheduler['clockOf'] = (owner, patienceOf = () => 'none', ahead_ms = 0) => {
    return {
      now: () => new Date(now_ms + ahead_ms),
      sleep(duration_ms, signal) {
        if (!owner.alive) return new Promise(() => {})
        if (signal?.aborted) return Promise.reject(signal.reason)
        activity += 1
        return new Promise<void>((resolve, reject) => {
          const patience = patienceOf(duration_ms, signal)
          const at_ms = now_ms + Math.max(0, duration_ms)
          const callOff = () => {
            activity += 1
            timers = timers.filter((each) => each !== timer)
            reject(signal!.reason)
          }
          const wake = () => {
            signal?.removeEventListener('abort', callOff)
            resolve()
          }
          const timer: Timer = { owner, label: `wake after ${duration_ms}`, at_ms, patience, wake }
          timers.push(timer)
          signal?.addEventListener('abort', callOff, { once: true })
        })
      },
    }
  }

  /** Ends when everybody waits for an effect or for time. */
  async function settle(): Promise<void> {
    for (let quiet = 0, before = activity; quiet < quiet_turns; before = activity) {
      await nextTurn()
      quiet = before === activity ? quiet + 1 : 0
    }
  }

  function wake(timer: Timer): void {
    timers = timers.filter((each) => each !== timer)
    timer.wake()
  }

  function wakeAll(are: (timer: Timer) => boolean): void {
    for (const timer of timers.filter(are)) {
      note(timer)
      wake(timer)
    }
  }

  /** Whom a statement meets, if anybody: those that name the same are of most interest. */
  function rivalOf(next: Parked, { names }: Meeting): Parked | undefined {
    const rivals = parked.filter(({ meeting }) => meeting !== undefined)
    if (rivals.length === 0) return undefined
    const named = new Set(names())
    const close = rivals.filter(({ meeting }) => meeting!.names().some((name) => named.has(name)))
    const alike = rivals.filter(({ label }) => label === next.label)
    if (close.length > 0 && chance.often(shares.close)) return chance.pick(close)
    if (alike.length > 0 && chance.often(shares.alike)) return chance.pick(alike)
    return chance.often(shares.other) ? chance.pick(rivals) : undefined
  }

  async function letGo(next: Parked): Promise<void> {
    const rival = next.meeting && rivalOf(next, next.meeting)
    if (!rival) return next.go()
    parked = parked.filter((each) => each !== rival)
    const { outcomes, waited } = await world.meet(next.meeting!.start, rival.meeting!.start)
    note({ ...rival, label: `meets it${waited ? ' and waits' : ''}: ${rival.label}` })
    meetings.met += 1
    if (waited) meetings.waited += 1
    next.end(outcomes[0])
    rival.end(outcomes[1])
  }

  async function step(): Promise<boolean> {
    const ready = timers.filter(({ at_ms, patience }) => at_ms <= now_ms && patience === 'none')
    const count = parked.length + ready.length
    if (count === 0) return false
    steps += 1
    now_ms += passing(chance)
    const chosen = chance.below(count)
    const timer = ready[chosen - parked.length]
    if (timer) {
      note(timer)
      wake(timer)
    } else {
      const [next] = parked.splice(chosen, 1)
      note(next!)
      await letGo(next!)
    }
    await settle()
    return true
  }

  function note({ owner, label }: Pick<Parked, 'owner' | 'label'>): void {
    trace.note(`${now_ms} ${owner.name}: ${label}`)
  }

  return {
    effect,
    clockOf,
    now: () => new Date(now_ms),
    steps: () => steps,
    meetings: () => meetings,
    spawn(work) {
      work.catch((error: unknown) => {
        failure ??= { error }
      })
    },
    bury(owner) {
      owner.alive = false
      parked = parked.filter((each) => each.owner !== owner)
      timers = timers.filter((each) => each.owner !== owner)
    },
    poll: (owner) => wakeAll((timer) => timer.owner === owner && timer.patience === 'all'),
    async run(isOver, atRest) {
      await settle()
      while (!isOver()) {
        const went = await step()
        if (failure) throw failure.error
        if (went || isOver()) continue
        const waiting = timers.filter(({ patience }) => patience !== 'all')
        const first = waiting.filter(({ patience }) => patience === 'none')
        // Where all wait for each other, those who look again do so when they said.
        const next = first.length > 0 ? first : waiting
        const timer_at_ms = next.length === 0 ? null : Math.min(...next.map(({ at_ms }) => at_ms))
        now_ms = Math.max(now_ms, await atRest(timer_at_ms))
        wakeAll(({ patience, at_ms }) => patience === 'some' && at_ms <= now_ms)
        await settle()
      }
    },
  }
}

async function begin<T>(act: () => T | Promise<T>): Promise<T> {
  return act()
}

/** How long an effect takes. */
function passing(chance: Chance): number {
  const drawn = chance.next()
  if (drawn < 0.7) return Math.floor(drawn * 4)
  return drawn < 0.97 ? Math.floor((drawn - 0.7) * 100) : Math.floor((drawn - 0.97) * 10_000)
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
