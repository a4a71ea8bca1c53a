// What a test payment has to be like to end in each event: who creates the session, the card, and what confirm answers.

import { type AcquirerBehaviour, publishedNumbers, testCardOf } from '../../cards/test-cards.ts'
import { type EventType, eventTypes } from '../../kernel/values.ts'
import { UsageError } from '../terminal/command.ts'

export type Course = {
  event: EventType
  /** A page's amount cannot be verified where its integration has no prices, which is what holds the payment. */
  opened_by: 'server' | 'page'
  card: string
  /** What confirm answers. */
  outcome: 'captured' | 'held' | 'declined' | 'failed'
  /** The held payment is voided by the merchant. */
  then_void: boolean
}

/** The course to an event by its name, `payment.held`, or by the last word of it. */
export function courseTo(named: string): Course {
  const event = eventTypes.find((type) => type === named || type === `payment.${named}`)
  if (!event) throw new UsageError(`EVENT must be one of ${eventTypes.join(', ')}`)
  return { event, ...courses[event] }
}

const approved = cardThat('approve')
const page = { opened_by: 'page', card: approved, outcome: 'held' } as const
const server = { opened_by: 'server', then_void: false } as const

const courses: Record<EventType, Omit<Course, 'event'>> = {
  'payment.captured': { ...server, card: approved, outcome: 'captured' },
  'payment.held': { ...page, then_void: false },
  'payment.voided': { ...page, then_void: true },
  'payment.declined': { ...server, card: cardThat('card_declined'), outcome: 'declined' },
  'payment.failed': { ...server, card: cardThat('processing_error'), outcome: 'failed' },
}

/** The first published number that is authenticated without a challenge, and with which the acquirer does this. */
function cardThat(does: AcquirerBehaviour): string {
  return publishedNumbers.find((number) => {
    const card = testCardOf(number)!
    return card.three_ds === 'authenticated' && card.acquirer === does
  })!
}
