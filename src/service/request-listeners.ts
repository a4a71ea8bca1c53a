// Shows a merchant's requests of all processes to everybody who follows them: a process with such a follower says so,
// and the others send it the requests that they answer for that merchant. Without followers nothing is sent. This file
// also limits what callers may do at once, for all processes together.

import type { Database } from '../database/open.ts'
import type { LoggedRequest, RequestLog } from '../http/request-log.ts'
import { openSharedCounts, type SharedCounts } from '../http/shared-counts.ts'
import { openStreamSeats, type StreamSeats } from '../http/stream-seats.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { World } from '../kernel/world.ts'

/** The messages between processes. */
export type TailMessage =
  | { kind: 'tail'; merchant_id: string }
  /** `is_cut`: there were more requests than the message has. */
  | { kind: 'requests'; requests: ToldRequest[]; is_cut: boolean }

type ToldRequest = Omit<LoggedRequest, 'at'> & { at: string }

export type Tails = {
  /** The log of this process. While somebody follows it, requests of other processes appear in it. */
  requests: RequestLog
  heard(message: TailMessage): void
  stop(): void
}

type TailsOptions = {
  world: Pick<World, 'clock'>
  say(message: TailMessage): Promise<void>
  isAlone(): boolean
}

/** How often a process repeats that it has followers. Without a repeat, the others soon stop believing it. */
export const again_ms = 15_000
export const believed_ms = 40_000
const merchants_max = 200
export const rest_ms = 100
/** The number of requests that wait for the next message; further ones are left out. */
export const tail_waiting_max = 200
/** A notification has at most 8,000 bytes, and its envelope needs some. */
const bytes_max = 7_000

export function openTails({ world, say, isAlone }: TailsOptions, own: RequestLog): Tails {
  const { clock } = world
  const stopping = new AbortController()
  /** How many follow here, by merchant. */
  const listening = new Map<string, number>()
  /** Until when other processes have followers, by merchant. */
  const listenersUntil = new Map<string, number>()
  let waiting: ToldRequest[] = []
  let is_cut = false
  let is_telling = false

  const isWanted = (merchant_id: string) => (listenersUntil.get(merchant_id) ?? 0) > clock.now().getTime()

  async function tellOn(): Promise<void> {
    is_telling = true
    while (waiting.length > 0 && !stopping.signal.aborted) {
      const [batches, cut] = [packed(waiting), is_cut]
      waiting = []
      is_cut = false
      for (const { requests, is_short } of batches) {
        await say({ kind: 'requests', requests, is_cut: cut || is_short })
      }
      await clock.sleep(rest_ms, stopping.signal).catch(() => {})
    }
    is_telling = false
  }

  async function askOn(merchant_id: string): Promise<void> {
    while (listening.has(merchant_id) && !stopping.signal.aborted) {
      if (!isAlone()) await say({ kind: 'tail', merchant_id })
      await clock.sleep(again_ms, stopping.signal).catch(() => {})
    }
  }

  function leave(merchant_id: string): void {
    const count = listening.get(merchant_id)! - 1
    if (count > 0) listening.set(merchant_id, count)
    else listening.delete(merchant_id)
  }

  return {
    requests: {
      ...own,
      add(request) {
        own.add(request)
        if (!isWanted(request.merchant_id)) return
        if (waiting.length >= tail_waiting_max) is_cut = true
        else waiting.push({ ...request, at: request.at.toISOString() })
        if (!is_telling) void tellOn()
      },
      hear(listener, merchant_id) {
        const unhear = own.hear(listener, merchant_id)
        const before = listening.get(merchant_id) ?? 0
        listening.set(merchant_id, before + 1)
        if (before === 0) void askOn(merchant_id)
        return () => {
          unhear()
          leave(merchant_id)
        }
      },
    },
    heard(message) {
      if (message.kind === 'tail') {
        listenersUntil.delete(message.merchant_id)
        for (const oldest of listenersUntil.keys()) {
          if (listenersUntil.size < merchants_max) break
          listenersUntil.delete(oldest)
        }
        listenersUntil.set(message.merchant_id, clock.now().getTime() + believed_ms)
        return
      }
      if (message.is_cut && listening.size > 0) own.miss()
      for (const { at, ...request } of message.requests) {
        if (listening.has(request.merchant_id)) own.add({ ...request, at: new Date(at) })
      }
    },
    stop: () => stopping.abort(),
  }
}

/** As many requests in each message as fit. A request that fits into none is left out. */
function packed(all: ToldRequest[]): { requests: ToldRequest[]; is_short: boolean }[] {
  const batches: { requests: ToldRequest[]; is_short: boolean; bytes: number }[] = []
  for (const request of all) {
    const bytes = Buffer.byteLength(JSON.stringify(request)) + 1
    const last = batches.at(-1)
    const fits = last !== undefined && last.bytes + bytes <= bytes_max
    const batch = fits ? last : { requests: [], is_short: false, bytes: 0 }
    if (!fits) batches.push(batch)
    if (bytes > bytes_max) batch.is_short = true
    else {
      batch.requests.push(request)
      batch.bytes += bytes
    }
  }
  return batches
}

/** The other processes, as far as this one knows them. */
export type OtherProcesses = {
  process_id: string
  /** The time that all processes share. */
  now(): Date
  /** How many processes answer requests. */
  serving(): number
}

type TogetherOptions = {
  together?: OtherProcesses
  world: Pick<World, 'clock' | 'random' | 'log'>
  database: Pick<Database, 'sql'>
  keyring: Pick<Keyring, 'mac'>
}

/** Nothing if the process knows no others: it counts alone. */
export function limitedTogether({ together, world, database, keyring }: TogetherOptions): {
  sharedCounts?: SharedCounts
  streamSeats?: StreamSeats
} {
  if (!together) return {}
  const { now, process_id } = together
  const { clock, log } = world
  const { sql } = database
  const digest = (kind: string, address: string) =>
    keyring.mac('gateway count', kind, address).toString('base64url').slice(0, 22)
  return {
    sharedCounts: openSharedCounts({ ...together, sql, clock, log, digest }),
    streamSeats: openStreamSeats({ sql, world, process_id, databaseNow: now }),
  }
}
