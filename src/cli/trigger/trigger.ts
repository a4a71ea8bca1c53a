// `ripper trigger EVENT`: makes a real test payment that ends in an event, for developers of receivers.

import { z } from 'zod'
import { readConfig } from '../../config/config.ts'
import { inCell } from '../../database/cells/cells.ts'
import { type EventType, eventTypes, type MerchantId } from '../../kernel/values.ts'
import { realClock } from '../../outgoing/real-world.ts'
import { listEventsWithDeliveries } from '../../webhooks/deliveries/operator-store.ts'
import { viewEndpoint } from '../../webhooks/endpoint.ts'
import { listEndpointRows } from '../../webhooks/endpoints/endpoint-store.ts'
import { type CommandContext, withCommandContext } from '../command-context.ts'
import { openServiceCalls, type ServiceCalls, ServiceError } from '../service/call.ts'
import { adviseOnKey, connectionOf, connectionOptions } from '../service/connection.ts'
import { UsageError } from '../terminal/command.ts'
import { command, option, type ValuesOf, withDefault } from '../terminal/option.ts'
import { money, printJson, printKnown, printLine, printList } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { InterruptedError, payeeByKey, requirePage, withPayee } from './payee.ts'
import { type Payee, type Purchase, payAlong, scenarioFor, type TestPayment, type TriggerScenario } from './payment.ts'

/** The service checks how large it may be. */
const minorUnits = z
  .string()
  .regex(/^-?\d+$/, 'must be a whole number in minor units, written in digits')
  .transform(Number)

const entry = z
  .string()
  .regex(/^[^=]+=/, 'must be KEY=VALUE')
  .transform((text): [string, string] => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)])

const triggerOptions = {
  amount: withDefault(option('N', 'in minor units (4200)', minorUnits), 4200),
  currency: withDefault(option('CODE', 'ISO 4217 (GBP)'), 'GBP'),
  metadata: withDefault(option('KEY=VALUE', 'metadata of the payment', entry.array()), []),
  'order-reference': option('TEXT', "the merchant's name of the order"),
  ...connectionOptions,
  merchant: option('ID', 'the merchant, with keys made for this payment; by default the demo merchant'),
  'publishable-key': option('rip_pk_…', 'for held and voided, if you give --key'),
  integration: option('NAME', "for held and voided: the page's integration; by default one without prices"),
  origin: option('URL', "for held and voided: the page's origin; by default one that is allowed"),
}
type Given = ValuesOf<typeof triggerOptions>

export const triggerCommand = command({
  name: 'trigger',
  summary: 'Makes a test payment that ends in an event, and shows which endpoints received it',
  positionals: ['EVENT'],
  completes: eventTypes,
  options: triggerOptions,
  remarks: [
    'EVENT is payment.captured, payment.held, payment.voided, payment.declined or payment.failed, or its last word.',
    'It pays with a test card over the routes of the running service. The payment is always in test mode: it never pays a\n' +
      'session that would be live. Without --key it needs the database, and makes keys for the payment. They are test-only,\n' +
      'expire after five minutes, and are revoked as soon as the payment is made.',
  ],
  async run({ options, positionals, json }) {
    const course = scenarioFor(positionals[0]!)
    refusePageOptions(course, options)
    const { amount, currency, metadata, 'order-reference': order_reference = null } = options
    const purchase = { amount, currency, metadata: Object.fromEntries(metadata), order_reference }
    const result = await trigger(course, { purchase, options, json }).catch(leaveInterrupted)
    if (json) printJson(result)
    else printForPeople(course, result)
  },
})

type TriggerOutput = {
  event_type: EventType
  /** Null if a key was given, because only the database would know. */
  event_id: string | null
  /** Null if a key was given. */
  merchant_id: string | null
} & Omit<TestPayment, 'decline'> & {
    mode: 'test'
    decline: TestPayment['decline']
    /** Null if the key may not read deliveries. */
    deliveries: DeliveryResult[] | null
  }

async function trigger(
  course: TriggerScenario,
  { purchase, options, json }: { purchase: Purchase; options: Given; json: boolean },
): Promise<TriggerOutput> {
  const needs_page = course.opened_by === 'page'
  if (byKey(options)) {
    const connection = connectionOf(options)
    const payee = payeeByKey(connection, options)
    if (needs_page) requirePage(payee)
    const place = { payee, base_url: connection.base_url, endpoints: null }
    const courseEnd = await payAndWatch(course, purchase, place).catch((error: unknown) => {
      throw error instanceof ServiceError ? adviseOnKey(error, connection) : error
    })
    return { merchant_id: connection.merchant_id, event_id: null, ...courseEnd }
  }
  return withCommandContext((context) =>
    withPayee(context, { options, needs_page, json }, async (payee, merchant_id) => {
      const { base_url } = connectionOf({ ...options, key: payee.secret_key })
      const { sql } = await inCell(context, merchant_id)
      const endpoints = (await listEndpointRows(sql, merchant_id)).map(viewEndpoint)
      const courseEnd = await payAndWatch(course, purchase, { payee, base_url, endpoints })
      const event_id = await eventIdOf(context, { merchant_id, ...courseEnd })
      return { merchant_id, event_id, ...courseEnd }
    }),
  )
}

type PaymentPlace = { payee: Payee; base_url: string; endpoints: ShownEndpoint[] | null }

async function payAndWatch(course: TriggerScenario, purchase: Purchase, { payee, base_url, endpoints }: PaymentPlace) {
  const service = openServiceCalls(base_url)
  const { decline, ...paid } = await payAlong(course, service, { payee, purchase })
  const { secret_key } = payee
  const { payment_id } = paid
  const { event: event_type } = course
  const deliveries = await readDeliveryResults(service, { secret_key, payment_id, endpoints, event: event_type })
  return { event_type, ...paid, mode: 'test' as const, decline, deliveries }
}

