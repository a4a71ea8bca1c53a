// A service that delivers on a clock that stands still, and receivers that answer when they are told to: whatever waits, waits.

import type { ServerResponse } from 'node:http'
import type { QueueClass } from '../../src/webhooks/queue/claim-store.ts'
import { type ManualClock, manualClock } from './clock.ts'
import { type Service, startService } from './service.ts'
import { commitEvent, makeEndpoint, makeEvent, makePayments } from './webhook-events.ts'
import { openWebhookReceiver, type WebhookReceiver } from './webhook-receiver.ts'
import { realClock } from './world.ts'

/** A receiver at which all wait until they are answered. */
export type Counter = {
  url: string
  /** The numbers of all that came, in their order. */
  came: number[]
  /** Who waits, by number, in the order of their coming. */
  waiting: { number: number; response: ServerResponse }[]
  answer(status: number, which?: Which): void
}

type Which = {
  /** So many of those who have waited longest; all where nothing is said. */
  count?: number
  fits?: (number: number) => boolean
  headers?: Record<string, string>
}

export type Endpoint = { merchant_id: string; endpoint_id: string }

export type QueueRow = {
  delivery_id: string
  class: QueueClass
  attempt_number: number
  attempt_id: string | null
  due_at: Date
}

export type Stage = {
  service: Service
  clock: ManualClock
  openCounter(): Promise<Counter>
  /** An endpoint at this address, of a merchant of its own or of this one. */
  endpointAt(url: string, merchantId?: string): Promise<Endpoint>
  /** Events of so many payments to all endpoints of a merchant, each with its number in the data. */
  tell(merchant: Pick<Endpoint, 'merchant_id'>, count: number, first_number?: number): Promise<void>
  /** More deliveries of the endpoint's only event than an event ever has. */
  tellAgain(endpoint: Endpoint, count: number, queueClass: QueueClass): Promise<void>
  queueOf(endpoint: Endpoint): Promise<QueueRow[]>
  /** How often the breaker of an endpoint has opened again; null while it is closed. */
  reopened(endpoint: Endpoint): Promise<number | null>
  /** Lets time pass, little by little, until something is so. */
  until(fits: () => boolean | Promise<boolean>): Promise<void>
  /** Lets so much time pass, in which the deliveries go on as they can. */
  pass(seconds: number): Promise<void>
  close(): Promise<void>
}

const step_ms = 20
const steps_max = 100
const limit_ms = 30_000
const day_ms = 24 * 3_600_000

export async function openStage(schedule: number[]): Promise<Stage> {
  const clock = manualClock()
  const service = await startService({
    clock,
    deliver: { schedule, timeout_ms: day_ms, connect_timeout_ms: day_ms, lease_slack_ms: day_ms },
  })
  const { context, sql } = service
  const receivers: WebhookReceiver[] = []

  async function step(duration_ms: number): Promise<void> {
    await clock.advance(duration_ms)
    await realClock.sleep(1)
  }

  async function until(fits: () => boolean | Promise<boolean>): Promise<void> {
    const give_up = performance.now() + limit_ms
    while (!(await fits())) {
      if (performance.now() > give_up) throw new Error('it did not come to pass')
      await step(step_ms)
    }
  }

  async function tell({ merchant_id }: { merchant_id: string }, count: number, first_number = 0) {
    const payment_ids = await makePayments(context, merchant_id, count)
    const commits = payment_ids.map((payment_id, index) => {
      const of = { merchant_id, payment_id, sequence: 1 as const }
      return commitEvent(sql, makeEvent(context, of, clock.now(), { number: first_number + index }))
    })
    await Promise.all(commits)
    context.wakeDeliveries('event', merchant_id)
  }

  return {
    service,
    clock,
    until,
    tell,
    async openCounter() {
      const counter = await openCounter()
      receivers.push(counter.receiver)
      return counter
    },
    async endpointAt(url, merchantId) {
      const merchant_id = merchantId ?? (await service.newAccount({ integration: null })).merchant_id
      const { endpoint_id } = await makeEndpoint(context, { merchant_id, url })
      return { merchant_id, endpoint_id }
    },
    async tellAgain({ merchant_id, endpoint_id }, count, queueClass) {
      await sql`
        insert into webhook_queue (merchant_id, delivery_id, endpoint_id, class, due_at, attempt_number, payment_id,
          sequence, root_id, root_created_at, created_at)
        select merchant_id, id, ${endpoint_id}, ${queueClass}, created_at, ${queueClass}, payment_id,
          sequence, id, created_at, created_at
        from events, generate_series(1, ${count}::int) n,
          lateral (select webhook_id(created_at, 'delivery ' || n) as id) made
        where merchant_id = ${merchant_id}`
    },
    queueOf: ({ endpoint_id }) => sql<QueueRow[]>`
      select delivery_id, class, attempt_number, attempt_id, due_at from webhook_queue
      where endpoint_id = ${endpoint_id} order by delivery_id`,
    async reopened({ endpoint_id }) {
      const [health] = await sql<{ reopen_count: number }[]>`
        select reopen_count from webhook_endpoint_health
        where endpoint_id = ${endpoint_id} and state = 'open'`
      return health?.reopen_count ?? null
    },
    async pass(seconds) {
      const steps = Math.min(steps_max, Math.ceil((seconds * 1000) / step_ms))
      for (let each = 0; each < steps; each += 1) await step((seconds * 1000) / steps)
    },
    async close() {
      for (const receiver of receivers) await receiver.close()
      let isClosed = false
      const closing = service.close().finally(() => {
        isClosed = true
      })
      await until(() => isClosed)
      await closing
    },
  }
}

async function openCounter(): Promise<Counter & { receiver: WebhookReceiver }> {
  const came: number[] = []
  const waiting: Counter['waiting'] = []
  const receiver = await openWebhookReceiver(({ event }, response) => {
    const { number } = event.data
    came.push(number)
    waiting.push({ number, response })
    return undefined
  })
  return {
    receiver,
    url: receiver.url,
    came,
    waiting,
    answer(status, { count = waiting.length, fits = () => true, headers = {} } = {}) {
      const chosen = waiting.filter(({ number }) => fits(number)).slice(0, count)
      for (const one of chosen) {
        waiting.splice(waiting.indexOf(one), 1)
        one.response.writeHead(status, headers).end()
      }
    },
  }
}
