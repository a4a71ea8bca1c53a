// `ripper delivery list`: what was sent to endpoints and how it ended, one row for each attempt.

import { listRefunds } from '../../checkout/refunds/refund-store.ts'
import { inCell } from '../../database/cells/cells.ts'
import { limit_default, limit_max } from '../../http/list-page.ts'
import { Refusal } from '../../kernel/errors.ts'
import { eventTypes, type MerchantId } from '../../kernel/values.ts'
import { merchantOrRefuse } from '../../merchants/manage.ts'
import { pageOfDeliveries } from '../../webhooks/deliveries/list-deliveries.ts'
import { findDeliveryKey, findSubjectOfEvent } from '../../webhooks/deliveries/operator-store.ts'
import { type TracedEvent, traceEvents } from '../../webhooks/deliveries/trace-events.ts'
import { type DeliveryKey, deliveryNotFound, deliveryStatuses, type_prefix } from '../../webhooks/delivery.ts'
import {
  type CommandContext,
  choice,
  merchantOf,
  merchantOption,
  paymentKeyOf,
  text,
  wholeNumber,
  withCommandContext,
} from '../command-context.ts'
import { type Command, type OptionSpec, type Options, UsageError } from '../terminal/command.ts'
import { paintState, printJson, printLine, printTable, shortTime } from '../terminal/print.ts'

/** Finds the deliveries that `ripper delivery list` shows for an event or a payment. */
const selectionOptions: Record<string, OptionSpec> = {
  event: { value: 'evt_…', meaning: 'only those of this event' },
  payment: { value: 'pay_…', meaning: 'only those of the events of this payment and its refunds' },
}

/** The merchant, and which of its deliveries. */
type DeliverySelection = {
  merchant_id: MerchantId
  /** Null for all deliveries. */
  attempt_ids: string[] | null
  /** Deliveries without an attempt, which have no row yet. */
  not_attempted: string[]
}

/** Throws a UsageError for malformed ids, and `resource_not_found` for ids that do not exist. */
async function readSelection(context: CommandContext, options: Options): Promise<DeliverySelection> {
  const [event_id, payment_id] = [text(options, 'event'), text(options, 'payment')]
  if (event_id !== null && payment_id !== null) {
    throw new UsageError('takes --event or --payment, because an event belongs to one payment')
  }
  if (event_id !== null) return aboutEvent(context, options, event_id)
  if (payment_id === null) {
    const merchant_id = await merchantOf(context, options)
    return { merchant_id, attempt_ids: null, not_attempted: [] }
  }
  if (!/^pay_[0-9a-f]{24}$/.test(payment_id)) {
    throw new UsageError('--payment must be pay_ and 24 hexadecimal characters')
  }
  const key = await paymentKeyOf(context, options, payment_id)
  const { sql } = await inCell(context, key.merchant_id)
  const refunds = await listRefunds(sql, key)
  const subjects = [payment_id, ...refunds.map(({ refund_id }) => refund_id)]
  const { merchant_id } = key
  return aboutOf(key, await traceEvents(sql, { merchant_id, subjects }))
}

async function aboutEvent(context: CommandContext, options: Options, event_id: string): Promise<DeliverySelection> {
  if (!/^evt_[0-9a-f]{24}$/.test(event_id)) {
    throw new UsageError('--event must be evt_ and 24 hexadecimal characters: the id in its body')
  }
  const merchant_id = await merchantOf(context, options)
  const { sql } = await inCell(context, merchant_id)
  const subject = await findSubjectOfEvent(sql, { merchant_id, event_id })
  if (subject === undefined) {
    const words = `The merchant ${merchant_id} has no event ${event_id}.`
    throw new Refusal('resource_not_found', words)
  }
  const events = await traceEvents(sql, { merchant_id, subjects: [subject] })
  return aboutOf(
    { merchant_id },
    events.filter((event) => event.event_id === event_id),
  )
}

function aboutOf({ merchant_id }: { merchant_id: string }, events: TracedEvent[]): DeliverySelection {
  const deliveries = events.flatMap((event) => event.deliveries)
  const attempts = deliveries.flatMap((delivery) => delivery.attempts)
  return {
    merchant_id: merchant_id as MerchantId,
    attempt_ids: attempts.map(({ attempt_id }) => attempt_id),
    not_attempted: deliveries
      .filter((delivery) => delivery.attempts.length === 0 && delivery.settled_as === null)
      .map(({ delivery_id }) => delivery_id),
  }
}

