// What a test payment needs to end in each event: who creates the session, the card, and the answer of confirm.

import { type AcquirerBehaviour, publishedNumbers, testCardOf } from '../../cards/test-cards.ts'
import { type EventType, eventTypes } from '../../kernel/values.ts'
import { UsageError } from '../terminal/command.ts'

export type TriggerScenario = {
  event: EventType
  /** Without prices in the integration a page's amount cannot be verified, and so the payment is held. */
  opened_by: 'server' | 'page'
  card: string
  /** The answer of confirm. */
  outcome: 'captured' | 'held' | 'declined' | 'failed'
  /** The merchant voids the held payment. */
  then_void: boolean
}

/** The course to an event, by its name, `payment.held`, or its last word. */
export function scenarioFor(named: string): TriggerScenario {
  const event = eventTypes.find((type) => type === named || type === `payment.${named}`)
  if (!event) throw new UsageError(`EVENT must be one of ${eventTypes.join(', ')}`)
  return { event, ...courses[event] }
}

const approved = cardThat('approve')
const page = { opened_by: 'page', card: approved, outcome: 'held' } as const
const server = { opened_by: 'server', then_void: false } as const

const courses: Record<EventType, Omit<TriggerScenario, 'event'>> = {
  'payment.captured': { ...server, card: approved, outcome: 'captured' },
  'payment.held': { ...page, then_void: false },
  'payment.voided': { ...page, then_void: true },
  'payment.declined': { ...server, card: cardThat('card_declined'), outcome: 'declined' },
  'payment.failed': { ...server, card: cardThat('processing_error'), outcome: 'failed' },
}

/** The first published number that needs no challenge and makes the acquirer do this. */
function cardThat(does: AcquirerBehaviour): string {
  return publishedNumbers.find((number) => {
    const card = testCardOf(number)!
    return card.three_ds === 'authenticated' && card.acquirer === does
  })!
}
