// Every background job and how often it runs.

import { sealJournal } from './audit/seal-journal.ts'
import { forgetOldCredentials } from './connections/connection-store.ts'
import { rewrapCredentials } from './connections/read-credentials.ts'
import { countPayments } from './dashboard/overview/count-payments.ts'
import { watchCells } from './database/cells/cells.ts'
import { keepStatistics } from './database/keep-statistics.ts'
import type { MarkMemory } from './database/rollback-detection/high-water-file.ts'
import { purgeChallenges } from './database/stores/simulated-challenges.ts'
import { purgeKeys } from './http/idempotency.ts'
import { keepRefusals } from './http/keep-refusals.ts'
import { purgeCounts } from './http/shared-count-store.ts'
import { writeKeyUses } from './merchants/key-store.ts'
import { purgeAssets } from './pages/asset-store.ts'
import { compareBooks } from './payments/acquirer-comparison/compare-books.ts'
import { watchSettlements } from './payments/acquirer-comparison/watch-settlements.ts'
import { reconcile } from './payments/acquirer-operations/reconcile.ts'
import { fetchResults } from './payments/authentication/fetch-result.ts'
import { rewrapCards } from './payments/cards/rewrap-cards.ts'
import { purgeCards } from './payments/cards/vault-store.ts'
import { sweepCheckouts } from './payments/checkout-sessions/sweep-checkouts.ts'
import type { Context } from './payments/context.ts'
import { applyHoldRules } from './payments/holds/apply-hold-rules.ts'
import { purgeLimits } from './payments/limits/limits-store.ts'
import { forgetOldNotices, handleNotices } from './payments/notices/handle-notices.ts'
import { reverseOrphans } from './payments/orphans/reverse-orphans.ts'
import { sweepOrphans } from './payments/orphans/sweep-orphans.ts'
import { watchDatabase } from './payments/orphans/watch-database.ts'
import type { ReceiptMailer } from './payments/receipts/mailer.ts'
import { sendReceipts } from './payments/receipts/send-receipts.ts'
import { purgeSessions } from './payments/sessions/purge-sessions.ts'
import { purgePieces } from './payouts/pieces.ts'
import { disableUnused, endAllSessions, purgeSignIns, rewrapCodeSecrets } from './users/keep-users.ts'
import { clearPreviousSecrets } from './webhooks/endpoints/endpoint-store.ts'
import { rewrapSecrets } from './webhooks/endpoints/rewrap-secrets.ts'
import { keepPartitions } from './webhooks/queue/keep-partitions.ts'
import { watchBacklog } from './webhooks/queue/watch-backlog.ts'

export type JobContext = Partial<Pick<Context, 'key_uses'>> &
  Pick<
    Context,
    | 'sql'
    | 'world'
    | 'keyring'
    | 'metrics'
    | 'ids'
    | 'acquirerOf'
    | 'listAcquirers'
    | 'threeDsOf'
    | 'installation'
    | 'wakeDeliveries'
  > & {
    /** See OrphanContext, all four. */
    marks?: MarkMemory
    marksOf?: (node: string) => MarkMemory
    failures_logged?: Map<string, Date>
    unknown_authorisations?: 'hold' | 'reverse'
    /** Sends receipts; left out where none are sent. */
    post?: ReceiptMailer
    /** See PurgeContext. */
    unpaid_sessions_days?: number
    /** See ClockWatch. Left out, the process's own time counts. */
    databaseNow?: () => Date
    /** Ends challenges of the simulated bank; left out in a process that does not serve it. */
    endChallenges?: () => Promise<number>
    /**
     * Aborts when the process is to end or its clock is wrong: a job then finishes what it has begun, and begins nothing
     * more.
     */
    stopping?: AbortSignal
  }

export type Job = {
  name: string
  every_seconds: number
  /** Runs once, on all of the database; left out, in each cell (see cells.ts). */
  where?: 'whole'
  /** Returns how many rows it dealt with. Safe to run in several processes at once. */
  run(context: JobContext): Promise<number>
}

