// Counts for Prometheus, served at /metrics.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof openMetrics>

export function openMetrics() {
  const registry = new Registry()
  const ofProcess = processMetrics()
  const registers = [registry]
  return {
    ...requestMetrics(registers),
    ...paymentMetrics(registers),
    ...deliveryMetrics(registers),
    ...queueMetrics(registers),
    ...settlementMetrics(registers),
    ...noticeMetrics(registers),
    ...receiptMetrics(registers),
    ...healthMetrics(registers),
    content_type: registry.contentType,
    text: async () => `${await registry.metrics()}\n${await ofProcess.metrics()}`,
  }
}

/** Requests that are answered, and streams that are open. */
function requestMetrics(registers: Registry[]) {
  const requests = new Histogram({
    name: 'ripper_http_request_duration_seconds',
    help: 'Duration of answered HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  const streams = new Gauge({
    name: 'ripper_open_streams',
    help: 'Event and log streams that are open in this process.',
    labelNames: ['route'],
    registers,
  })
  const notKept = new Counter({
    name: 'ripper_refusals_not_kept_total',
    help: 'Refused requests that the request log lacks: too many came, or the database did not take them.',
    registers,
  })
  return {
    refusalsNotKept: (count: number) => notKept.inc(count),
    requestEnded(method: string, route: string, status: number, duration_seconds: number) {
      requests.labels(method, route, String(status)).observe(duration_seconds)
    },
    streamsOpen(route: string, more: 1 | -1) {
      streams.labels(route).inc(more)
    },
  }
}

/** Results of confirms, and purged rows. */
function paymentMetrics(registers: Registry[]) {
  const payments = new Counter({
    name: 'ripper_payments_total',
    help: 'Payments by the status that confirm ended with.',
    labelNames: ['status', 'mode'],
    registers,
  })
  const blocks = new Counter({
    name: 'ripper_payments_blocked_total',
    help: 'Live payments declined here after too many declines: of their payer, or of the merchant as a whole.',
    labelNames: ['limit'],
    registers,
  })
  for (const limit of ['payer', 'merchant']) blocks.inc({ limit }, 0)
  const purges = new Counter({
    name: 'ripper_sessions_purged_total',
    help: 'Sessions that nobody paid and that were deleted.',
    labelNames: ['mode'],
    registers,
  })
  return {
    paymentConfirmed(status: string, mode: string) {
      payments.labels(status, mode).inc()
    },
    paymentBlocked(limit: 'payer' | 'merchant') {
      blocks.labels(limit).inc()
    },
    sessionsPurged(mode: string, count: number) {
      purges.labels(mode).inc(count)
    },
  }
}