export const deliveryList: Command = {
  name: 'delivery list',
  summary: 'Lists attempts to deliver events to endpoints, newest first, for 30 days',
  options: {
    merchant: merchantOption,
    status: { value: 'STATUS', meaning: `one of ${deliveryStatuses.join(', ')}` },
    ...selectionOptions,
    'event-type': { value: 'TYPE', meaning: 'only this type of event, such as payment.captured' },
    limit: { value: 'N', meaning: `how many, 1 to ${limit_max} (${limit_default})` },
    after: { value: 'CURSOR', meaning: 'where the last page ended; give the same options' },
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
    const status = choice(options, 'status', deliveryStatuses) ?? undefined
    const event_type = eventTypeOf(options)
    const limit = wholeNumber(options, 'limit', limit_max) ?? limit_default
    const after = text(options, 'after') ?? undefined
    const { merchant_id, page, not_attempted } = await withCommandContext(async (context) => {
      const { merchant_id, attempt_ids, not_attempted } = await readSelection(context, options)
      const which = { merchant_id, status, event_type, ...(attempt_ids && { attempt_ids }) }
      const asked = { ...which, after, limit }
      const page = await pageOfDeliveries(context, asked, context.clock.now()).catch(asUsage)
      return { merchant_id, page, not_attempted }
    })
    if (json) {
      printJson(page)
      return
    }
    if (page.data.length === 0) printLine(emptyWords(merchant_id, options))
    else printTable(headings, page.data.map(rowOf))
    if (page.data.some((row) => row.attempt_number > 0 && row.response_status_code === null)) {
      printLine('\nWithout a number under http there was no answer: ripper delivery show DELIVERY_ID says why.')
    }
    if (not_attempted.length > 0) printLine(`\nNot attempted yet: ${not_attempted.join(', ')}`)
    if (page.next_cursor) printLine(`\nThere are more: add --after ${page.next_cursor}`)
  },
}

/** Says why there is nothing: the options exclude it, or nothing was sent at all. */
function emptyWords(merchant_id: string, options: Options): string {
  const narrowing = ['status', 'event', 'payment', 'event-type', 'after']
  if (narrowing.some((name) => options[name] !== undefined)) return 'There is no such delivery.'
  return (
    `Nothing was sent for the merchant ${merchant_id} in 30 days. The service sends events to its endpoints, which\n` +
    'ripper endpoint list shows. This list does not have what ripper listen forwards.'
  )
}

type Page = Awaited<ReturnType<typeof pageOfDeliveries>>

// The widest values take just 120 characters.
const headings = ['attempted', 'delivery', '#', 'event', 'status', 'http', 'next']

function rowOf(row: Page['data'][number]): string[] {
  const { occurred_at, delivery_id, attempt_number, event_type, next_retry_at } = row
  return [
    shortTime(occurred_at),
    delivery_id,
    String(attempt_number),
    event_type.slice(type_prefix.length),
    paintState(row.status),
    String(row.response_status_code ?? '–'),
    next_retry_at === null ? '–' : shortTime(next_retry_at),
  ]
}

/** The type as rows of the API spell it. Takes both `payment.captured` and `webhook.payment.captured`. */
function eventTypeOf(options: Options): string | undefined {
  const named = text(options, 'event-type')
  if (named === null) return undefined
  const type = named.startsWith(type_prefix) ? named.slice(type_prefix.length) : named
  if (!eventTypes.some((known) => known === type)) {
    throw new UsageError(`--event-type must be one of ${eventTypes.join(', ')}`)
  }
  return type_prefix + type
}

function asUsage(error: unknown): never {
  if (!(error instanceof Refusal) || error.code !== 'invalid_pagination') throw error
  throw new UsageError('--after must be the cursor at the end of the last page, and the other options must be the same')
}

/** Throws if one is not a delivery id. */
export function requireDeliveryIds(ids: string[]): void {
  if (ids.every((id) => /^[0-9a-f]{32}$/.test(id))) return
  throw new UsageError('DELIVERY_ID must be 32 hexadecimal characters, as ripper delivery list shows them')
}

/** The delivery with this id, of any merchant unless one is given. Throws `delivery_not_found`. */
export async function deliveryKeyOf(
  { sql }: CommandContext,
  options: Options,
  delivery_id: string,
): Promise<DeliveryKey> {
  const named = text(options, 'merchant')
  if (named !== null) {
    const { merchant_id } = await merchantOrRefuse(sql, named)
    return { merchant_id, delivery_id }
  }
  const key = await findDeliveryKey(sql, delivery_id)
  if (!key) throw deliveryNotFound()
  return key
}
