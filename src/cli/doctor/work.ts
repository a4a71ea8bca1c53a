// Checks ongoing work: deliveries, holds, unanswered operations, orphans, receipts, the journal, and payments against
// it.

import { sealed_after_ms } from '../../audit/seal-journal.ts'
import type { Config } from '../../config/config.ts'
import { fromCells } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import { listUnnamedProxies } from '../../database/presence/presence-store.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { type Comparison, listComparisons } from '../../payments/acquirer-comparison/comparison-store.ts'
import { countOpenFindings } from '../../payments/acquirer-operations/finding-store.ts'
import { countBlockedAddresses, listBraked } from '../../payments/limits/payer.ts'
import { type GivenUpNotice, listGivenUp } from '../../payments/notices/notice-store.ts'
import { type Brake, service_actor } from '../../payments/orphan.ts'
import { listBrakes } from '../../payments/orphans/orphan-brake-store.ts'
import { countUnsettled } from '../../payments/orphans/orphan-store.ts'
import { listUnanswered } from '../../payments/reading/operator-store.ts'
import { type PaymentsVerified, verifyRecentPayments } from '../../payments/reading/verify-payments.ts'
import { countReceipts } from '../../payments/receipts/receipt-store.ts'
import { agesDue } from '../../payments/sessions/purge-sessions.ts'
import { listDuePurges, type PurgeAge } from '../../payments/sessions/session-purge-store.ts'
import { countUnreplayed } from '../../webhooks/deliveries/operator-store.ts'
import { moneyFaultWords } from '../audit-verify.ts'
import { brakeWords } from '../orphan.ts'
import { failureWords } from '../terminal/failure-words.ts'
import {
  countEndpoints,
  listEndpointTroubles,
  listOverdueHolds,
  listUnsealed,
  oldestLookDue,
  rows_max,
} from './doctor-store.ts'
import { type Check, counted, named, ok, problem, warning } from './finding.ts'

export type WorkFacts = {
  endpoints: { active: number; deleted: number }
  /** Of active endpoints. */
  open_breakers: { endpoint_id: string; last_failure: string | null }[]
  /** Endpoints whose last several attempts in the past hour failed. */
  failing: { endpoint_id: string; count: number }[]
  /** Since when the oldest delivery is due, of those that nothing holds up. */
  oldest_due_at: Date | null
  /** Dead-lettered in the last day and not replayed since. The count of each merchant has a limit. */
  dead_lettered: { merchant_id: string; count: number }[]
  waiting_for_person: string[]
  /** Notices that were given up in the last week. */
  notices_given_up: GivenUpNotice[]
  /** Operations that the reconciler should have looked up long ago. */
  oldest_look_due_at: Date | null
  orphans_held_back: number
  /** Known ones whose reversal has been tried for days, and nobody says what came of it. */
  orphans_unreversed: number
  brakes_pulled: Brake[]
  findings_open: number
  comparisons: Pick<Comparison, 'acquirer' | 'due_at' | 'failure'>[]
  /** Holds past their deadline that nobody decided. */
  overdue_holds: string[]
  /** Since when the oldest receipt waits; null if none does. */
  oldest_receipt_at: Date | null
  /** Merchants whose brake on card testing is on. */
  braked: string[]
  /** How many addresses of a merchant had so many declines that nothing more is charged for them. */
  blocked_addresses: { merchant_id: string; count: number }[]
  /** Proxies that requests come through although RIPPER_TRUSTED_PROXIES does not name them. */
  unnamed_proxies: string[]
  /** Merchants with unpaid sessions that should have been deleted a day ago. */
  unpurged: string[]
  /** Merchants with lines of the journal that should have been sealed long ago. */
  unsealed: string[]
  now: Date
}

const late_ms = 60_000
const very_late_ms = 5 * 60_000
const comparison_late_ms = 2 * 3_600_000
const receipt_late_ms = 3_600_000