async function eventIdOf(
  context: CommandContext,
  which: { merchant_id: MerchantId; payment_id: string; event_type: EventType },
): Promise<string | null> {
  const { merchant_id, payment_id, event_type } = which
  const { sql } = await inCell(context, merchant_id)
  const events = await listEventsWithDeliveries(sql, { merchant_id, subjects: [payment_id] })
  return events.find(({ type }) => type === event_type)?.event_id ?? null
}

/** Ends the process at once, because an unanswered request would keep it alive. */
function leaveInterrupted(error: unknown): never {
  if (!(error instanceof InterruptedError)) throw error
  terminal().stderr.write('ripper trigger: interrupted. The outcome of the payment is unknown.\n')
  process.exit(130)
}

/** A merchant given as an option takes precedence over a key in the environment. */
function byKey({ key, merchant }: Given): boolean {
  if (key !== undefined && merchant !== undefined) {
    throw new UsageError('takes --key or --merchant, because a key belongs to one merchant')
  }
  return key !== undefined || (merchant === undefined && readConfig(terminal().environment).secret_key !== null)
}

/** An option that would be ignored is a mistake. Perhaps the user meant another event. */
function refusePageOptions({ event, opened_by }: TriggerScenario, options: Given): void {
  if (opened_by === 'page') return
  const option = (['integration', 'publishable-key', 'origin'] as const).find((name) => options[name])
  if (option === undefined) return
  throw new UsageError(`takes --${option} for held and voided only: a server pays ${event}`)
}

function printForPeople(course: TriggerScenario, result: TriggerOutput): void {
  const { event_type, event_id, payment_id, session_id, decline, deliveries } = result
  const amount = money(result)
  printLine(`${doings[course.event](amount)}\n`)
  const reason = decline && `${decline.code}, ${decline.category}`
  printKnown({ event_type, event_id, payment_id, session_id, amount, decline: reason })
  printLine('')
  if (deliveries === null) printLine('The key may not read deliveries: it lacks manage_webhooks.')
  else {
    printList(deliveries, { headings: ['endpoint', 'URL', 'delivery'], cells: rowOf, nothing: no_endpoint })
    if (deliveries.length > 0) printLine('\nripper delivery list shows more.')
  }
}

const no_endpoint =
  'No endpoint takes this event. If ripper listen --forward-to URL runs, it forwards the event all the same.\n' +
  'ripper endpoint create makes an endpoint.'

const doings: Record<EventType, (amount: string) => string> = {
  'payment.captured': (amount) => `Paid ${amount} with a test card.`,
  'payment.held': (amount) =>
    `Paid ${amount} from a page. Nothing verified the amount, so the payment waits for a decision.`,
  'payment.voided': (amount) => `Paid ${amount} from a page, and voided the held payment.`,
  'payment.declined': (amount) => `Tried to pay ${amount}: the acquirer declined.`,
  'payment.failed': (amount) => `Tried to pay ${amount}: the acquirer failed.`,
}

function rowOf({ endpoint_id, endpoint_url, status, response_status_code }: DeliveryResult): string[] {
  const answer = response_status_code === null ? '' : `, HTTP ${response_status_code}`
  return [endpoint_id, endpoint_url, `${status ?? 'not attempted yet'}${answer}`]
}

type DeliveryResult = {
  endpoint_id: string
  endpoint_url: string
  /** Null if no attempt has ended yet. */
  status: 'succeeded' | 'failed' | 'dead_lettered' | 'pending' | null
  response_status_code: number | null
}

type ShownEndpoint = { id: string; url: string; event_filter: string[]; status: string }
type Row = Pick<DeliveryResult, 'response_status_code'> & {
  event_id: string
  status: NonNullable<DeliveryResult['status']>
}

const looks_max = 40
const look_ms = 250

type DeliverySearch = {
  secret_key: string
  payment_id: string
  event: EventType
  /** All of the merchant; null to ask the service, which shows a key for tests alone only those of tests alone. */
  endpoints: ShownEndpoint[] | null
}

/** Each endpoint that wants the event. Waits some seconds for first attempts. Null if the key may not read deliveries. */
async function readDeliveryResults(service: ServiceCalls, which: DeliverySearch): Promise<DeliveryResult[] | null> {
  const headers = { 'x-service-api-key': which.secret_key }
  try {
    const endpoints: ShownEndpoint[] =
      which.endpoints ?? (await service.get('/v1/webhooks/endpoints', { headers })).endpoints
    const wanting = endpoints.filter(
      ({ status, event_filter }) =>
        status === 'active' && (event_filter.length === 0 || event_filter.includes(which.event)),
    )
    const query = `limit=100&event_type=webhook.${which.event}`
    for (let looks = 1; ; looks += 1) {
      if (wanting.length === 0) return []
      const { data } = await service.get(`/v1/webhooks/deliveries?${query}`, { headers })
      const results = wanting.map((endpoint) => resultOf(endpoint, data, which))
      if (looks === looks_max || results.every(({ status }) => status !== null)) return results
      await realClock().sleep(look_ms)
    }
  } catch (error) {
    if (error instanceof ServiceError) return null
    throw error
  }
}

/** Rows come newest first. */
function resultOf(
  { id, url }: ShownEndpoint,
  rows: Row[],
  { payment_id, event }: { payment_id: string; event: EventType },
): DeliveryResult {
  const row = rows.find(({ event_id }) => event_id === `evt:${payment_id}#${event}#${id}`)
  return {
    endpoint_id: id,
    endpoint_url: url,
    status: row?.status ?? null,
    response_status_code: row?.response_status_code ?? null,
  }
}
