// The engine of the webhook benchmarks as `ripper serve` runs it, in a process of its own: the loop that delivers and
// the jobs. Events are committed here too, and the loop is woken as confirm wakes it.

import { setTimeout as pause } from 'node:timers/promises'
import { inOtherWords } from '../src/compatible/events/event-words.ts'
import { readConfig } from '../src/config/config.ts'
import { keepMasterKey } from '../src/config/master-key.ts'
import { openDatabase } from '../src/database/open.ts'
import { openMetrics } from '../src/http/metrics.ts'
import { jobs } from '../src/jobs.ts'
import { openIds } from '../src/kernel/ids.ts'
import { openKeyring } from '../src/kernel/keyring.ts'
import { openGuardedHttp } from '../src/outgoing/guarded-http.ts'
import { openWorld } from '../src/outgoing/real-world.ts'
import { openAcquiring } from '../src/service/acquiring.ts'
import { startWorker } from '../src/service/cell-work.ts'
import { openNeighbours } from '../src/service/neighbours.ts'
import { type DeliveryLoop, startDeliveries } from '../src/webhooks/sending/delivery-loop.ts'
import { answerOrders, commonNow, settingOf } from './deliver-child.ts'
import { commitEvent, eventOf, type Series } from './deliver-events.ts'

export type EngineSetting = { data_dir: string }

export type EngineOrder =
  /** A loop that knows nothing of any endpoint yet. */
  | { order: 'start' }
  /** Ends the loop; answers with the Statements since it began. */
  | { order: 'stop' }
  /** Commits a series of events at an even rate, whatever becomes of them; answers with an Offered. */
  | ({ order: 'offer' } & Offer)

export type Offer = {
  series: Series
  per_second: number
  /** Of the statements, those of the events from this index on are counted. */
  first: number
  count: number
}

export type Statements = { claims: number; settles: number; commits: number; others: number }

/** When each event should have been committed, and when its commit had returned. */
export type Offered = { due_ms: Float64Array; committed_ms: Float64Array; statements: Statements }

const config = readConfig({
  RIPPER_DATA_DIR: settingOf<EngineSetting>().data_dir,
  RIPPER_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
})
const none: Statements = { claims: 0, settles: 0, commits: 0, others: 0 }
let statements = { ...none }

const world = openWorld(config)
const { clock, log, random } = world
const database = await openDatabase({
  url: null,
  data_dir: config.data_dir,
  connections_max: config.database_connections,
  clock,
  log,
  onStatement: (text) => {
    statements[kindOf(text)] += 1
  },
})
const { sql } = database
const keyring = openKeyring(keepMasterKey(config.data_dir, random), random)
const metrics = openMetrics()
const worker = startWorker(
  {
    world,
    sql,
    keyring,
    metrics,
    ids: openIds(random, keyring),
    ...(await openAcquiring({ sql, keyring, world })),
    wakeDeliveries: () => {},
  },
  jobs,
)
let loop: DeliveryLoop | null = null
const neighbours = await openNeighbours({
  database,
  world,
  delivers: false,
  isAlone: () => false,
  heard: ({ is_undelivered }) => is_undelivered && loop?.wake('replay'),
})
let offering: Promise<Offered> | null = null
let ending = false

function kindOf(text: string): keyof Statements {
  if (/\bwebhook_queue\b.*\bfor update skip locked\b/s.test(text)) return 'claims'
  if (/^\s*with settlement\b/.test(text)) return 'settles'
  return text.includes('insert into events') ? 'commits' : 'others'
}

function start(): void {
  const { timeout_seconds, connect_timeout_seconds, retry_schedule, allowed_networks } = config.webhooks
  statements = { ...none }
  loop = startDeliveries({
    world,
    sql,
    keyring,
    metrics,
    http: openGuardedHttp({ clock, allowed_networks }),
    inOtherWords,
    settings: {
      schedule: retry_schedule,
      timeout_ms: timeout_seconds * 1000,
      connect_timeout_ms: connect_timeout_seconds * 1000,
      lease_slack_ms: 15_000,
      clock_offset_seconds: 0,
    },
  })
}

async function offer({ series, per_second, first, count }: Offer): Promise<Offered> {
  const due_ms = new Float64Array(count)
  const committed_ms = new Float64Array(count)
  const running = new Set<Promise<void>>()
  const commit = async (index: number) => {
    const event = eventOf(series, index, clock.now())
    await commitEvent(sql, event)
    committed_ms[index] = commonNow()
    if (loop) loop.wake()
    else neighbours.tell(event.merchant_id)
  }
  const started_ms = commonNow()
  for (let index = 0; index < count && !ending; ) {
    for (; index < count && commonNow() >= started_ms + (index * 1000) / per_second; index += 1) {
      if (index === first) statements = { ...none }
      due_ms[index] = started_ms + (index * 1000) / per_second
      const committing = commit(index).finally(() => running.delete(committing))
      running.add(committing)
    }
    await pause(1)
  }
  const counted = { ...statements }
  await Promise.all(running)
  return { due_ms, committed_ms, statements: counted }
}

async function stop(): Promise<void> {
  await loop?.stop()
  loop = null
}

answerOrders<EngineOrder>(
  async (order) => {
    switch (order.order) {
      case 'start':
        return start()
      case 'stop':
        await stop()
        return statements
      case 'offer':
        offering = offer(order)
        return offering
    }
  },
  async () => {
    ending = true
    await offering
    await Promise.all([stop(), worker.stop(), neighbours.stop()])
    await database.close()
  },
)