export const workChecks: Check<WorkFacts>[] = [
  {
    name: 'Worker',
    judge({ oldest_due_at, oldest_look_due_at, now }) {
      const waits = (at: Date | null) => (at === null ? 0 : now.getTime() - at.getTime())
      const longest_ms = Math.max(waits(oldest_due_at), waits(oldest_look_due_at))
      if (longest_ms <= late_ms) return ok('nothing is due for long')
      const what = waits(oldest_due_at) === longest_ms ? 'a delivery' : 'a look for a lost answer'
      const found = `${what} is due for ${age(longest_ms)}`
      const to_do =
        'Start the service, or ripper worker beside it. If one runs, ripper endpoint health shows which endpoint is slow.'
      return longest_ms > very_late_ms ? problem(found, to_do) : warning(found, to_do)
    },
  },
  {
    name: 'Endpoints',
    judge({ endpoints: { active, deleted }, open_breakers, failing }) {
      const open = open_breakers.map(({ endpoint_id, last_failure }) =>
        last_failure === null ? endpoint_id : `${endpoint_id} (${failureWords(last_failure)})`,
      )
      const other = failing.filter(({ endpoint_id }) => !open_breakers.some((each) => each.endpoint_id === endpoint_id))
      const findings = [
        open.length > 0 && `paused because they fail: ${named(open)}`,
        other.length > 0 && `failing: ${named(other.map((each) => each.endpoint_id))}`,
      ].filter((each) => each !== false)
      if (findings.length === 0) return ok(`${active} active, ${deleted} deleted`)
      return warning(
        findings.join('; '),
        'ripper endpoint health --merchant ID says why. Deliveries that wait lose none of their attempts.',
      )
    },
  },
  {
    name: 'Dead letters',
    judge({ dead_lettered }) {
      if (dead_lettered.length === 0) return ok('none in the last day, or all of them were replayed')
      const whose = dead_lettered.map(({ merchant_id, count }) => `${count} of ${merchant_id}`)
      return warning(
        `dead-lettered in the last day: ${named(whose)}`,
        'ripper delivery list --status dead_lettered --merchant ID; then ripper delivery replay.',
      )
    },
  },
  {
    name: 'Lost answers',
    judge({ waiting_for_person }) {
      if (waiting_for_person.length === 0) return ok('none waits for a person')
      return problem(
        `${counted(waiting_for_person.length, 'operation')} wait for a person: ${named(waiting_for_person)}`,
        'Money may have moved. Run ripper reconcile list --waiting, then ripper reconcile resolve.',
      )
    },
  },
  {
    name: 'Notices',
    judge({ notices_given_up }) {
      if (notices_given_up.length === 0) return ok('none was given up in the last week')
      const which = notices_given_up.map(
        ({ about, reference, connection_id }) => `${about} ${reference} (${connection_id})`,
      )
      return warning(
        `acquirers' notices given up in the last week: ${named(which)}`,
        'Look the references up in the portal of the acquirer. ripper reconcile show OPERATION_ID shows what is known here.',
      )
    },
  },
  {
    name: 'Orphans',
    judge({ orphans_held_back, orphans_unreversed, brakes_pulled }) {
      const brakes = brakes_pulled.map(brakeWords)
      if (orphans_held_back > 0) {
        const unknown = `${counted(orphans_held_back, 'authorisation')} unknown here, held back`
        return problem(
          [unknown, ...brakes].join('; '),
          'Run ripper orphan list, then ripper orphan reverse or ripper orphan leave.',
        )
      }
      if (brakes.length === 0 && orphans_unreversed > 0) {
        return warning(
          `${counted(orphans_unreversed, 'authorisation')} to be reversed for more than two days, without an outcome`,
          "ripper orphan list says why. Look them up in the acquirer's portal, and see whether its notices come; ripper orphan leave ends the tries.",
        )
      }
      if (brakes.length === 0) return ok('none is held back')
      if (brakes_pulled.some(({ pulled_by }) => pulled_by === service_actor)) {
        return problem(
          brakes.join('; '),
          'Find out whether orders were lost ("Lost commits" in docs/operations/backup.md), then ripper orphan release.',
        )
      }
      return warning(
        brakes.join('; '),
        'Orphans are held back until ripper orphan release. ripper orphan list says more.',
      )
    },
  },
  {
    name: 'Comparison',
    judge({ findings_open, comparisons, now }) {
      const late = comparisons.filter(({ due_at }) => now.getTime() - due_at.getTime() > comparison_late_ms)
      const failed = comparisons.filter(({ failure }) => failure !== null)
      if (findings_open > 0) {
        return problem(
          `${counted(findings_open, 'finding')}: an acquirer's record of a charge or refund differs from ours`,
          'Money may be wrong. Run ripper reconcile findings, put it right, then run ripper reconcile close.',
        )
      }
      if (failed.length > 0) {
        const words = failed.map(({ acquirer, failure }) => `${acquirer} (${failure})`)
        return warning(
          `did not finish: ${named(words)}`,
          'The service tries again every hour; ripper reconcile compare does it now.',
        )
      }
      if (late.length > 0) {
        return warning(
          `overdue: ${named(late.map(({ acquirer }) => acquirer))}`,
          'Start the service, or ripper worker beside it; ripper reconcile compare does it now.',
        )
      }
      return ok(comparisons.length === 0 ? 'not made yet' : 'our books and the books of the acquirers agree')
    },
  },
  {
    name: 'Holds',
    judge({ overdue_holds }) {
      if (overdue_holds.length === 0) return ok('none is past its deadline')
      return warning(
        `past their deadline and undecided: ${named(overdue_holds)}`,
        'ripper hold show PAYMENT_ID shows what the acquirer refused. The rules act only while a worker runs.',
      )
    },
  },
  {
    name: 'Receipts',
    judge({ oldest_receipt_at, now }) {
      const waits_ms = oldest_receipt_at ? now.getTime() - oldest_receipt_at.getTime() : 0
      if (waits_ms <= receipt_late_ms) return ok('none waits for long')
      return warning(
        `one waits for ${age(waits_ms)}`,
        'The service gives them up after a day. Its log has the answer of the mail server.',
      )
    },
  },
  {
    name: 'Card testing',
    judge({ braked, blocked_addresses }) {
      if (braked.length === 0 && blocked_addresses.length > 0) {
        const whose = blocked_addresses.map(
          ({ merchant_id, count }) => `${counted(count, 'address', 'addresses')} of ${merchant_id}`,
        )
        return warning(
          `too many declines, so the service charges nothing for an hour: ${named(whose)}`,
          'If many shoppers share that address, it may be the address of a proxy that RIPPER_TRUSTED_PROXIES does not name.',
        )
      }
      if (braked.length === 0) return ok('no merchant is braked, and no address')
      return warning(
        `too many declines, so the service charges only authenticated cards: ${named(braked)}`,
        'Somebody may be testing cards there. "Card testing" in SECURITY.md says what happens, and when it ends.',
      )
    },
  },
  {
    name: 'Proxies',
    judge({ unnamed_proxies }) {
      if (unnamed_proxies.length === 0) {
        return ok('each proxy that requests come through is named, and says for whom')
      }
      const names = named(unnamed_proxies)
      return warning(
        `requests are forwarded by ${names}, and no trusted X-Forwarded-For says for whom: all shoppers behind it count as one address`,
        `If it is your proxy, have it send X-Forwarded-For (Forwarded is not read), name ${names} in RIPPER_TRUSTED_PROXIES and restart: otherwise the declines of some shoppers refuse all. If it is not, somebody only pretends, and is not believed.`,
      )
    },
  },
  {
    name: 'Unpaid sessions',
    judge({ unpurged }) {
      if (unpurged.length === 0) return ok('none is kept for longer than it should be')
      return warning(
        `the sessions of ${named(unpurged)} should have been deleted more than a day ago`,
        'Start the service, or ripper worker beside it. If one runs, its log says why purge_sessions failed.',
      )
    },
  },
  {
    name: 'Journal',
    judge({ unsealed }) {
      if (unsealed.length === 0) return ok('sealed; ripper audit verify checks the whole of it')
      return warning(
        `lines are still in no chain after hours: ${named(unsealed)}`,
        'Start a worker, then run ripper audit verify.',
      )
    },
  },
]