/** Attempts to deliver webhooks. */
function deliveryMetrics(registers: Registry[]) {
  const attempts = new Histogram({
    name: 'ripper_webhook_attempt_duration_seconds',
    help: 'Duration of webhook attempts by how they ended: succeeded, failed, dead_lettered.',
    labelNames: ['status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
    registers,
  })
  const waits = new Histogram({
    name: 'ripper_webhook_first_attempt_wait_seconds',
    help: 'From the commit of an event to the first attempt of its delivery.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300],
    registers,
  })
  const deadLetters = new Counter({
    name: 'ripper_webhook_dead_letters_total',
    help: 'Webhook deliveries that were given up.',
    registers,
  })
  const lostAttempts = new Counter({
    name: 'ripper_webhook_lost_attempts_total',
    help: 'Webhook attempts that were begun and never settled, found by whoever took them over.',
    registers,
  })
  const fences = new Counter({
    name: 'ripper_webhook_fence_rejections_total',
    help: 'Webhook attempts that ended after somebody else had taken their delivery over.',
    registers,
  })
  return {
    webhookAttempted(status: string, duration_seconds: number) {
      attempts.labels(status).observe(duration_seconds)
    },
    webhookWaited: (seconds: number) => waits.observe(seconds),
    webhookDeadLettered: (count: number) => deadLetters.inc(count),
    webhookLost: () => lostAttempts.inc(),
    webhookFenced: () => fences.inc(),
  }
}

/** The queue of deliveries, and the breakers of their endpoints. */
function queueMetrics(registers: Registry[]) {
  const counts: (() => Record<string, number>)[] = []
  new Gauge({
    name: 'ripper_webhook_breakers',
    help: 'Webhook endpoints that this process sends to, by the state of their circuit breaker.',
    labelNames: ['state'],
    registers,
    // Counted at each scrape: not worth a query at each turn of the loop.
    collect() {
      this.reset()
      for (const count of counts) {
        for (const [state, value] of Object.entries(count())) this.labels(state).inc(value)
      }
    },
  })
  const depth = new Gauge({
    name: 'ripper_webhook_queue_depth',
    help: 'Webhook deliveries that are not settled, up to 100 000: first attempts, and retries with replays.',
    labelNames: ['class'],
    registers,
  })
  const oldestDue = new Gauge({
    name: 'ripper_webhook_oldest_due_seconds',
    help: 'Since when the oldest delivery is due; endpoints with an open breaker are left out.',
    labelNames: ['class'],
    registers,
  })
  return {
    watchWebhookBreakers(count: () => Record<string, number>) {
      counts.push(count)
    },
    webhookBacklog(queue_class: 'first' | 'retry', waiting: { depth: number; oldest_due_seconds: number }) {
      depth.labels(queue_class).set(waiting.depth)
      oldestDue.labels(queue_class).set(waiting.oldest_due_seconds)
    },
  }
}

/** Operations that wait for an acquirer or a person. */
function settlementMetrics(registers: Registry[]) {
  const unansweredOperations = new Gauge({
    name: 'ripper_unanswered_operations',
    help: 'Operations that no acquirer answered: searching, waiting_for_person.',
    labelNames: ['state'],
    registers,
  })
  const holds = new Gauge({
    name: 'ripper_waiting_holds',
    help: 'Held payments that are not decided: pending_review, escalated; overdue where the deadline has passed.',
    labelNames: ['state'],
    registers,
  })
  const orphans = new Gauge({
    name: 'ripper_orphan_authorisations',
    help: 'Authorisations that no payment stands behind and that are not reversed: due, unreversed of these for days, or held_back for a person.',
    labelNames: ['state'],
    registers,
  })
  const brakes = new Gauge({
    name: 'ripper_orphan_brakes_pulled',
    help: 'Brakes that a person or the service has pulled: orphans of that acquirer are held back.',
    registers,
  })
  const findings = new Gauge({
    name: 'ripper_comparison_findings',
    help: 'Where an acquirer has a charge otherwise than we do, and no person has closed it.',
    registers,
  })
  return {
    settlementsWaiting(waiting: {
      operations: Record<'searching' | 'waiting_for_person', number>
      holds: Record<'pending_review' | 'escalated' | 'overdue', number>
      orphans: Record<'due' | 'unreversed' | 'held_back', number>
      brakes_pulled: number
      findings: number
    }) {
      for (const [state, count] of Object.entries(waiting.operations)) {
        unansweredOperations.labels(state).set(count)
      }
      for (const [state, count] of Object.entries(waiting.holds)) holds.labels(state).set(count)
      for (const [state, count] of Object.entries(waiting.orphans)) {
        orphans.labels(state).set(count)
      }
      brakes.set(waiting.brakes_pulled)
      findings.set(waiting.findings)
    },
  }
}

/** Counters of rare events begin at 0: if one began at 1, Prometheus would not see that it has grown. */
const noticeKinds = ['authorise', 'capture', 'void', 'reverse', 'refund', 'expiry', 'dispute']

/** Notices that acquirers post. */
function noticeMetrics(registers: Registry[]) {
  const givenUp = new Counter({
    name: 'ripper_notices_given_up_total',
    help: "Acquirers' notices that changed nothing within a week, because what they concern was not clear here.",
    labelNames: ['about'],
    registers,
  })
  for (const about of noticeKinds) givenUp.inc({ about }, 0)
  return { noticeGivenUp: (about: string) => givenUp.labels(about).inc() }
}

/** Receipts. */
function receiptMetrics(registers: Registry[]) {
  const receipts = new Counter({
    name: 'ripper_receipts_total',
    help: 'Receipts that came to an end: sent, given_up, or unknown where a mail server may have taken them.',
    labelNames: ['result'],
    registers,
  })
  const receiptsWaiting = new Gauge({
    name: 'ripper_receipts_waiting',
    help: 'Receipts that no mail server has taken yet, up to 10 000.',
    registers,
  })
  const oldestReceipt = new Gauge({
    name: 'ripper_receipts_oldest_seconds',
    help: 'Since when the oldest of them waits.',
    registers,
  })
  return {
    receiptEnded: (result: string) => receipts.labels(result).inc(),
    receiptsWaiting(waiting: number, oldest_seconds: number) {
      receiptsWaiting.set(waiting)
      oldestReceipt.set(oldest_seconds)
    },
  }
}

/** The process's clock, and whether it is ready. */
function healthMetrics(registers: Registry[]) {
  let readSkew = (): number | null => null
  const skew = new Gauge({
    name: 'ripper_clock_skew_seconds',
    help: "The process's clock ahead of the database's, when they were last compared; negative where it is behind.",
    registers,
    collect() {
      const seconds = readSkew()
      if (seconds !== null) this.set(seconds)
    },
  })
  // No value until it is known: 0 would be an answer.
  skew.remove()
  const ready = new Gauge({ name: 'ripper_ready', help: '1 while /readyz answers 200.', registers })
  return {
    watchClockSkew(read: () => number | null) {
      readSkew = read
    },
    readiness(is_ready: boolean) {
      ready.set(is_ready ? 1 : 0)
    },
  }
}

let processRegistry: Registry | null = null

/** Node's own metrics. Their observers are never released, so they are collected once for the process. */
function processMetrics(): Registry {
  if (processRegistry !== null) return processRegistry
  processRegistry = new Registry()
  collectDefaultMetrics({ register: processRegistry })
  // Sums over what the metrics of the same name list by type. They are gauges, and only counters may be called totals.
  for (const what of ['handles', 'requests', 'resources'])
    processRegistry.removeSingleMetric(`nodejs_active_${what}_total`)
  return processRegistry
}
