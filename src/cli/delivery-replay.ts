// `ripper delivery replay`: sends dead-lettered deliveries again, some of them or all of a period.

import { inCell } from '../database/cells/cells.ts'
import { Refusal } from '../kernel/errors.ts'
import { idsFrom } from '../kernel/ids.ts'
import type { Clock } from '../kernel/world.ts'
import { countDeadLetters, type DeadLetters } from '../webhooks/deliveries/operator-store.ts'
import { replay } from '../webhooks/deliveries/replay.ts'
import { replayDeadLetters } from '../webhooks/deliveries/replay-dead-letters.ts'
import { replay_window_ms } from '../webhooks/delivery.ts'
import { type CommandContext, merchantOption, withCommandContext } from './command-context.ts'
import { deliveryKeyOf, requireDeliveryIds } from './delivery.ts'
import { endpointsOf } from './endpoint.ts'
import { UsageError } from './terminal/command.ts'
import { command, flag, option, time } from './terminal/option.ts'
import { print, printJson } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

export const deliveryReplay = command({
  name: 'delivery replay',
  summary: 'Sends dead-lettered deliveries again, each as a new delivery of the same event',
  positionals: ['[DELIVERY_ID…]'],
  options: {
    'all-dead': flag('all dead-lettered ones of a merchant that may be replayed'),
    merchant: merchantOption,
    endpoint: option('ID', 'with --all-dead: only those of this endpoint'),
    since: option('TIME', 'with --all-dead: last attempted at this time or later', time),
    until: option('TIME', 'with --all-dead: last attempted before this time', time),
  },
  remarks: [
    'Times are ISO 8601, such as 2027-01-31T12:00:00Z. The running service sends the deliveries.',
    '--all-dead leaves out deliveries that were replayed before. Only the newest replay counts: if it was dead-lettered,\n' +
      'too, it is itself replayed. Name a delivery to replay it once more.',
    'The exit status is 1 if a delivery that you named could not be replayed. The others are replayed all the same.',
  ],
  async run({ options: { 'all-dead': all_dead, merchant, ...which }, positionals, json }) {
    if (all_dead) {
      if (positionals.length > 0) throw new UsageError('--all-dead goes without a DELIVERY_ID')
      const { since, until } = which
      if (since && until && since >= until) throw new UsageError('--since must be before --until')
      const totals = await withCommandContext((context) => replayAllDead(context, { ...which, merchant, json }))
      if (json) printJson(totals)
      else print({ ...totals, refused: countsOf(totals.refused) }, json)
      return 0
    }
    const [stray] = Object.entries(which).find(([, value]) => value !== undefined) ?? []
    if (stray) throw new UsageError(`--${stray} needs --all-dead`)
    if (positionals.length === 0) throw new UsageError('needs a DELIVERY_ID, or --all-dead')
    requireDeliveryIds(positionals)
    const outcomes = await withCommandContext((context) => replayNamed(context, positionals, merchant))
    if (json) printJson({ ...tallyOf(outcomes), deliveries: outcomes })
    else for (const outcome of outcomes) printOutcome(outcome)
    return outcomes.some(({ error }) => error !== null) ? 1 : 0
  },
})

/** The result for one delivery: the replay's id, or the reason why there is none. */
type ReplayResult = {
  delivery_id: string | null
  replay_of: string
  error: string | null
  message: string | null
}

async function replayNamed(
  context: CommandContext,
  ids: string[],
  merchant: string | undefined,
): Promise<ReplayResult[]> {
  const outcomes: ReplayResult[] = []
  for (const replay_of of new Set(ids)) {
    try {
      const key = await deliveryKeyOf(context, replay_of, merchant)
      const own = await inCell(context, key.merchant_id)
      const by = { recordReply: () => null, writer: context }
      const { delivery_id } = await replay(own, key, by, context.clock.now())
      outcomes.push({ delivery_id, replay_of, error: null, message: null })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      outcomes.push({ delivery_id: null, replay_of, error: error.code, message: error.message })
    }
  }
  return outcomes
}

function printOutcome({ delivery_id, replay_of, message }: ReplayResult): void {
  if (delivery_id) terminal().stdout.write(`${replay_of}  replayed as ${delivery_id}\n`)
  else terminal().stderr.write(`${replay_of}  not replayed: ${message}\n`)
}

type Tally = { accepted: number; refused: Record<string, number> }

function tallyOf(outcomes: Pick<ReplayResult, 'error'>[]): Tally {
  const tally: Tally = { accepted: 0, refused: {} }
  for (const { error } of outcomes) {
    if (error === null) tally.accepted++
    else tally.refused[error] = (tally.refused[error] ?? 0) + 1
  }
  return tally
}

const batch = 200

type DeadSelection = {
  merchant: string | undefined
  endpoint: string | undefined
  since: Date | undefined
  until: Date | undefined
  json: boolean
}

async function replayAllDead(context: CommandContext, { since, until, ...options }: DeadSelection) {
  const { clock } = context
  const { merchant_id, endpoint_id } = await endpointsOf(context, options)
  const now = clock.now()
  // Otherwise a replay that is dead-lettered while this runs would be found again and again.
  const before = until && until < now ? until : now
  const after = since ?? new Date(now.getTime() - replay_window_ms)
  const which: DeadLetters = { merchant_id, endpoint_id, after: idsFrom(after), below: idsFrom(before) }
  const own = await inCell(context, merchant_id)
  const total = await countDeadLetters(own.sql, which)
  const tellProgress = options.json ? () => {} : openProgress({ clock, total, tell: writeError })
  const outcomes: Pick<ReplayResult, 'error'>[] = []
  let [found, already_replayed] = [0, 0]
  for (;;) {
    const batchResult = await replayDeadLetters(own, which, { limit: batch, writer: context, now: clock.now() })
    outcomes.push(...batchResult.refusals.map((error) => ({ error })))
    found += batchResult.found
    already_replayed += batchResult.already_replayed
    tellProgress(found)
    if (batchResult.next_after === null) break
    which.after = batchResult.next_after
  }
  return { merchant_id, found, already_replayed, ...tallyOf(outcomes) }
}

const progress_ms = 2000

type ProgressOptions = { clock: Pick<Clock, 'now'>; total: number; tell: (line: string) => void }

function writeError(line: string): void {
  terminal().stderr.write(line)
}

/** Prints its progress from time to time. */
export function openProgress({ clock, total, tell }: ProgressOptions): (replayed_count: number) => void {
  const begun_ms = clock.now().getTime()
  let told_ms = begun_ms
  return (replayed_count) => {
    const now_ms = clock.now().getTime()
    if (now_ms - told_ms < progress_ms) return
    told_ms = now_ms
    const rate = Math.round((replayed_count * 1000) / (now_ms - begun_ms))
    tell(`${replayed_count} of ${total} dead letters, ${rate} a second\n`)
  }
}

function countsOf(refused: Tally['refused']): string {
  const counts = Object.entries(refused).map(([code, count]) => `${count} ${code}`)
  return counts.length === 0 ? '0' : counts.join(', ')
}
