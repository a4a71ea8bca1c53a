// `ripper trigger EVENT`: makes a real test payment that ends in an event, for developers of receivers.

import { readConfig } from '../../config/config.ts'
import { inCell } from '../../database/cells/cells.ts'
import { type EventType, eventTypes, type MerchantId } from '../../kernel/values.ts'
import { listEventsWithDeliveries } from '../../webhooks/deliveries/operator-store.ts'
import { viewEndpoint } from '../../webhooks/endpoint.ts'
import { listEndpointRows } from '../../webhooks/endpoints/endpoint-store.ts'
import { type CommandContext, list, text, withCommandContext } from '../command-context.ts'
import { openServiceCalls, ServiceError } from '../service/call.ts'
import { adviseOnKey, connectionOf, connectionOptions } from '../service/connection.ts'
import { type Command, type Options, UsageError } from '../terminal/command.ts'
import { money, print, printJson, printLine, printTable } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { type DeliveryResult, readDeliveryResults, type ShownEndpoint } from './deliveries.ts'
import { InterruptedError, payeeByKey, requirePage, withPayee } from './payee.ts'
import { type Payee, type Purchase, payAlong, type TestPayment } from './payment.ts'
import { scenarioFor, type TriggerScenario } from './scenario.ts'

export const triggerCommand: Command = {
  name: 'trigger',
  summary: 'Makes a test payment that ends in an event, and shows which endpoints received it',
  positionals: ['EVENT'],
  completes: eventTypes,
  options: {
    amount: { value: 'N', meaning: 'in minor units (4200)' },
    currency: { value: 'CODE', meaning: 'ISO 4217 (GBP)' },
    metadata: { value: 'KEY=VALUE', many: true, meaning: 'metadata of the payment' },
    'order-reference': { value: 'TEXT', meaning: "the merchant's name of the order" },
    ...connectionOptions,
    merchant: {
      value: 'ID',
      meaning: 'the merchant, with keys made for this payment; by default the demo merchant',
    },
    'publishable-key': { value: 'rip_pk_…', meaning: 'for held and voided, if you give --key' },
    integration: {
      value: 'NAME',
      meaning: "for held and voided: the page's integration; by default one without prices",
    },
    origin: {
      value: 'URL',
      meaning: "for held and voided: the page's origin; by default one that is allowed",
    },
  },
  remarks: [
    'EVENT is payment.captured, payment.held, payment.voided, payment.declined or payment.failed, or its last word.',
    'It pays with a test card over the routes of the running service. The payment is always in test mode: it never pays a\n' +
      'session that would be live. Without --key it needs the database, and makes keys for the payment. They are test-only,\n' +
      'expire after five minutes, and are revoked as soon as the payment is made.',
  ],
  async run({ options, positionals, json }) {
    const course = scenarioFor(positionals[0]!)
    refusePageOptions(course, options)
    const purchase = purchaseOf(options)
    const triggered = await trigger(course, purchase, options).catch(leaveInterrupted)
    if (json) printJson(triggered)
    else printForPeople(course, triggered)
  },
}

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

async function trigger(course: TriggerScenario, purchase: Purchase, options: Options): Promise<TriggerOutput> {
  const needs_page = course.opened_by === 'page'
  if (byKey(options)) {
    const connection = connectionOf(options)
    const payee = payeeByKey(connection, options)
    if (needs_page) requirePage(payee)
    const place = { payee, base_url: connection.base_url, endpoints: null }
    const paid = await payAndWatch(course, purchase, place).catch((error: unknown) => {
      throw error instanceof ServiceError ? adviseOnKey(error, connection) : error
    })
    return { merchant_id: connection.merchant_id, event_id: null, ...paid }
  }
  return withCommandContext((context) =>
    withPayee(context, { options, needs_page }, async (payee, merchant_id) => {
      const { base_url } = connectionOf({ ...options, key: payee.secret_key })
      const { sql } = await inCell(context, merchant_id)
      const endpoints = (await listEndpointRows(sql, merchant_id)).map(viewEndpoint)
      const paid = await payAndWatch(course, purchase, { payee, base_url, endpoints })
      const event_id = await eventIdOf(context, { merchant_id, ...paid })
      return { merchant_id, event_id, ...paid }
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
function byKey(options: Options): boolean {
  const [key, merchant] = [text(options, 'key'), text(options, 'merchant')]
  if (key !== null && merchant !== null) {
    throw new UsageError('takes --key or --merchant, because a key belongs to one merchant')
  }
  return key !== null || (merchant === null && readConfig(terminal().environment).secret_key !== null)
}

/** An option that would be ignored is a mistake. Perhaps the user meant another event. */
function refusePageOptions({ event, opened_by }: TriggerScenario, options: Options): void {
  if (opened_by === 'page') return
  const given = ['integration', 'publishable-key', 'origin'].find((name) => text(options, name))
  if (given === undefined) return
  throw new UsageError(`takes --${given} for held and voided only: a server pays ${event}`)
}

function purchaseOf(options: Options): Purchase {
  const amount = text(options, 'amount') ?? '4200'
  if (!/^-?\d+$/.test(amount)) {
    throw new UsageError('--amount must be a whole number in minor units, written in digits')
  }
  return {
    // The service checks how large it may be.
    amount: Number(amount),
    currency: text(options, 'currency') ?? 'GBP',
    metadata: Object.fromEntries(list(options, 'metadata').map(entryOf)),
    order_reference: text(options, 'order-reference'),
  }
}

function entryOf(given: string): [string, string] {
  const end = given.indexOf('=')
  if (end < 1) throw new UsageError('--metadata must be KEY=VALUE')
  return [given.slice(0, end), given.slice(end + 1)]
}

function printForPeople(course: TriggerScenario, triggered: TriggerOutput): void {
  const { event_type, event_id, payment_id, session_id, decline, deliveries } = triggered
  const amount = money(triggered)
  printLine(`${doings[course.event](amount)}\n`)
  print(
    {
      event_type,
      ...(event_id !== null && { event_id }),
      payment_id,
      session_id,
      amount,
      ...(decline !== null && { decline: `${decline.code}, ${decline.category}` }),
    },
    false,
  )
  printLine('')
  if (deliveries === null) printLine('The key may not read deliveries: it lacks manage_webhooks.')
  else if (deliveries.length === 0) {
    printLine(
      'No endpoint takes this event. If ripper listen --forward-to URL runs, it forwards the event all the same.\nripper endpoint create makes an endpoint.',
    )
  } else {
    printTable(['endpoint', 'URL', 'delivery'], deliveries.map(rowOf))
    printLine('\nripper delivery list shows more.')
  }
}

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
