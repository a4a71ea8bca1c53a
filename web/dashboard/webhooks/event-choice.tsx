// Which events a new endpoint is told of: ticks in the words of its format, and what a form chose of them.

import { Tick } from '../parts/field.tsx'
import { sayCode } from '../words.ts'

const payment_events = [
  'payment.captured',
  'payment.held',
  'payment.voided',
  'payment.declined',
  'payment.failed',
] as const
const further_events = ['refund.succeeded', 'refund.failed', 'dispute.opened', 'dispute.closed'] as const
/** Those of endpoints that are told in the words of the other platform, as far as there are any yet. */
const compatible_events = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'payment_intent.succeeded',
  'payment_intent.amount_capturable_updated',
  'payment_intent.canceled',
  'payment_intent.payment_failed',
  'charge.refunded',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.closed',
] as const

export function EventTicks({ event_format }: { event_format: string }) {
  const is_ours = event_format !== 'stripe'
  return (is_ours ? [...payment_events, ...further_events] : compatible_events).map((type) => {
    const code = <code>{type}</code>
    const words = is_ours ? { label: sayCode('event', type), hint: code } : { label: code }
    return <Tick key={type} {...words} name="event" value={type} defaultChecked />
  })
}

/** Null where none is chosen that an endpoint needs. */
export function chosenEvents(form: HTMLFormElement, event_format: string) {
  const ticked = new FormData(form).getAll('event')
  const filterOf = <Type extends string>(types: readonly Type[]) => types.filter((type) => ticked.includes(type))
  if (event_format === 'stripe') {
    const event_filter = orAll(filterOf(compatible_events), compatible_events)
    return event_filter && { event_format: 'stripe' as const, event_filter }
  }
  const event_filter = orAll(filterOf(payment_events), payment_events)
  const extension_events = filterOf(further_events)
  return event_filter && { event_filter, ...(extension_events.length > 0 && { extension_events }) }
}

/** An empty filter stands for all, those of later releases too. */
function orAll<Type extends string>(chosen: Type[], types: readonly Type[]): Type[] | null {
  if (chosen.length === 0) return null
  return chosen.length === types.length ? [] : chosen
}
