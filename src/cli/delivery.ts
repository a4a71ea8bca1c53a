// `ripper delivery list`: what was sent to endpoints and how it ended, one row for each attempt. Finds deliveries for
// other commands.

import { z } from 'zod'
import { inCell } from '../database/cells/cells.ts'
import { limit_default, limit_max } from '../http/list-page.ts'
import { Refusal } from '../kernel/errors.ts'
import { eventTypes, type MerchantId } from '../kernel/values.ts'
import { listRefunds } from '../payments/reading/refund-store.ts'
import { pageOfDeliveries } from '../webhooks/deliveries/list-deliveries.ts'
import { findDeliveryKey, findSubjectOfEvent } from '../webhooks/deliveries/operator-store.ts'
import { type TracedEvent, traceEvents } from '../webhooks/deliveries/trace-events.ts'
import { type DeliveryKey, deliveryNotFound, deliveryStatuses, type_prefix } from '../webhooks/delivery.ts'
import {
  type CommandContext,
  merchantNamed,
  merchantOf,
  merchantOption,
  withCommandContext,
} from './command-context.ts'
import { paymentIdIn, paymentKeyOf } from './payment-command.ts'
import { UsageError } from './terminal/command.ts'
import { command, option, wholeNumber, withDefault } from './terminal/option.ts'
import { paintState, printJson, printLine, printList, shortTime } from './terminal/print.ts'

/** Takes both `payment.captured` and, as rows of the API spell it, `webhook.payment.captured`. */
const eventType = z
  .string()
  .transform((type) => (type.startsWith(type_prefix) ? type.slice(type_prefix.length) : type))
  .pipe(z.enum(eventTypes))
  .transform((type) => type_prefix + type)

export const deliveryList = command({
  name: 'delivery list',
  summary: 'Lists attempts to deliver events to endpoints, newest first, for 30 days',
  options: {
    merchant: merchantOption,
    status: option(null, 'only those in this state', z.enum(deliveryStatuses)),
    event: option('evt_…', 'only those of this event'),
    payment: option('pay_…', 'only those of the events of this payment and its refunds'),
    'event-type': option('TYPE', 'only this type of event, such as payment.captured', eventType),
    limit: withDefault(
      option('N', `how many, 1 to ${limit_max} (${limit_default})`, wholeNumber(limit_max)),
      limit_default,
    ),
    after: option('CURSOR', 'where the last page ended; give the same options'),
  },
  remarks: [
    'succeeded: the receiver answered 2xx. failed: the service tries again at the time under next. dead_lettered: the\n' +
      'service gave up; ripper delivery replay sends it again. pending: a replay without an attempt yet.',
    'ripper delivery show says why there was no answer. A delivery without any attempt has no row: ripper endpoint\n' +
      'health counts those.',
    'With --json the rows are those of the API, whose event_id is the Rip-Idempotency-Key that receivers get. Everywhere\n' +
      'else event_id is the id in the body of the event, evt_…, which --event takes.',
  ],
  async run({ options, json }) {
    const { status, 'event-type': event_type, limit, after, event, payment } = options
    if (event !== undefined && payment !== undefined) {
      throw new UsageError('takes --event or --payment, because an event belongs to one payment')
    }
    const { merchant_id, page, not_attempted } = await withCommandContext(async (context) => {
      const { merchant_id, attempt_ids, not_attempted } = await readSelection(context, { ...options, json })
      const which = { merchant_id, status, event_type, ...(attempt_ids && { attempt_ids }) }
      const page = await pageOfDeliveries(context, { ...which, after, limit }, context.clock.now()).catch(asUsage)
      return { merchant_id, page, not_attempted }
    })
    if (json) {
      printJson(page)
      return
    }
    const is_narrowed = [status, event, payment, event_type, after].some((value) => value !== undefined)
    printList(page.data, {
      headings: ['attempted', 'delivery', '#', 'event', 'status', 'http', 'next'],
      cells: rowOf,
      nothing: is_narrowed ? 'There is no such delivery.' : nothingSent(merchant_id),
    })
    if (page.data.some((row) => row.attempt_number > 0 && row.response_status_code === null)) {
      printLine('\nWithout a number under http there was no answer: ripper delivery show DELIVERY_ID says why.')
    }
    if (not_attempted.length > 0) printLine(`\nNot attempted yet: ${not_attempted.join(', ')}`)
    if (page.next_cursor) printLine(`\nThere are more: add --after ${page.next_cursor}`)
  },
})

