// Faults planted between the product and a vendor.

import type { VendorHttp } from '../../src/kernel/world.ts'
import { referenceOf, verbOf } from '../vendors/verbs.ts'
import { both, inSql } from './planted.ts'

type Line = Pick<VendorHttp, 'send'>

/** One for each habit of vendors, and of people in their portals. */
const habit_plants = {
  'what was done in the portal is not taken in': {
    notices: (body: string) => !body.includes('"RMA-'),
    brings: { bank: 'adyen' as const, faults: { 'portal: a part is refunded': 0.2 } },
  },
  'a comparison sees no refunds of what is older than two days': {
    vendors: withoutOldRefunds,
    brings: {
      bank: 'stripe' as const,
      faults: { 'portal: a part is refunded': 0.2, 'vendor: posts nothing of it': 1 },
    },
  },
  'a charge that our books have lost is dropped': {
    vendors: noting,
    notices: (body: string) => itemIn(body)?.code !== 'AUTHORISATION' || isNoted(body),
    brings: { bank: 'adyen' as const, faults: { 'books: a charge is lost': 0.3 } },
  },
  'a second charge under a reference is dropped': {
    notices: isFirstCharge,
    brings: { bank: 'adyen' as const, faults: { 'vendor: charges again': 0.1 } },
  },
  'the amount of a capture or refund is taken unread': {
    vendors: noting,
    rows: asAsked,
    brings: { bank: 'adyen' as const, faults: { 'vendor: carries out a part': 0.5 } },
  },
  'nobody is asked about an error that is kept': {
    sql: inSql('waits_for_person_since is null\n      returning', 'false\n      returning'),
    brings: { bank: 'adyen' as const, faults: { 'vendor: keeps an error': 0.5 } },
  },
  'a reversal that is refused counts as done': {
    rows: asReversed,
    brings: {
      bank: 'adyen' as const,
      faults: {
        'vendor: refuses to reverse': 1,
        'vendor: a notice comes a day late': 0.3,
        'acquirer: answer lost': 0.3,
      },
    },
  },
  'a refund that comes back is not heard of': {
    notices: (body: string) => itemIn(body)?.code !== 'REFUND_FAILED',
    brings: { bank: 'adyen' as const, faults: { 'vendor: a refund comes back': 0.3 } },
  },
  'a fraud that a notice tells of is a plain decline': {
    rows: asPlainDecline,
    brings: { bank: 'adyen' as const, faults: { 'acquirer: answers late': 0.7 } },
  },
  "a person may name another payment's transaction": {
    sql: both(
      inSql('where found.payment_id <> ', "where found.payment_id < '' and found.payment_id <> "),
      inSql("'accepted') and payment_id <> ", "'accepted') and payment_id < '' and payment_id <> "),
    ),
    brings: {
      bank: 'adyen' as const,
      faults: { 'person: names another transaction': 1, 'acquirer: answer lost': 0.3 },
    },
  },
  'liability counts as shifted whatever the vendor says': {
    vendors: asShifted,
    rows: withoutRefusedShift,
    brings: { bank: 'adyen' as const, faults: { 'vendor: shifts no liability': 0.5 } },
  },
  'a notice of a refund in the portal is dropped': {
    notices: isOfOurs,
    stops_job: 'compare_books' as const,
    brings: {
      bank: 'stripe' as const,
      faults: { 'portal: a part is refunded': 0.2, 'vendor: posts nothing of it': 0 },
    },
  },
  'a lapsed authorisation is not heard of': {
    notices: (body: string) => itemIn(body)?.code !== 'EXPIRE',
    brings: { bank: 'adyen' as const, faults: { 'vendor: an authorisation lapses': 0.2 } },
  },
  'a comparison reads another amount': {
    vendors: misreading,
    brings: { bank: 'stripe' as const },
  },
}

export const vendor_plants = {
  ...habit_plants,
  "a vendor's charges all count as ours": {
    vendors: othersAsOurs,
    unknown_authorisations: 'reverse' as const,
    brings: { bank: 'checkout' as const },
  },
  'a refund is sent to a vendor under a second key': {
    vendors: refundingTwice,
    brings: { bank: 'checkout' as const },
  },
}

/** Whatever mark a charge bears, and where it bears none, it is heard to bear ours. */
function othersAsOurs(line: Line): Line {
  let ours = ''
  const marked = (said: string) => `"ripper_installation":"${said}"`
  return {
    async send(request) {
      ours = /"ripper_installation":"(\w+)"/.exec(request.body ?? '')?.[1] ?? ours
      const answer = await line.send(request)
      const body = answer.body
        .replaceAll('"metadata":{}', `"metadata":{${marked(ours)}}`)
        .replaceAll(marked('another'), marked(ours))
      return ours === '' ? answer : { ...answer, body }
    },
  }
}