export const jobs: Job[] = [
  { name: 'reconcile', every_seconds: 1, run: reconcile },
  {
    name: 'end_challenges',
    every_seconds: 10,
    where: 'whole',
    run: async ({ endChallenges }) => (await endChallenges?.()) ?? 0,
  },
  { name: 'fetch_results', every_seconds: 20, run: fetchResults },
  { name: 'handle_notices', every_seconds: 1, run: handleNotices },
  { name: 'apply_hold_rules', every_seconds: 1, run: applyHoldRules },
  { name: 'sweep_checkout_sessions', every_seconds: 5, run: sweepCheckouts },
  {
    name: 'watch_database',
    every_seconds: 5,
    where: 'whole',
    run: (context) => watchDatabase(context, () => endAllSessions(context)),
  },
  { name: 'sweep_orphans', every_seconds: 300, where: 'whole', run: sweepOrphans },
  { name: 'reverse_orphans', every_seconds: 30, where: 'whole', run: reverseOrphans },
  { name: 'compare_books', every_seconds: 600, where: 'whole', run: compareBooks },
  { name: 'watch_settlements', every_seconds: 15, where: 'whole', run: watchSettlements },
  { name: 'send_receipts', every_seconds: 5, run: sendReceipts },
  { name: 'watch_cells', every_seconds: 2, where: 'whole', run: watchCells },
  { name: 'keep_statistics', every_seconds: 5, where: 'whole', run: keepStatistics },
  { name: 'seal_journal', every_seconds: 5, run: (context) => sealJournal(context) },
  { name: 'write_key_uses', every_seconds: 60, where: 'whole', run: writeKeyUses },
  { name: 'count_payments', every_seconds: 5, run: countPayments },
  {
    name: 'purge_cards',
    every_seconds: 60,
    run: ({ sql, world }) => purgeCards(sql, world.clock.now()),
  },
  {
    name: 'purge_limits',
    every_seconds: 60,
    run: ({ sql, world }) => purgeLimits(sql, world.clock.now()),
  },
  {
    name: 'purge_counts',
    every_seconds: 60,
    where: 'whole',
    run: async ({ sql, world, databaseNow }) =>
      (await purgeChallenges(sql, world.clock.now())) + (await purgeCounts(sql, databaseNow?.() ?? world.clock.now())),
  },
  { name: 'purge_payout_pieces', every_seconds: 600, run: ({ sql, world }) => purgePieces(sql, world.clock.now()) },
  { name: 'purge_notices', every_seconds: 600, run: forgetOldNotices },
  { name: 'purge_sessions', every_seconds: 600, run: purgeSessions },
  { name: 'rewrap_cards', every_seconds: 60, run: rewrapCards },
  {
    name: 'forget_webhook_secrets',
    every_seconds: 600,
    run: ({ sql, world }) => clearPreviousSecrets(sql, world.clock.now()),
  },
  { name: 'rewrap_webhook_secrets', every_seconds: 60, run: rewrapSecrets },
  {
    name: 'forget_credentials',
    every_seconds: 600,
    where: 'whole',
    run: ({ sql, world }) => forgetOldCredentials(sql, world.clock.now()),
  },
  { name: 'rewrap_credentials', every_seconds: 60, where: 'whole', run: rewrapCredentials },
  { name: 'keep_webhook_partitions', every_seconds: 3600, where: 'whole', run: keepPartitions },
  { name: 'keep_request_partitions', every_seconds: 3600, where: 'whole', run: keepRefusals },
  { name: 'watch_webhook_backlog', every_seconds: 15, where: 'whole', run: watchBacklog },
  {
    name: 'purge_idempotency_keys',
    every_seconds: 600,
    run: ({ sql, world, stopping }) => purgeKeys(sql, world.clock.now(), stopping),
  },
  { name: 'disable_unused_users', every_seconds: 3600, where: 'whole', run: disableUnused },
  { name: 'purge_sign_ins', every_seconds: 3600, where: 'whole', run: purgeSignIns },
  { name: 'rewrap_one_time_codes', every_seconds: 60, where: 'whole', run: rewrapCodeSecrets },
  {
    name: 'purge_assets',
    every_seconds: 24 * 3600,
    where: 'whole',
    run: ({ sql, world }) => purgeAssets(sql, world.clock.now()),
  },
]
