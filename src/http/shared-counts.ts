// How many more requests an address may make at all processes together. Each process has a few free for it; for more it
// takes places of the common limit in the database, some in advance. An address with few requests is never written. If
// the database does not answer soon, no request is refused or delayed for it: each process then counts alone.

import type { Sql } from '../database/open.ts'
import type { World } from '../kernel/world.ts'
import { type PlacesAsked, takePlaces } from './shared-count-store.ts'

export type SharedCounts = {
  /** The time at which minutes begin, the same in every process. */
  now(): Date
  /**
   * Whether a request may go on that this process alone would admit. `used` counts this address's requests in this
   * process and minute, including this one.
   */
  admits(request: CountedRequest): boolean | Promise<boolean>
}

export type CountedRequest = { kind: string; address: string; used: number; limit: number }

type SharedCountsOptions = {
  sql: Sql
  clock: Pick<World['clock'], 'sleep'>
  log: Pick<World['log'], 'warn'>
  now(): Date
  /** How many processes answer requests. */
  serving(): number
  /** A digest, so that no address is written. */
  digest(kind: string, address: string): string
}

/** An address's part of the shared limit, in this process and minute. */
type Share = {
  name: string
  places: number
  tokens: number
  waiting: ((may_pass: boolean) => void)[]
  /** The database is being asked for more. */
  is_asked: boolean
  /** Nothing is left. */
  is_dry: boolean
}

export const count_window_ms = 60_000
/** How much more than the limit all processes together may admit: the free requests of each. */
const free_share = 0.2
/** Per minute. Beyond this number, addresses are counted by each process alone. */
export const shares_max = 20_000
const batch_max = 500
/** Requests that come this soon after a statement wait for the next one. */
const rest_ms = 20
/** A database that takes longer counts as unavailable. */
export const counts_patience_ms = 250
const away_ms = 1_000

export function openSharedCounts(options: SharedCountsOptions): SharedCounts {
  const { now, serving } = options
  let began_ms = Number.NaN
  let shares = new Map<string, Share>()
  const settling = openSettling(options)

  function shareOf({ kind, address, limit }: CountedRequest): Share | null {
    const window = Math.floor(now().getTime() / count_window_ms) * count_window_ms
    if (window !== began_ms) {
      began_ms = window
      shares = new Map()
    }
    const key = `${kind} ${address}`
    const knownShare = shares.get(key)
    if (knownShare || shares.size >= shares_max) return knownShare ?? null
    const name = options.digest(kind, address)
    const share = { name, places: limit, tokens: 0, waiting: [], is_asked: false, is_dry: false }
    shares.set(key, share)
    return share
  }

  return {
    now,
    admits(request) {
      const processes = serving()
      if (processes === 1) return true
      const free = Math.floor((request.limit * free_share) / processes)
      if (request.used * 2 <= free) return true
      const share = shareOf(request)
      if (share === null) return true
      // So few that unused places cost the address no more than it has free.
      const ahead = Math.max(1, Math.floor(free / 2))
      const ask = () => settling.ask(share, { window_at: new Date(began_ms), ahead })
      if (request.used <= free) {
        if (share.tokens === 0) ask()
        return true
      }
      if (share.tokens > 0) {
        share.tokens -= 1
        if (share.tokens * 2 < ahead) ask()
        return true
      }
      if (share.is_dry) return false
      if (settling.isAway()) {
        ask()
        return true
      }
      const { promise, resolve } = Promise.withResolvers<boolean>()
      share.waiting.push(resolve)
      ask()
      return promise
    },
  }
}

type Asking = { window_at: Date; ahead: number }
type Asked = Asking & { share: Share }

/** Asks the database, one statement at a time. */
function openSettling({ sql, clock, log }: SharedCountsOptions) {
  let questions: Asked[] = []
  let is_running = false
  let is_away = false

  function ask(share: Share, question: Asking): void {
    if (share.is_asked || share.is_dry) return
    share.is_asked = true
    questions.push({ ...question, share })
    if (!is_running) void run()
  }

  async function run(): Promise<void> {
    is_running = true
    while (questions.length > 0) {
      const { window_at } = questions[0]!
      const batch = firstOf(questions, window_at)
      const batchSet = new Set(batch)
      questions = questions.filter((each) => !batchSet.has(each))
      await settle(window_at, batch)
      await clock.sleep(is_away ? away_ms : rest_ms)
    }
    is_running = false
  }

  async function settle(window_at: Date, batch: Asked[]): Promise<void> {
    const answerEnd = new AbortController()
    const late = clock.sleep(counts_patience_ms, answerEnd.signal).then(
      () => goAway(batch, 'no answer in time'),
      () => {},
    )
    try {
      const requests = batch.map(({ share, ahead }): PlacesAsked => {
        return { name: share.name, places: share.places, wanted: share.waiting.length + ahead }
      })
      const grants = await takePlaces(sql, window_at, requests)
      is_away = false
      for (const [at, { share }] of batch.entries()) {
        receive(share, grants.get(share.name) ?? 0, requests[at]!.wanted)
        // These requests came in the meantime.
        if (share.waiting.length > 0) ask(share, { window_at, ahead: batch[at]!.ahead })
      }
    } catch (error) {
      goAway(batch, (error as Error).message)
    } finally {
      answerEnd.abort()
      await late
    }
  }

  function goAway(batch: Asked[], error: string): void {
    if (!is_away) log.warn({ error }, 'the gateway limit counts in each process by itself')
    is_away = true
    for (const { share } of [...batch, ...questions]) {
      for (const pass of share.waiting.splice(0)) pass(true)
    }
    for (const { share } of batch) share.is_asked = false
  }

  return { ask, isAway: () => is_away }
}

/** The questions of one statement, which must not name the same row twice. */
function firstOf(questions: readonly Asked[], window_at: Date): Asked[] {
  const byName = new Map<string, Asked>()
  for (const each of questions) {
    if (byName.size === batch_max) break
    const is_new = !byName.has(each.share.name)
    if (is_new && each.window_at.getTime() === window_at.getTime()) byName.set(each.share.name, each)
  }
  return [...byName.values()]
}

/** Hands out the granted places, first to those who have waited longest. */
function receive(share: Share, grant: number, wish: number): void {
  share.is_asked = false
  share.is_dry = grant < wish
  const passing = share.waiting.splice(0, grant)
  share.tokens += grant - passing.length
  for (const pass of passing) pass(true)
  if (share.is_dry) for (const pass of share.waiting.splice(0)) pass(false)
}
