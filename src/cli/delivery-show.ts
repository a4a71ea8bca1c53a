// `ripper delivery show`: one delivery with each of its attempts and the reasons for their results.

import { inOtherWords } from '../compatible/events/event-words.ts'
import { inCell } from '../database/cells/cells.ts'
import { Refusal } from '../kernel/errors.ts'
import { timestamp } from '../kernel/values.ts'
import { findDelivery } from '../webhooks/deliveries/delivery-store.ts'
import {
  type AttemptDetail,
  type DeliveryRecord,
  findDeliveryRecord,
  listChain,
  listReplays,
  type ReplaySummary,
  sentBodyOf,
} from '../webhooks/deliveries/operator-store.ts'
import {
  type DeliveryKey,
  type DeliveryStatus,
  deliveryNotFound,
  eventKey,
  heldUntil,
  type_prefix,
  validateReplay,
} from '../webhooks/delivery.ts'
import { type CommandContext, merchantOption, withCommandContext } from './command-context.ts'
import { deliveryKeyOf, requireDeliveryIds } from './delivery.ts'
import { answerOf } from './terminal/failure-words.ts'
import { command, flag } from './terminal/option.ts'
import {
  duration,
  oneLine,
  paintState,
  printJson,
  printKnown,
  printLine,
  printList,
  shortTime,
} from './terminal/print.ts'

export const deliveryShow = command({
  name: 'delivery show',
  summary: 'Shows a delivery with each of its attempts',
  positionals: ['DELIVERY_ID'],
  options: {
    body: flag("the event's body too, as every attempt sends it"),
    merchant: { ...merchantOption, meaning: 'its merchant; by default found by the delivery' },
  },
  async run({ options: { body, merchant }, positionals, json }) {
    requireDeliveryIds(positionals)
    const { sent_body, ...detail } = await withCommandContext(async (context) => {
      const detail = await readAll(context, await deliveryKeyOf(context, positionals[0]!, merchant))
      const { sql } = await inCell(context, detail.delivery.merchant_id)
      return { ...detail, sent_body: body ? await sentBodyOf({ sql, inOtherWords }, detail.delivery) : null }
    })
    const output = { ...view(detail), ...(sent_body !== null && { body: sent_body }) }
    if (json) printJson(output)
    else printForPeople(output, detail.replay_refusal)
  },
})

type DeliveryDetail = {
  delivery: DeliveryRecord
  attempts: AttemptDetail[]
  replays: ReplaySummary[]
  /** Until when its endpoint's breaker holds it up. */
  held_until: Date | null
  /** Why it may not be replayed, or null. */
  replay_refusal: Refusal | null
}

async function readAll(context: CommandContext, key: DeliveryKey): Promise<DeliveryDetail> {
  const { sql, clock } = await inCell(context, key.merchant_id)
  const delivery = await findDeliveryRecord(sql, key)
  if (!delivery) throw deliveryNotFound()
  const { merchant_id, last_attempt_id } = delivery
  const now = clock.now()
  return {
    delivery,
    attempts: last_attempt_id ? await listChain(sql, { merchant_id, attempt_id: last_attempt_id }) : [],
    replays: await listReplays(sql, delivery),
    replay_refusal: replayRefusal(await findDelivery(sql, key), now),
    held_until: heldUntil(delivery, now),
  }
}

function replayRefusal(delivery: Parameters<typeof validateReplay>[0], now: Date): Refusal | null {
  try {
    validateReplay(delivery, now)
    return null
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

function view({ delivery, attempts, replays, held_until, replay_refusal }: DeliveryDetail) {
  const { endpoint_id: id, endpoint_url: url, endpoint_status: status, settled_as } = delivery
  return {
    delivery_id: delivery.delivery_id,
    merchant_id: delivery.merchant_id,
    status: settled_as ?? unsettled(attempts),
    event_id: delivery.event_id,
    idempotency_key: eventKey(delivery),
    event_type: `${type_prefix}${delivery.event_type}`,
    payment_id: delivery.payment_id,
    sequence: delivery.sequence,
    endpoint: { id, url, status },
    created_at: delivery.created_at,
    settled_at: delivery.settled_at,
    attempt_under_way_since: delivery.attempted_at,
    next_attempt_at: delivery.attempted_at ? null : delivery.due_at,
    held_until,
    replay_of: delivery.replay_of,
    replays: replays.map((replay) => ({
      delivery_id: replay.delivery_id,
      status: replay.status,
      created_at: replay.created_at,
    })),
    replayable: replay_refusal === null,
    replay_refusal: replay_refusal?.code ?? null,
    attempts: attempts.map(viewAttempt),
  }
}

/** A delivery is pending until its first attempt has ended. */
function unsettled(attempts: AttemptDetail[]): DeliveryStatus {
  return attempts.at(-1)?.status ?? 'pending'
}

function viewAttempt(attempt: AttemptDetail) {
  const { attempt_number, status, occurred_at, duration_ms, endpoint_url, next_retry_at } = attempt
  const { response_status_code, response_body, failure } = attempt
  return {
    attempt_number,
    status,
    occurred_at,
    duration_ms,
    endpoint_url,
    response_status_code,
    response_body,
    failure,
    next_retry_at,
  }
}

type DeliveryOutput = ReturnType<typeof view> & { body?: string }

function printForPeople(output: DeliveryOutput, refusal: Refusal | null): void {
  const { endpoint, attempts, replays, body, replayable, replay_refusal, held_until, ...rest } = output
  printKnown({
    ...rest,
    held_until: held_until && `${timestamp(held_until)} (the breaker of its endpoint is open)`,
    endpoint: `${endpoint.id} (${endpoint.status}) ${endpoint.url}`,
    replayable: output.status === 'dead_lettered' ? (replayable ? 'yes' : `no: ${refusal!.message}`) : null,
    replays: replays.map((each) => `${each.delivery_id} (${each.status ?? 'not settled'})`),
  })
  if (attempts.length > 0) {
    printLine(attempts[0]!.attempt_number > 1 ? '\nAttempts (older ones are gone):' : '\nAttempts:')
  }
  printList(attempts, {
    headings: ['#', 'begun', 'took', 'status', 'answer'],
    cells: rowOf,
    nothing: '\nIt was not attempted yet.',
  })
  if (body !== undefined) printLine(`\n${body}`)
}

function rowOf(attempt: DeliveryOutput['attempts'][number]): string[] {
  const { attempt_number, occurred_at, duration_ms, status } = attempt
  const took = duration_ms === null ? '–' : duration(duration_ms)
  // The beginning of the receiver's answer.
  const answer = oneLine(attempt.response_body ?? '', answer_max)
  const result = `${answerOf(attempt)}${answer && `  ${answer}`}`
  return [String(attempt_number), shortTime(occurred_at), took, paintState(status), result]
}

const answer_max = 60
