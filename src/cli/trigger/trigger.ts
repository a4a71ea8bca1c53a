// `ripper trigger EVENT`: a real test payment that ends in an event, for whoever builds what receives it.

import { readConfig } from '../../config/config.ts'
import { type EventType, eventTypes, type MerchantId } from '../../kernel/values.ts'
import { listEvents } from '../../webhooks/deliveries/operator-store.ts'
import { type CommandOffice, list, text, withOffice } from '../office.ts'
import { openServiceCalls, ServiceRefused } from '../service/call.ts'
import { adviseOnKey, connectionOf, connectionOptions } from '../service/connection.ts'
import { type Command, type Options, UsageError } from '../terminal/command.ts'
import { money, print, printJson, printTable, tell } from '../terminal/print.ts'
import { type Course, courseTo } from './course.ts'
import { readTold, type Told } from './deliveries.ts'
import { Interrupted, payeeByKey, requirePage, withPayee } from './payee.ts'
import { type Paid, type Payee, type Purchase, payAlong } from './payment.ts'

export const triggerCommand: Command = {
  name: 'trigger',
  summary: 'Makes a test payment that ends in an event, and tells who received it',
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
      meaning: "whose payment, with keys made for it alone; the demo merchant's where left out",
    },
    'publishable-key': { value: 'rip_pk_…', meaning: 'for held and voided, where --key is given' },
    integration: {
      value: 'NAME',
      meaning: 'for held and voided: of the page; one without prices where left out',
    },
    origin: { value: 'URL', meaning: 'for held and voided: of the page; one that it allows' },
  },
  remarks: [
    'EVENT is payment.captured, payment.held, payment.voided, payment.declined or payment.failed; its last word will do.',
    'The payment is made over the routes of the running service with a test card. It is always in test mode: a session\n' +
      'that would be live is not paid. Without --key the database is needed; keys made for a payment are test-only, end\n' +
      'after five minutes and are revoked as soon as it is made.',
  ],
  async run({ options, positionals, json }) {
    const course = courseTo(positionals[0]!)
    refusePageOptions(course, options)
    const purchase = purchaseOf(options)
    const triggered = await trigger(course, purchase, options).catch(leaveInterrupted)
    if (json) printJson(triggered)
    else printForPeople(course, triggered)
  },
}

type Triggered = {
  event_type: EventType
  /** Null where only the database could tell and the key was given. */
  event_id: string | null
  /** Null where the key was given. */
  merchant_id: string | null
} & Omit<Paid, 'decline'> & {
    mode: 'test'
    decline: Paid['decline']
    /** Null where the key may not ask. */
    deliveries: Told[] | null
  }

async function trigger(course: Course, purchase: Purchase, options: Options): Promise<Triggered> {
  const needs_page = course.opened_by === 'page'
  if (byKey(options)) {
    const connection = connectionOf(options)
    const payee = payeeByKey(connection, options)
    if (needs_page) requirePage(payee)
    const place = { payee, base_url: connection.base_url }
    const paid = await payAndWatch(course, purchase, place).catch((error: unknown) => {
      throw error instanceof ServiceRefused ? adviseOnKey(error, connection) : error
    })
    return { merchant_id: connection.merchant_id, event_id: null, ...paid }
  }
  return withOffice((office) =>
    withPayee(office, { options, needs_page }, async (payee, merchant_id) => {
      const { base_url } = connectionOf({ ...options, key: payee.secret_key })
      const paid = await payAndWatch(course, purchase, { payee, base_url })
      const event_id = await eventIdOf(office, { merchant_id, ...paid })
      return { merchant_id, event_id, ...paid }
    }),
  )
}

async function payAndWatch(
  course: Course,
  purchase: Purchase,
  { payee, base_url }: { payee: Payee; base_url: string },
) {
  const service = openServiceCalls(base_url)
  const { decline, ...paid } = await payAlong(course, service, { payee, purchase })
  const { secret_key } = payee
  const { payment_id } = paid
  const { event: event_type } = course
  const deliveries = await readTold(service, { secret_key, payment_id, event: event_type })
  return { event_type, ...paid, mode: 'test' as const, decline, deliveries }
}

async function eventIdOf(
  { sql }: CommandOffice,
  which: { merchant_id: MerchantId; payment_id: string; event_type: EventType },
): Promise<string | null> {
  const events = await listEvents(sql, which)
  return events.find(({ type }) => type === which.event_type)?.event_id ?? null
}

/** At once: a request that was not answered would keep the process for as long as it may take. */
function leaveInterrupted(error: unknown): never {
  if (!(error instanceof Interrupted)) throw error
  process.stderr.write('ripper trigger: interrupted. What became of the payment is not known.\n')
  process.exit(130)
}

/** A merchant that is named counts more than a key in the environment. */
function byKey(options: Options): boolean {
  const [key, merchant] = [text(options, 'key'), text(options, 'merchant')]
  if (key !== null && merchant !== null) {
    throw new UsageError('takes --key or --merchant: a key says whose it is')
  }
  return key !== null || (merchant === null && readConfig().secret_key !== null)
}

/** What would be passed over is a mistake, such as an event that was not meant. */
function refusePageOptions({ event, opened_by }: Course, options: Options): void {
  if (opened_by === 'page') return
  const given = ['integration', 'publishable-key', 'origin'].find((name) => text(options, name))
  if (given === undefined) return
  throw new UsageError(`takes --${given} for held and voided alone: ${event} is paid by the server`)
}

function purchaseOf(options: Options): Purchase {
  const amount = text(options, 'amount') ?? '4200'
  if (!/^-?\d+$/.test(amount)) {
    throw new UsageError('--amount must be a whole number in minor units, written in digits')
  }
  return {
    // How large it may be says the service.
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

function printForPeople(course: Course, triggered: Triggered): void {
  const { event_type, event_id, payment_id, session_id, decline, deliveries } = triggered
  const amount = money(triggered)
  tell(`${doings[course.event](amount)}\n`)
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
  tell('')
  if (deliveries === null) tell('The key may not ask who was told: it lacks manage_webhooks.')
  else if (deliveries.length === 0) {
    tell(
      'No endpoint takes this event. ripper listen --forward-to URL, where it runs, brings it all the same;\nripper endpoint create makes an endpoint.',
    )
  } else {
    printTable(['endpoint', 'URL', 'delivery'], deliveries.map(rowOf))
    tell('\nripper delivery list tells more.')
  }
}

const doings: Record<EventType, (amount: string) => string> = {
  'payment.captured': (amount) => `Paid ${amount} with a test card.`,
  'payment.held': (amount) =>
    `Paid ${amount} from a page, which nothing verified: the payment waits for a decision.`,
  'payment.voided': (amount) => `Paid ${amount} from a page, and voided the held payment.`,
  'payment.declined': (amount) => `Tried to pay ${amount}: the acquirer declined.`,
  'payment.failed': (amount) => `Tried to pay ${amount}: the acquirer failed.`,
}

function rowOf({ endpoint_id, endpoint_url, status, response_status_code }: Told): string[] {
  const answer = response_status_code === null ? '' : `, HTTP ${response_status_code}`
  return [endpoint_id, endpoint_url, `${status ?? 'not attempted yet'}${answer}`]
}
