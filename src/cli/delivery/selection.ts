// Finds the deliveries that `ripper delivery list` shows for an event or a payment.

import { listRefunds } from '../../checkout/reading/refund-store.ts'
import { inCell } from '../../database/cells/cells.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { MerchantId } from '../../kernel/values.ts'
import { findSubjectOfEvent } from '../../webhooks/deliveries/operator-store.ts'
import { type TracedEvent, traceEvents } from '../../webhooks/deliveries/trace-events.ts'
import { type CommandContext, merchantOf, text } from '../command-context.ts'
import { paymentKeyOf } from '../payment-key.ts'
import { type OptionSpec, type Options, UsageError } from '../terminal/command.ts'

export const selectionOptions: Record<string, OptionSpec> = {
  event: { value: 'evt_…', meaning: 'only those of this event' },
  payment: { value: 'pay_…', meaning: 'only those of the events of this payment and its refunds' },
}

/** The merchant, and which of its deliveries. */
export type DeliverySelection = {
  merchant_id: MerchantId
  /** Null for all deliveries. */
  attempt_ids: string[] | null
  /** Deliveries without an attempt, which have no row yet. */
  not_attempted: string[]
}

/** Throws a UsageError for malformed ids, and `resource_not_found` for ids that do not exist. */
export async function readSelection(context: CommandContext, options: Options): Promise<DeliverySelection> {
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
