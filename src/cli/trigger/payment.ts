// Makes a test payment over the service's own routes, as a merchant's server and page do.

import { type AcquirerBehaviour, publishedNumbers, testCardOf } from '../../cards/test-cards.ts'
import { type EventType, eventTypes } from '../../kernel/values.ts'
import { pooledBytes, realClock } from '../../outgoing/real-world.ts'
import { testBrowser } from '../../payments/authentication/test-browser.ts'
import type { Call, ServiceCalls } from '../service/call.ts'
import { CommandError, UsageError } from '../terminal/command.ts'

/** The merchant of the payment, and its page; null if the course needs no page. */
export type Payee = {
  secret_key: string
  page: { publishable_key: string; integration: string | null; origin: string } | null
}

/** The payment as the user wants it. The service checks it. */
export type Purchase = {
  /** In minor units. */
  amount: number
  currency: string
  metadata: Record<string, string>
  order_reference: string | null
}

export type TestPayment = {
  payment_id: string
  session_id: string
  /** In minor units. */
  amount: number
  currency: string
  decline: { code: string; category: string; reason: string } | null
}

/** Pays, and voids if the course says so. Throws a ServiceError, or a CommandError if the payment ends differently. */
export async function payAlong(
  course: TriggerScenario,
  service: ServiceCalls,
  { payee, purchase }: { payee: Payee; purchase: Purchase },
): Promise<TestPayment> {
  const session = await openSession(course, service, { payee, purchase })
  const { id: session_id, amount, currency } = session
  // The simulators serve test sessions only, so a live session does not even get a card.
  if (session.mode !== 'test') {
    throw new CommandError(
      `The session ${session_id} is a ${session.mode} one, so no payment was made. Use a test-only key: ripper key create --mode test_only.`,
    )
  }
  const result = await pay(course.card, service, session)
  const { payment_id, decline } = result
  if (result.status !== course.outcome) {
    throw new CommandError(elsewhere(course, result))
  }
  if (course.then_void) {
    const headers = { ...withKey(payee), ...idempotencyKey() }
    await service.post(`/v1/payments/${payment_id}/hold/void`, { headers })
  }
  return { payment_id, session_id, amount, currency, decline }
}

type Session = {
  id: string
  client_secret: string
  mode: string
  amount: number
  currency: string
  expires_at: string
}

function openSession(
  { opened_by }: TriggerScenario,
  service: ServiceCalls,
  { payee, purchase }: { payee: Payee; purchase: Purchase },
): Promise<Session> {
  const { page } = payee
  const { order_reference, ...rest } = purchase
  const body = {
    ...rest,
    ...(order_reference !== null && { order_reference }),
    // No payment can be confirmed without an email.
    customer: { email: 'shopper@example.com', name: 'Test Shopper' },
  }
  if (opened_by === 'server' || page === null) {
    const headers = { ...withKey(payee), ...idempotencyKey() }
    return service.post('/v1/checkout/sessions', { headers, body })
  }
  const { publishable_key: public_key, integration, origin } = page
  return service.post('/v1/checkout/public/sessions', {
    headers: { origin, ...idempotencyKey() },
    body: { ...body, public_key, ...(integration !== null && { integration }) },
  })
}

type Result = { status: string; payment_id: string; decline: TestPayment['decline'] }

async function pay(number: string, service: ServiceCalls, session: Session): Promise<Result> {
  const headers = { 'rip-client-secret': session.client_secret }
  const at = (verb: string) => `/v1/checkout/sessions/${session.id}/${verb}`
  const post = (verb: string, body?: Call['body']) => service.post(at(verb), { headers, body })
  const { card_reference } = await post('card_references', {
    number,
    exp_month: 12,
    // From the service's clock, which may be shifted.
    exp_year: Number(session.expires_at.slice(0, 4)) + 1,
    cvc: number.startsWith('3') ? '1234' : '123',
  })
  await post('authenticate', { card_reference, browser: testBrowser })
  let result: Result = await post('confirm')
  for (let looks = 0; result.status === 'processing' && looks < looks_max; looks += 1) {
    await realClock().sleep(look_ms)
    const state = await service.get(at('state'), { headers })
    result = state.result ?? result
  }
  return result
}

const look_ms = 500
/** If an answer is lost, the reconciler finds it within some seconds. */
const looks_max = 60

function elsewhere({ event, opened_by }: TriggerScenario, { payment_id, status, decline }: Result): string {
  const why = decline === null ? '' : ` (${decline.code})`
  const advice =
    opened_by === 'page' && status === 'captured'
      ? ' The integration of the page could verify the amount: name another amount, or use an integration without prices.'
      : ''
  return `The payment ${payment_id} is ${status}${why}, so it does not lead to ${event}.${advice}`
}

const withKey = ({ secret_key }: Payee) => ({ 'x-service-api-key': secret_key })

const draw = pooledBytes()
const idempotencyKey = () => ({ 'rip-idempotency-key': `trigger-${draw(12).toString('hex')}` })

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
export function scenarioFor(scenario_name: string): TriggerScenario {
  const event = eventTypes.find((type) => type === scenario_name || type === `payment.${scenario_name}`)
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