function nothingSent(merchant_id: string): string {
  return (
    `Nothing was sent for the merchant ${merchant_id} in 30 days. The service sends events to its endpoints, which\n` +
    'ripper endpoint list shows. This list does not have what ripper listen forwards.'
  )
}

type Page = Awaited<ReturnType<typeof pageOfDeliveries>>

/** The widest values take just 120 characters. */
function rowOf(row: Page['data'][number]): string[] {
  const { occurred_at, delivery_id, attempt_number, event_type, status, response_status_code, next_retry_at } = row
  return [
    ...[shortTime(occurred_at), delivery_id, String(attempt_number), event_type.slice(type_prefix.length)],
    ...[paintState(status), String(response_status_code ?? '–'), shortTime(next_retry_at)],
  ]
}

function asUsage(error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== 'invalid_pagination') throw error
  throw new UsageError('--after must be the cursor at the end of the last page, and the other options must be the same')
}

/** The merchant, and which of its deliveries. */
type DeliverySelection = {
  merchant_id: MerchantId
  /** Null for all deliveries. */
  attempt_ids: string[] | null
  /** Deliveries without an attempt, which have no row yet. */
  not_attempted: string[]
}

type Selecting = Record<'merchant' | 'event' | 'payment', string | undefined> & { json: boolean }

/** Throws a UsageError for malformed ids, and `resource_not_found` for ids that do not exist. */
async function readSelection(
  context: CommandContext,
  { merchant, event, payment, json }: Selecting,
): Promise<DeliverySelection> {
  if (payment !== undefined) {
    const { merchant_id, payment_id } = await paymentKeyOf(context, paymentIdIn(payment, '--payment'), merchant)
    const { sql } = await inCell(context, merchant_id)
    const refunds = await listRefunds(sql, { merchant_id, payment_id })
    const subjects = [payment_id, ...refunds.map(({ refund_id }) => refund_id)]
    return selectionOf(merchant_id, await traceEvents(sql, { merchant_id, subjects }))
  }
  if (event !== undefined && !/^evt_[0-9a-f]{24}$/.test(event)) {
    throw new UsageError('--event must be evt_ and 24 hexadecimal characters: the id in its body')
  }
  const merchant_id = await merchantOf(context, merchant, json)
  if (event === undefined) return { merchant_id, attempt_ids: null, not_attempted: [] }
  const { sql } = await inCell(context, merchant_id)
  const subject = await findSubjectOfEvent(sql, { merchant_id, event_id: event })
  if (subject === undefined) {
    throw new Refusal('resource_not_found', `The merchant ${merchant_id} has no event ${event}.`)
  }
  const events = await traceEvents(sql, { merchant_id, subjects: [subject] })
  return selectionOf(
    merchant_id,
    events.filter(({ event_id }) => event_id === event),
  )
}

function selectionOf(merchant_id: string, events: TracedEvent[]): DeliverySelection {
  const deliveries = events.flatMap((event) => event.deliveries)
  const waiting = deliveries.filter(({ attempts, settled_as }) => attempts.length === 0 && settled_as === null)
  return {
    merchant_id: merchant_id as MerchantId,
    attempt_ids: deliveries.flatMap(({ attempts }) => attempts.map(({ attempt_id }) => attempt_id)),
    not_attempted: waiting.map(({ delivery_id }) => delivery_id),
  }
}

/** Throws if one is not a delivery id. */
export function requireDeliveryIds(ids: string[]): void {
  if (ids.every((id) => /^[0-9a-f]{32}$/.test(id))) return
  throw new UsageError('DELIVERY_ID must be 32 hexadecimal characters, as ripper delivery list shows them')
}

/** The delivery with this id, of any merchant unless one is given. Throws `delivery_not_found`. */
export async function deliveryKeyOf(
  { sql }: CommandContext,
  delivery_id: string,
  merchant: string | undefined,
): Promise<DeliveryKey> {
  const merchant_id = await merchantNamed(sql, merchant)
  const key = merchant_id === null ? await findDeliveryKey(sql, delivery_id) : { merchant_id, delivery_id }
  if (!key) throw deliveryNotFound()
  return key
}
