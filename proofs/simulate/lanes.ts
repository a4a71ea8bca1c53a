// Where worlds are lived, one after the other: on a database of this thread's own, or in a thread beside it.

import { Worker } from 'node:worker_threads'
import type { BankKind } from './bank/kind.ts'
import { openWorldDatabase, type WorldDatabase } from './database.ts'
import { nothing, plants } from './plants.ts'
import { runWorld, type WorldReport } from './world.ts'

export type WorldOrder = {
  seed: string
  lives: number
  /** The name of a planted fault, if any. */
  plant: string | null
  /** Left out, the seed decides; with a planted fault it is the simulator. */
  bank?: BankKind
  /** So many times as often vendors act by themselves; once where it is left out. */
  habits?: number
  watch?: (line: string) => void
}

/** Lives a world. What comes of it follows from the order alone. One at a time. */
export type Lane = (order: WorldOrder) => Promise<WorldReport>

export type Lanes = { lanes: Lane[]; close(): Promise<void> }

export function laneOn(database: WorldDatabase): Lane {
  return ({ plant: name, ...order }) => {
    if (name === null) return runWorld({ ...order, database, plant: nothing })
    const plant = plants[name]!
    return runWorld({ bank: plant.brings?.bank ?? 'simulator', ...order, database, plant })
  }
}

/** Lanes of this thread, on migrated databases that nobody else uses. */
export async function openLanes(urls: readonly string[]): Promise<Lanes> {
  const databases = await Promise.all(urls.map(openWorldDatabase))
  const close = async () => {
    await Promise.all(databases.map((each) => each.close()))
  }
  return { lanes: databases.map(laneOn), close }
}

/** What a thread is asked, and what it answers. */
export type Ordered = { lane: number; order: WorldOrder }
export type Lived = { lane: number; report: WorldReport } | { lane: number; error: unknown }

/** Lanes of a thread of their own, which nobody can watch. */
export async function openThread(urls: readonly string[]): Promise<Lanes> {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: urls,
    resourceLimits: { maxYoungGenerationSizeMb: 64 },
  })
  const waiting = new Map<number, PromiseWithResolvers<WorldReport>>()
  const ready = Promise.withResolvers<void>()
  const fail = (error: unknown) => {
    ready.reject(error)
    for (const { reject } of waiting.values()) reject(error)
  }
  thread.on('error', fail)
  thread.on('exit', (code) => fail(new Error(`a thread ended with ${code}`)))
  thread.on('message', (message: Lived | 'ready') => {
    if (message === 'ready') return ready.resolve()
    const { resolve, reject } = waiting.get(message.lane)!
    waiting.delete(message.lane)
    if ('report' in message) resolve(message.report)
    else reject(message.error)
  })
  await ready.promise
  const lanes = urls.map(
    (_, lane): Lane =>
      (order) => {
        const lived = Promise.withResolvers<WorldReport>()
        waiting.set(lane, lived)
        thread.postMessage({ lane, order } satisfies Ordered)
        return lived.promise
      },
  )
  const close = async () => {
    const ended = Promise.withResolvers<void>()
    thread.on('exit', () => ended.resolve())
    thread.postMessage('close')
    await ended.promise
  }
  return { lanes, close }
}
