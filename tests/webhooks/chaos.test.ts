// Workers are killed and the database is stopped hard while 20,000 deliveries go out: none is lost, and what is written is true.

import { chmodSync, mkdtempSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { findHome, type Home } from '../../src/database/embedded/home.ts'
import { servingPid } from '../../src/database/embedded/process.ts'
import { isUniqueViolation } from '../../src/database/failures.ts'
import { openIds } from '../../src/kernel/ids.ts'
import { createMerchant } from '../../src/merchants/manage.ts'
import { open, type ServiceResources } from '../../src/service/resources.ts'
import { eventKey } from '../../src/webhooks/delivery.ts'
import { removeData } from '../support/setup-database.ts'
import { commitEvent, type MadeEvent, makeEndpoint, makeEvent, makePayments } from '../support/webhook-events.ts'
import { openWebhookReceiver, type ReceivedEvent, type WebhookReceiver } from '../support/webhook-receiver.ts'
import { startWorkers, type Workers } from '../support/webhook-workers.ts'
import { realClock } from '../support/world.ts'

const merchants = 4
const endpoints_each = 10
const payments_each = 250
const deliveries = merchants * endpoints_each * payments_each * 2
/** So many are committed ahead: enough to lose some, and few enough that events are committed until the end. */
const ahead_max = 3_000
const kills = 18
/** After so many kills the database is stopped. */
const stops = [6, 12]
const limit_ms = 180_000

const settings = {
  schedule: Array.from({ length: 11 }, () => 0.2),
  timeout_ms: 2_000,
  connect_timeout_ms: 2_000,
  lease_slack_ms: 1_500,
  clock_offset_seconds: 0,
}

const data_dir = mkdtempSync(`${tmpdir()}/ripper-tests-${process.pid}-`)
const env = {
  RIPPER_DATA_DIR: data_dir,
  RIPPER_LOG_LEVEL: 'error',
  RIPPER_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  // Workers that begin are most of the work.
  NODE_COMPILE_CACHE: `${data_dir}/compiled`,
}
let opened: ServiceResources
let home: Home
let workers: Workers
const receivers: WebhookReceiver[] = []

beforeAll(async () => {
  // As root, the server's user has to come through.
  chmodSync(data_dir, 0o711)
  home = await findHome(data_dir)
  opened = await open(readConfig({ ...env, RIPPER_LOG_LEVEL: 'silent' }))
}, 60_000)
afterAll(async () => {
  await workers?.stop()
  for (const receiver of receivers) await receiver.close()
  await opened?.database.close()
  removeData(data_dir)
}, 60_000)

/** What came to the receivers of one delivery. */
type Arrivals = { bodies: Set<string>; came: number; answered: number; accepted: number }
const arrivals = new Map<string, Arrivals>()
/** The sequences of each payment at each endpoint, in the order in which they first came. */
const sequences = new Map<string, number[]>()
let accepted = 0

/** Of every forty deliveries of an endpoint four fail once or twice, each in its own way, or are slow. */
function treat({ path, headers, body, event }: ReceivedEvent, response: ServerResponse) {
  const key = headers['rip-idempotency-key']!
  const seen = arrivals.get(key) ?? { bodies: new Set(), came: 0, answered: 0, accepted: 0 }
  arrivals.set(key, seen)
  seen.bodies.add(body)
  seen.came += 1
  const { number, payment_id } = event.data
  const place = `${payment_id} ${key.split('#').at(-1)}`
  const before = sequences.get(place) ?? []
  if (seen.came === 1) sequences.set(place, [...before, event.sequence])
  const turn = (number + Number(path.slice(1))) % 40
  if (turn === 10 && seen.came === 1) return void response.destroy()
  seen.answered += 1
  if (isRefused(path, number)) return 410
  if (turn === 0 && seen.answered === 1) return 500
  if (turn === 20 && seen.answered <= 2) return 503
  seen.accepted += 1
  if (seen.accepted === 1) accepted += 1
  if (turn !== 30) return 200
  void realClock.sleep(300).then(() => response.writeHead(204).end())
}

/** One delivery of each merchant is never accepted. */
const isRefused = (path: string, number: number) => path === '/0' && number === 4

test(
  '20,000 deliveries arrive though workers are killed and the database is stopped',
  async () => {
    const { sql } = opened.database
    const streams = await makeStreams()
    workers = startWorkers(3, env, settings)
    const [, pids] = await Promise.all([commitAll(streams), disturb()])
    expect(new Set(pids).size).toBe(stops.length + 1)
    await waitFor(isQueueEmpty, 'the queue does not become empty')
    expect(workers.fallen).toEqual([])

    const wrong = await sql`
    select d.delivery_id from webhook_deliveries d
    left join webhook_attempts a on a.merchant_id = d.merchant_id and a.delivery_id = d.delivery_id
    group by d.merchant_id, d.delivery_id
    having count(*) <> d.attempt_count or count(distinct a.attempt_number) <> d.attempt_count
      or min(a.attempt_number) <> 1 or max(a.attempt_number) <> d.attempt_count
      or bool_or(a.attempt_id = d.last_attempt_id and a.status = d.status) is not true
      or bool_or(a.next_retry_at is not null and a.attempt_id = d.last_attempt_id)`
    expect(wrong).toEqual([])

    const settled = await sql`
    select payment_id, endpoint_id, sequence, status, attempt_count,
      case sequence when 1 then 'payment.held' else 'payment.captured' end as event_type
    from webhook_deliveries`
    expect(settled).toHaveLength(deliveries)
    const lost = settled.filter((delivery) => {
      const { bodies, answered, accepted: count } = arrivals.get(eventKey(delivery as never))!
      const fits = count === 0 ? 'dead_lettered' : 'succeeded'
      return delivery.status !== fits || bodies.size !== 1 || answered > delivery.attempt_count
    })
    expect(lost).toEqual([])
    expect(settled.filter(({ status }) => status === 'dead_lettered')).toHaveLength(merchants)
    expect(arrivals.size).toBe(deliveries)
    // The second may come first only where the first try of the first failed, which a busy machine may see to as well.
    const tried = await sql`
    select d.payment_id, d.endpoint_id from webhook_deliveries d
    join webhook_attempts a on a.merchant_id = d.merchant_id and a.delivery_id = d.delivery_id
    where d.sequence = 1 and a.attempt_number = 1 and a.status = 'failed'`
    const failed = new Set(tried.map(({ payment_id, endpoint_id }) => `${payment_id} ${endpoint_id}`))
    const turned = [...sequences].filter(([, order]) => `${order}` !== '1,2')
    expect(turned.filter(([place]) => !failed.has(place))).toEqual([])

    const all = [...arrivals.values()].reduce((sum, each) => sum + each.accepted, 0)
    const duplicates = all - accepted
    console.info(`${accepted} accepted, ${duplicates} of them more than once`)
    expect(duplicates).toBeLessThan(deliveries / 5)
  },
  limit_ms,
)

/** Merchants with their endpoints, and the events that each is to be told of. */
async function makeStreams(): Promise<MadeEvent[][]> {
  const { world, keyring, database } = opened
  const ids = openIds(world.random, keyring)
  const context = { sql: database.sql, ids, keyring, clock: world.clock }
  const asked = { name: 'Tea', live: false, live_enabled: false, acquiring_profile: null }
  const streams: MadeEvent[][] = []
  while (streams.length < merchants) {
    const { merchant_id } = await createMerchant({ ...context, actor: 'operator' }, asked)
    const receiver = await openWebhookReceiver(treat)
    receivers.push(receiver)
    for (let path = 0; path < endpoints_each; path += 1) {
      await makeEndpoint(context, { merchant_id, url: `http://127.0.0.1:${receiver.port}/${path}` })
    }
    const payment_ids = await makePayments(context, merchant_id, payments_each)
    const stream = payment_ids.flatMap((payment_id, at) =>
      ([1, 2] as const).map((sequence) =>
        makeEvent(context, { merchant_id, payment_id, sequence }, new Date(), {
          number: at * 2 + sequence,
        }),
      ),
    )
    streams.push(stream)
  }
  return streams
}

/** Commits the events in their order, whatever happens to the database. */
async function commitAll(streams: MadeEvent[][]): Promise<void> {
  const of_one = streams.length * endpoints_each
  for (const [index] of streams[0]!.entries()) {
    await waitFor(() => index * of_one - accepted < ahead_max, 'the deliveries stand still')
    await Promise.all(streams.map((stream) => commitOnce(stream[index]!)))
  }
}

async function commitOnce(event: MadeEvent): Promise<void> {
  for (;;) {
    try {
      return await commitEvent(opened.database.sql, event)
    } catch (error) {
      // It was committed before, and the answer lost.
      if (isUniqueViolation(error)) return
      await realClock.sleep(20)
    }
  }
}

/** Kills and stops as the deliveries go on. Returns the processes that served the database. */
async function disturb(): Promise<number[]> {
  const pids = [servingPid(home)!]
  for (let round = 1; round <= kills; round += 1) {
    const share = (deliveries * round) / (kills + 2)
    await waitFor(() => accepted > share, 'the deliveries stand still')
    await waitFor(() => workers.killOldest(), 'no worker works')
    if (!stops.includes(round)) continue
    process.kill(pids.at(-1)!, 'SIGQUIT')
    await waitFor(() => ![null, pids.at(-1)].includes(servingPid(home)), 'no database comes')
    pids.push(servingPid(home)!)
  }
  return pids
}

async function isQueueEmpty(): Promise<boolean> {
  try {
    return (await opened.database.sql`select 1 from webhook_queue limit 1`).length === 0
  } catch {
    return false
  }
}

async function waitFor(fits: () => boolean | Promise<boolean>, otherwise: string): Promise<void> {
  const give_up = performance.now() + limit_ms / 2
  while (!(await fits())) {
    if (performance.now() > give_up) throw new Error(otherwise)
    await realClock.sleep(5)
  }
}