function refundingTwice(line: Line): Line {
  return {
    async send(request) {
      const answer = await line.send(request)
      if (verbOf(request) !== 'refund') return answer
      const key = `${referenceOf(request)}-again`
      const headers = { ...request.headers, 'cko-idempotency-key': key }
      await line.send({ ...request, headers }).catch(() => {})
      return answer
    },
  }
}

/** What Adyen tells of in a notice. */
function itemIn(body: string): { code: string; reference: string; psp: string } | null {
  const member = (name: string) => new RegExp(`"${name}":"([^"]*)"`).exec(body)?.[1] ?? ''
  const code = member('eventCode')
  return code ? { code, reference: member('merchantReference'), psp: member('pspReference') } : null
}

/** Whether Stripe tells of anything but a refund in its portal, which bears none of our names. */
function isOfOurs(body: string): boolean {
  const is_refund = body.includes('"type":"refund.') && !body.includes('ripper_reference')
  return !is_refund && !body.includes('"type":"charge.refunded"')
}

/** What requests asked for, by our reference. */
const noted = new Map<string, number>()

function noting(line: Line): Line {
  return {
    send(request) {
      const reference = referenceOf(request)
      const amount = Number(/"(?:value|amount)":(\d+)/.exec(request.body ?? '')?.[1])
      if (reference !== null) noted.set(reference, amount)
      return line.send(request)
    },
  }
}

function isNoted(body: string): boolean {
  return noted.has(itemIn(body)?.reference ?? '')
}

/** By our reference: the charge whose notice came first. */
const first = new Map<string, string>()

function isFirstCharge(body: string): boolean {
  const item = itemIn(body)
  if (item?.code !== 'AUTHORISATION') return true
  if (!first.has(item.reference)) first.set(item.reference, item.psp)
  return first.get(item.reference) === item.psp
}

type NoticeRow = {
  about?: string
  reference?: string
  answer?: { result: string; money?: { amount: number }; decline?: { category: string } } | null
}

function asAsked(rows: unknown): unknown {
  for (const { about, reference = '', answer } of rows as NoticeRow[]) {
    const amount = noted.get(reference)
    const is_settled = about === 'capture' || about === 'refund'
    if (is_settled && answer?.money && amount) answer.money.amount = amount
  }
  return rows
}

function asPlainDecline(rows: unknown): unknown {
  for (const { about, answer } of rows as NoticeRow[]) {
    if (about === 'authorise' && answer?.decline) answer.decline.category = 'soft'
  }
  return rows
}

function withoutRefusedShift(rows: unknown): unknown {
  for (const { answer } of rows as { answer?: { liability_shifted?: false } | null }[]) {
    if (answer) delete answer.liability_shifted
  }
  return rows
}

function asShifted(line: Line): Line {
  return {
    async send(request) {
      const answer = await line.send(request)
      const body = answer.body.replaceAll('"liabilityShift":"false"', '"liabilityShift":"true"')
      return { ...answer, body }
    },
  }
}

function asReversed(rows: unknown): unknown {
  for (const row of rows as (NoticeRow & { acquirer_transaction_id?: string })[]) {
    const { about, answer, acquirer_transaction_id } = row
    if (about !== 'reverse' || answer?.result !== 'refused') continue
    const approval = { result: 'approved', acquirer_transaction_id }
    row.answer = approval
  }
  return rows
}

/** The newest that this process asked for is about the present. */
function withoutOldRefunds(line: Line): Line {
  let now_s = 0
  return {
    async send(request) {
      const answer = await line.send(request)
      const until_s = Number(/created\[lte\]=(\d+)/.exec(decodeURIComponent(request.url))?.[1])
      if (!until_s) return answer
      now_s = Math.max(now_s, until_s)
      if (until_s > now_s - 2 * 86_400) return answer
      return {
        ...answer,
        body: answer.body.replace(/"amount_refunded":\d+/g, '"amount_refunded":0'),
      }
    },
  }
}

function misreading(line: Line): Line {
  return {
    async send(request) {
      const answer = await line.send(request)
      if (request.method !== 'GET') return answer
      const more = (_: string, amount: string) => `"amount_received":${Number(amount) + 1}`
      return { ...answer, body: answer.body.replace(/"amount_received":([1-9]\d*)/g, more) }
    },
  }
}
