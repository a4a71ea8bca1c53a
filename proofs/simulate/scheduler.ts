// Lets one effect happen at a time, in an order that the seed decides, and moves time when nothing else can happen.
//
// Whatever a simulated process wants of the world is parked here until it is let go. While one effect is on its way all
// else stands still, so that the same seed gives the same order, though the database behind it is a real one.

import type { Clock } from '../../src/kernel/world.ts'
import type { Chance } from './chance.ts'
import { chooseRival, type Meeting, type Outcome, type Start } from './meetings.ts'
import type { Trace } from './trace.ts'

/** Whose effects: a process that may die, or something outside that never does. */
export type Owner = {
  name: string
  alive: boolean
  /** Until then it stands still: it does nothing, hears nothing, and no timer wakes it, while time goes on. */
  asleep_until_ms?: number
}

type Parked = {
  owner: Owner
  label: string
  go(): Promise<void>
  meeting: Meeting | undefined
  end(outcome: Outcome): void
}

/** Lets two or three statements meet: the others begin before the first is committed. Tells how many had to wait. */
export type Meet = (starts: Start[]) => Promise<{ outcomes: Outcome[]; waited: number }>
/** Whether somebody stalls at an effect that is about to happen, and for how long. */
export type Stall = (owner: Owner, label: string) => { when: 'before' | 'after'; duration_ms: number } | null
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
  /** `aheadMs` is by how much it is ahead of the world's own time, which may change. */
  clockOf(
    owner: Owner,
    patienceOf?: (duration_ms: number, signal?: AbortSignal) => Patience,
    aheadMs?: () => number,
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
  isAwake(owner: Owner): boolean
  /** Lets one look who looks now and then. */
  poll(owner: Owner): void
  steps(): number
  /** How many statements met another one, two others, and how many of them had to wait. */
  meetings(): { met: number; met_two: number; waited: number }
}

/** Turns of the event loop in which nobody does anything: some of what goes on waits for the next one. */
const quiet_turns = 3

/** How often two that meet are three. */
const third_share = 0.35

export function openScheduler(
  chance: Chance,
  trace: Trace,
  world: { start: Date; meet: Meet; stall: Stall },
): Scheduler {
  let now_ms = world.start.getTime()
  const meetings = { met: 0, met_two: 0, waited: 0 }
  let parked: Parked[] = []
  let timers: Timer[] = []
  let activity = 0
  let steps = 0
  let failure: { error: unknown } | null = null

  const isAwake = ({ asleep_until_ms = 0 }: Owner) => asleep_until_ms <= now_ms

  const effect: Scheduler['effect'] = (owner, label, act, meeting) => {
    if (!owner.alive) return new Promise(() => {})
    activity += 1
    return new Promise((resolve, reject) => {
      const end = (outcome: Outcome) => {
        if (!owner.alive) return
        if (!isAwake(owner)) {
          const hear = async () => end(outcome)
          parked.push({ owner, label: `hears: ${label}`, go: hear, meeting: undefined, end })
          return
        }
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

  const clockOf: Scheduler['clockOf'] = (owner, patienceOf = () => 'none', aheadMs = () => 0) => {
    return {
      now: () => new Date(now_ms + aheadMs()),
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

  const rivalOf = (next: Parked): Parked | undefined =>
    chooseRival(
      chance,
      next,
      parked.filter(({ owner }) => isAwake(owner)),
    )

  async function letGo(next: Parked): Promise<void> {
    const rival = rivalOf(next)
    if (!rival) return next.go()
    const met = [rival]
    parked = parked.filter((each) => each !== rival)
    const third = chance.often(third_share) && rivalOf(next)
    if (third) {
      met.push(third)
      parked = parked.filter((each) => each !== third)
      meetings.met_two += 1
    }
    const { outcomes, waited } = await world.meet([next, ...met].map((each) => each.meeting!.start))
    for (const each of met) note({ ...each, label: `meets it, ${waited} wait: ${each.label}` })
    meetings.met += 1
    meetings.waited += waited
    for (const [at, each] of [next, ...met].entries()) each.end(outcomes[at]!)
  }

  /** Lets it go, unless its owner falls asleep before. */
  async function go(next: Parked): Promise<void> {
    const stall = world.stall(next.owner, next.label)
    if (stall) {
      next.owner.asleep_until_ms = now_ms + stall.duration_ms
      note({ ...next, label: `stalls for ${stall.duration_ms} ms ${stall.when}: ${next.label}` })
    }
    if (stall?.when === 'before') parked.push(next)
    else await letGo(next)
  }

  async function step(): Promise<boolean> {
    const ready = timers.filter(
      ({ owner, at_ms, patience }) => at_ms <= now_ms && patience === 'none' && isAwake(owner),
    )
    const able = parked.filter(({ owner }) => isAwake(owner))
    const count = able.length + ready.length
    if (count === 0) return false
    steps += 1
    now_ms += passing(chance)
    const chosen = chance.below(count)
    const timer = ready[chosen - able.length]
    if (timer) {
      note(timer)
      wake(timer)
    } else {
      const next = able[chosen]!
      parked = parked.filter((each) => each !== next)
      note(next)
      await go(next)
    }
    await settle()
    return true
  }

  /** When somebody can go on at the earliest; null for never. */
  function nextMs(): number | null {
    const awakeMs = ({ asleep_until_ms = 0 }: Owner) => asleep_until_ms
    const waiting = timers.filter(({ patience }) => patience !== 'all')
    const first = waiting.filter(({ patience }) => patience === 'none')
    // Where all wait for each other, those who look again do so when they said.
    const next = first.length > 0 || parked.length > 0 ? first : waiting
    const times = [
      ...next.map(({ owner, at_ms }) => Math.max(at_ms, awakeMs(owner))),
      ...parked.map(({ owner }) => awakeMs(owner)),
    ]
    return times.length === 0 ? null : Math.min(...times)
  }

  function note({ owner, label }: Pick<Parked, 'owner' | 'label'>): void {
    trace.note(`${now_ms} ${owner.name}: ${label}`)
  }

  return {
    effect,
    clockOf,
    isAwake,
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
    poll: (owner) => wakeAll((timer) => timer.owner === owner && timer.patience === 'all' && isAwake(owner)),
    async run(isOver, atRest) {
      await settle()
      while (!isOver()) {
        const went = await step()
        if (failure) throw failure.error
        if (went || isOver()) continue
        now_ms = Math.max(now_ms, await atRest(nextMs()))
        wakeAll(({ owner, patience, at_ms }) => patience === 'some' && at_ms <= now_ms && isAwake(owner))
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