function age(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

const hour_ms = 3600 * 1000
const week_ms = 7 * 24 * hour_ms
/** One failure is no problem yet, because the next attempt may arrive. */
const failures_min = 3
/** The rules act every second, but an acquirer may take longer. */
const hold_slack_ms = 5 * 60_000
const waiting_max = 1_000
/** The job deletes everything that is due every ten minutes. */
const purge_slack_ms = 24 * hour_ms

/** Reads the facts for the checks of ongoing work. */
export async function readWork(
  { unpaid_sessions_days }: Pick<Config, 'unpaid_sessions_days'>,
  sql: Sql,
  now: Date,
): Promise<WorkFacts> {
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const troubles = await listEndpointTroubles(sql, { now, from: idsFrom(ago(hour_ms)) })
  const which = { merchant_id: null, waiting_for_person: true, now, limit: waiting_max }
  const dueTimes = troubles.map(({ oldest_due_at }) => oldest_due_at).filter((at) => at !== null)
  const orphans = await countUnsettled(sql, { acquirer: null, now })
  const [oldest_due_at] = dueTimes.sort((a, b) => a.getTime() - b.getTime())
  return {
    endpoints: await countEndpoints(sql),
    open_breakers: troubles.filter(({ breaker_is_open }) => breaker_is_open),
    failing: troubles
      .filter(({ failed, has_recovered }) => failed >= failures_min && !has_recovered)
      .map(({ endpoint_id, failed: count }) => ({ endpoint_id, count })),
    oldest_due_at: oldest_due_at ?? null,
    dead_lettered: await countUnreplayed(sql, { from: idsFrom(ago(24 * hour_ms)), most: rows_max }),
    waiting_for_person: (await listUnanswered(sql, which)).map(({ payment_id }) => payment_id),
    notices_given_up: await fromCells(sql, (cell) => listGivenUp(cell, { after: ago(week_ms), limit: rows_max })),
    oldest_look_due_at: await oldestLookDue(sql, now),
    orphans_held_back: orphans.held_back,
    orphans_unreversed: orphans.unreversed,
    brakes_pulled: await listBrakes(sql, { acquirer: null, released_too: false }),
    findings_open: await countOpenFindings(sql),
    comparisons: await listComparisons(sql),
    overdue_holds: await listOverdueHolds(sql, ago(hold_slack_ms)),
    oldest_receipt_at: await oldestReceiptAt(sql),
    braked: await listBraked(sql, { now, limit: rows_max }),
    blocked_addresses: await countBlockedAddresses(sql, { now, limit: rows_max }),
    unnamed_proxies: await listUnnamedProxies(sql, rows_max),
    unpurged: await unpurged(sql, agesDue(ago(purge_slack_ms), unpaid_sessions_days)),
    // An hour more than the job can need.
    unsealed: await listUnsealed(sql, idsFrom(ago(sealed_after_ms + hour_ms))),
    now,
  }
}

async function unpurged(sql: Sql, ages: PurgeAge[]): Promise<string[]> {
  const duePurges = await fromCells(sql, (cell) => listDuePurges(cell, ages, rows_max))
  return [...new Set(duePurges.map(({ merchant_id }) => merchant_id))]
}

async function oldestReceiptAt(sql: Sql): Promise<Date | null> {
  const waiting = await fromCells(sql, async (cell) => [(await countReceipts(cell)).oldest])
  const times = waiting.filter((at) => at !== null)
  return times.sort((a, b) => a.getTime() - b.getTime())[0] ?? null
}

/** The payments with an outcome in the last day that were compared, and the first of their faults. */
export type MoneyFacts = Omit<PaymentsVerified, 'not_bound'>

export const moneyChecks: Check<MoneyFacts>[] = [
  {
    name: 'Payments',
    judge({ payments, fault_count, faults }) {
      if (fault_count === 0) {
        const those = `${counted(payments, 'payment')} of the last day`
        return ok(`${those} compared with the journal; ripper audit verify compares all`)
      }
      const subjects = [...new Set(faults.map(({ subject }) => subject))]
      return problem(
        `rows that contradict the journal: ${named(subjects)}; ${moneyFaultWords(faults[0]!)}`,
        'Somebody has changed the tables. ripper audit verify names every change; ripper audit show PAYMENT_ID shows a payment.',
      )
    },
  },
]

const recent_ms = 24 * 3600 * 1000

export async function readMoney(sql: Sql, now: Date): Promise<MoneyFacts> {
  return verifyRecentPayments(sql, idsFrom(new Date(now.getTime() - recent_ms)))
}
