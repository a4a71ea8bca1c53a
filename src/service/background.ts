// The work without requests: the delivery of webhooks and the jobs, in the service's process or in a separate one.

import type { Config, MailConfig } from '../config/config.ts'
import { nodesOf } from '../database/cells/cells.ts'
import type { ClockTrust } from '../database/clock/clock-trust.ts'
import type { Database } from '../database/open.ts'
import { openMarkMemory } from '../database/rollback-detection/high-water-file.ts'
import { keepRefusals } from '../http/keep-refusals.ts'
import type { Metrics } from '../http/metrics.ts'
import { type JobContext, jobs } from '../jobs.ts'
import { openIds } from '../kernel/ids.ts'
import type { JobRuns } from '../kernel/job-runs.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { World } from '../kernel/world.ts'
import { type KeyUses, writeKeyUses } from '../merchants/key-store.ts'
import { openMailer } from '../outgoing/mail/smtp.ts'
import { openReceiptMailer, receiptModes } from '../payments/receipts/mailer.ts'
import { keepPartitions } from '../webhooks/queue/keep-partitions.ts'
import { startDeliveries } from '../webhooks/sending/delivery-loop.ts'
import { type AcquiringParts, openAcquiring } from './acquiring.ts'
import { type Deliveries, deliverInCells, workInCells } from './cell-work.ts'
import { openWebhookSending } from './webhooks.ts'

/** How much longer a lease is than an attempt, because clocks differ and results wait to be written. */
const lease_slack_ms = 15_000

type BackgroundOptions = Omit<AcquiringParts, 'sql'> & {
  world: World
  database: Database
  keyring: Keyring
  metrics: Metrics
  /** Where runs of jobs are noted. */
  jobRuns?: JobRuns
  /** Nothing begins while the clock is wrong. */
  trust: ClockTrust
  /** How many processes deliver. */
  delivering?: () => number
  /** See JobContext. */
  databaseNow?: () => Date
  /** See Context. Left out in a process that answers no requests. */
  key_uses?: KeyUses
  /** See JobContext. */
  endChallenges?: () => Promise<number>
  /** Called when a job has committed an event of this merchant. */
  committed(merchant_id: string): void
}

export async function startBackground(config: Config, parts: BackgroundOptions): Promise<Deliveries> {
  const { world, database, keyring, metrics, trust } = parts
  const { sql } = database
  // Otherwise the first rows would go to the default partition. The job tries again.
  const keepFirst = async () => {
    if (!trust.isRight()) return
    await keepPartitions({ sql, world })
    await keepRefusals({ sql, world })
  }
  await keepFirst().catch((error: Error) => {
    world.log.warn({ error: error.message }, 'partitions not made')
  })
  // Steps that may fail come before those that then run by themselves.
  const acquiring = await openAcquiring({ ...parts, sql })
  const { installation } = acquiring
  const { data_dir } = config
  const markMemories = new Map(
    nodesOf(sql).map(({ node }) => [node, openMarkMemory({ data_dir, installation, node }, world)]),
  )
  const deliveries = deliverInCells(sql, (own, elsewhere) => {
    const webhookSending = openWebhookSending(config, world.clock)
    return startDeliveries({
      world,
      sql: own,
      keyring,
      metrics,
      trust,
      elsewhere,
      tracing: parts.tracing ?? null,
      http: webhookSending.http,
      inOtherWords: webhookSending.inOtherWords,
      ...(parts.delivering && { processes: parts.delivering }),
      settings: { ...webhookSending.settings, lease_slack_ms },
    })
  })
  const context: JobContext = {
    world,
    sql,
    keyring,
    metrics,
    wakeDeliveries(what, merchant_id) {
      deliveries.wake(what, merchant_id)
      parts.committed(merchant_id)
    },
    ...(parts.key_uses && { key_uses: parts.key_uses }),
    ...(parts.databaseNow && { databaseNow: parts.databaseNow }),
    ...(parts.endChallenges && { endChallenges: parts.endChallenges }),
    ids: openIds(world.random, keyring),
    unknown_authorisations: config.unknown_authorisations,
    unpaid_sessions_days: config.unpaid_sessions_days,
    marks: openMarkMemory({ data_dir, installation }, world),
    marksOf: (node) => markMemories.get(node)!,
    failures_logged: new Map(),
    ...acquiring,
    ...(config.mail && { post: postOf(config.mail, world) }),
  }
  const worker = workInCells(context, jobs, { trust, runs: parts.jobRuns })
  return {
    wake: deliveries.wake,
    async stop() {
      await Promise.all([deliveries.stop(), worker.stop()])
      // Otherwise a leaked key might look unused. Without the database nothing can be done.
      await writeKeyUses(context).catch(() => {})
    },
  }
}

function postOf(mail: MailConfig, { clock }: World) {
  return openReceiptMailer({
    mailer: openMailer(mail.smtp, clock),
    from: mail.from,
    modes: receiptModes(mail),
  })
}
