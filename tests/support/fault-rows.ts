// What must be true after a fault at each step of each operation with each vendor: the rows of the tests and of
// docs/connect/faults.md.

import type { VendorName } from './vendors.ts'

/** What becomes of one request to the vendor; `by_faults` says so in words. */
export type VendorFault = keyof typeof by_faults

export const by_faults = {
  dies_before: 'the process dies before the vendor has it',
  dies_after: 'the process dies once the vendor has done it',
  stands_still: 'the process stands still for a minute before it sends',
  arrives_late: 'it is on its way for a minute, and arrives',
  arrives_too_late: 'it is on its way for ten minutes, and arrives when it was given up',
  answers_late: 'the vendor does it, and answers after a minute',
  lost_before: 'it is lost on its way',
  lost_after: 'the vendor does it, and the answer is lost',
} as const

/** The next request of this kind, by its method and path; `nth` of them, from 1. */
export type Step = { request: RegExp; nth?: number }

/** How it ends: the payment's state, and by that where the money is at the vendor. */
export type End = 'captured' | 'held' | 'voided' | 'failed' | 'refunded'

export type Operation = keyof typeof operations

/** In words, and how each fault ends; another end than usual below. */
export const operations = {
  charge: 'a charge of a verified amount',
  hold: 'a charge that is held',
  capture: 'the capture of a held payment',
  void: 'the void of a held payment',
  refund: 'the refund of a part of a captured payment',
  give_up: 'the reversal of a charge that never arrived',
  take_back: 'the reversal of a charge of another amount than was asked for',
  look_up: 'the look-up of a charge whose answer was lost',
  list: 'the search for authorisations that no payment stands behind',
} as const

export type FaultRow = {
  operation: Operation
  step: string
  at: Step
  fault: VendorFault
  end: End
}

const of_charges = Object.keys(by_faults) as VendorFault[]
const of_others = of_charges.filter((fault) => fault !== 'arrives_too_late')
/** A question moves nothing: whether it arrived makes no difference. */
const of_questions: VendorFault[] = ['dies_before', 'lost_before', 'answers_late']

type Steps = Partial<Record<Operation, Record<string, RegExp>>>

const steps: Record<VendorName, Steps> = {
  checkout: {
    charge: { 'POST /payments': /^POST \/payments$/ },
    hold: { 'POST /payments': /^POST \/payments$/ },
    capture: { 'POST …/captures': /\/captures$/ },
    void: { 'POST …/voids': /\/voids$/ },
    refund: { 'POST …/refunds': /\/refunds$/ },
    take_back: { 'POST …/reversals': /\/reversals$/ },
    look_up: { 'GET /payments?reference=': /^GET \/payments$/, 'GET …/actions': /\/actions$/ },
    list: { 'POST /payments/search': /search$/ },
  },
  stripe: {
    charge: {
      'POST /v1/payment_methods': /payment_methods$/,
      'POST /v1/payment_intents': /^POST .*payment_intents$/,
      'POST …/confirm': /confirm$/,
    },
    hold: { 'POST …/confirm': /confirm$/ },
    capture: { 'POST …/capture': /capture$/ },
    void: { 'POST …/cancel': /cancel$/ },
    refund: { 'POST /v1/refunds': /^POST .*refunds$/ },
    give_up: { 'POST …/cancel': /cancel$/ },
    take_back: { 'POST …/cancel': /cancel$/, 'POST /v1/refunds': /^POST .*refunds$/ },
    look_up: { 'GET /v1/payment_intents/…': /^GET .*pi_/, 'GET /v1/refunds': /^GET .*refunds$/ },
    list: { 'GET /v1/payment_intents': /^GET .*payment_intents$/ },
  },
  adyen: {
    charge: { 'POST /payments': /\/payments$/ },
    hold: { 'POST /payments': /\/payments$/ },
    capture: { 'POST …/captures': /\/captures$/ },
    void: { 'POST …/cancels': /\/payments\/\w+\/cancels$/ },
    refund: { 'POST …/refunds': /\/refunds$/ },
    give_up: { 'POST /cancels': /v72\/cancels$/ },
    take_back: { 'POST …/reversals': /\/reversals$/ },
  },
}

/** Where nothing moves yet, a charge simply fails. */
const prepares = new Set(['POST /v1/payment_methods', 'POST /v1/payment_intents'])
/** The acquirer does not have it in time, or has it and gives it back. */
const never_there = new Set<VendorFault>([
  ...(['dies_before', 'stands_still', 'lost_before', 'arrives_too_late'] as const),
])

export function faultRowsOf(vendor: VendorName): FaultRow[] {
  return (Object.entries(steps[vendor]) as [Operation, Record<string, RegExp>][]).flatMap(([operation, requests]) =>
    Object.entries(requests).flatMap(([step, request]) => {
      const is_question = operation === 'look_up' || operation === 'list'
      const is_charge = operation === 'charge' || operation === 'hold'
      const faults = is_charge ? of_charges : is_question ? of_questions : of_others
      return faults.map((fault) => ({ operation, step, at: { request }, fault, end: endOf(operation, step, fault) }))
    }),
  )
}

function endOf(operation: Operation, step: string, fault: VendorFault): End {
  switch (operation) {
    case 'charge':
    case 'hold':
      if (prepares.has(step) || never_there.has(fault)) return 'failed'
      return operation === 'charge' ? 'captured' : 'held'
    case 'void':
      return 'voided'
    case 'refund':
      return 'refunded'
    case 'give_up':
    case 'take_back':
      return 'failed'
    default:
      return 'captured'
  }
}

const titles: Record<VendorName, string> = {
  checkout: 'Checkout.com',
  stripe: 'Stripe',
  adyen: 'Adyen',
}

/** The page that shows all rows. */
export function faultPage(): string {
  const legend = of_charges.map((fault) => `| ${wordsOf(fault)} | ${by_faults[fault]} |`)
  const lines = (Object.keys(operations) as Operation[]).map((operation) => {
    const requests = (Object.keys(titles) as VendorName[]).flatMap((vendor) => requestsOf(vendor, operation))
    return `| ${[operations[operation], requests.join('; '), endsOf(operation)].join(' | ')} |`
  })
  const head = ['operation', 'requests', 'how it ends']
  const table = [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...lines]
  return `${[page_begins, ['| fault | what happens |', '|---|---|', ...legend].join('\n'), table.join('\n')].join('\n\n')}\n`
}

const page_begins = `# What becomes of a payment when something fails

A test meets each fault below at each request of each operation, through the whole service and against a server on loopback that keeps the
vendor's books. Then it waits until nothing is due any more, and looks at our books and at the vendor's. Each time:

- the vendor was charged at most once, and holds what the payment's state says: captured, held, or nothing; what was refunded, it gave
  back once;
- the merchant heard of the outcome once, the session waits for nothing, and no card is kept;
- no operation waits for a person, and nothing without our mark was touched.

At Checkout.com and Stripe this is without notices, which only make it faster. At Adyen notices bring each outcome. Only a charge was tried
arriving too late.`

function requestsOf(vendor: VendorName, operation: Operation): string[] {
  const requests = Object.keys(steps[vendor][operation] ?? {})
  const words = requests.map((step) => `\`${step}\`${prepares.has(step) ? ' (always failed)' : ''}`)
  return words.length === 0 ? [] : [`${titles[vendor]} ${words.join(', ')}`]
}

/** The end of each fault, by the requests that move money or ask; it is the same with each vendor. */
function endsOf(operation: Operation): string {
  const rows = (Object.keys(titles) as VendorName[])
    .flatMap((vendor) => faultRowsOf(vendor))
    .filter((row) => row.operation === operation && !prepares.has(row.step))
  const ends = Map.groupBy(rows, ({ end }) => end)
  if (ends.size === 1) return `${[...ends.keys()][0]}${faultsNamed(rows, operation)}`
  return [...ends].map(([end, own]) => `${end}: ${namesOf(own)}`).join('; ')
}

/** Where not every fault was tried. */
function faultsNamed(rows: FaultRow[], operation: Operation): string {
  return operation === 'look_up' || operation === 'list' ? ` (${namesOf(rows)})` : ''
}

function namesOf(rows: FaultRow[]): string {
  return [...new Set(rows.map(({ fault }) => wordsOf(fault)))].join(', ')
}

function wordsOf(fault: VendorFault): string {
  return fault.replaceAll('_', ' ')
}
