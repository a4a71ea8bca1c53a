// What the acquirer suites ask, and what an implementation brings to be asked.

import { expect } from 'vitest'
import type {
  Accepted,
  Acquirer,
  AuthorisationName,
  AuthoriseRequest,
  LookUpAnswer,
  LookUpRequest,
  Notice,
  OperationKind,
  SettleAnswer,
  SettleRequest,
} from '../../src/acquirers/acquirer.ts'
import { type AcquirerBehaviour, testCardOf } from '../../src/cards/test-cards.ts'
import type { ManualClock } from '../support/clock.ts'

/** In what implementations differ, and may. */
export type AcquirerTraits = {
  /** 0 where a capture, void, reversal or refund is answered at once; else it is accepted, and known so much later. */
  settles_after_ms: number
  /** So long after an approval it is captured where that was asked for with it. */
  captures_after_ms: number
  /** Whether it fails a reference that comes again with another request. */
  judges_repeats: boolean
  /** Whether it refuses to capture, void or reverse another amount or currency than was authorised. */
  judges_money: boolean
  /** Whether an operation that it refused can be looked up. */
  keeps_refusals: boolean
  /** Whether a charge without an outcome can be captured, voided and reversed. */
  settles_what_is_under_way: boolean
  /** Whether a look says which of two voids, or of two reversals, has done it. */
  tells_alike_apart: boolean
  /** How exact the times are that it lists; null where it lists nothing. */
  lists_to_ms: number | null
  /** Whether its list and a look at a charge say how much was refunded. */
  shows_refunds: boolean
  /** Whether a refusal says why in our words. */
  names_refusals: boolean
  /** Whether our reference alone is enough to capture or void a charge. */
  captures_by_reference: boolean
  /** Whether it captures a part, and frees the rest. */
  captures_parts: boolean
  /** After which time what is only reserved is gone; null where it stays. */
  lapses_after_ms: number | null
  /** After which time it is gone by the acquirer's approvals; null where they do not say. */
  says_lapse_after_ms: number | null
  /** What its approvals say besides. */
  says: object
}

/** The strictest: all is answered at once, judged and kept. */
export const at_once: AcquirerTraits = {
  settles_after_ms: 0,
  captures_after_ms: 0,
  judges_repeats: true,
  judges_money: true,
  keeps_refusals: true,
  settles_what_is_under_way: true,
  tells_alike_apart: true,
  lists_to_ms: 1,
  shows_refunds: true,
  names_refusals: true,
  captures_by_reference: true,
  captures_parts: true,
  lapses_after_ms: null,
  says_lapse_after_ms: null,
  says: {},
}

export type AcquirerUnderTest = {
  traits: AcquirerTraits
  acquirer: Acquirer
  clock: ManualClock
  /** The same acquirer as another process would open it: nothing remembered but what it wrote down. */
  reopen(): Acquirer
  /** A card number that makes the acquirer behave so. */
  numberFor(behaviour: AcquirerBehaviour): string
  /** The last that it posted by now about an operation; null while nothing was. Only where it cannot be asked. */
  told?(about: OperationKind, reference: string): Notice | null
}

export type OpenAcquirer = () => Promise<AcquirerUnderTest>

let references = 0
/** A fresh reference of 32 hex digits. */
export function mintReference(): string {
  references++
  return references.toString(16).padStart(32, '0')
}

export function authoriseRequest(number: string, change: Partial<AuthoriseRequest> = {}): AuthoriseRequest {
  return {
    reference: mintReference(),
    installation: 'ours',
    amount: 4200,
    currency: 'GBP',
    capture: false,
    card: {
      brand: testCardOf(number)?.brand ?? 'visa',
      number,
      exp_month: 12,
      exp_year: 2030,
      cvc: '123',
      cardholder_name: null,
    },
    three_ds: null,
    merchant: { descriptor: 'Tea', mcc: null, country: null },
    handle: null,
    ...change,
  }
}

export function settleRequest(authorised: AuthoriseRequest, change: Partial<SettleRequest> = {}): SettleRequest {
  return {
    reference: mintReference(),
    authorisation: nameOf(authorised.reference),
    amount: authorised.amount,
    currency: authorised.currency,
    ...change,
  }
}

/** An authorisation of which only our reference is known. */
export function nameOf(reference: string): AuthorisationName {
  return { reference, handle: null, acquirer_transaction_id: null }
}

/** The question for an operation of which only our reference is known. */
export function lookUpOf(reference: string, kind: OperationKind = 'authorise'): LookUpRequest {
  return { kind, reference, acquirer_transaction_id: null, authorisation: nameOf(reference) }
}

export type SettleKind = Exclude<OperationKind, 'authorise'>

/** Asks for it, and waits for the outcome where it is merely accepted. */
export async function settled(
  tested: AcquirerUnderTest,
  kind: SettleKind,
  request: SettleRequest,
  by: Acquirer = tested.acquirer,
): Promise<SettleAnswer> {
  return outcomeOf(tested, kind, request, await by[kind](request))
}

/** What is known of an operation by now: from a look, or from its notice where it cannot be asked. */
export async function learn(
  { acquirer, told }: Pick<AcquirerUnderTest, 'acquirer' | 'told'>,
  asked: LookUpRequest,
  by: Acquirer = acquirer,
): Promise<LookUpAnswer | Told> {
  const look = await by.lookUp(asked)
  if (acquirer.learned_by !== 'notice') return look
  expect(look).toEqual({ result: 'only_notices_tell' })
  expect(acquirer.lists).toBe(false)
  return { result: 'told', notice: told!(asked.kind, asked.reference) }
}

type Told = { result: 'told'; notice: Notice | null }

/** Judges what is known. A notice does not tell how an authorisation stands, nor always why it was refused. */
export async function expectLearned(
  tested: Pick<AcquirerUnderTest, 'acquirer' | 'told' | 'traits'>,
  asked: LookUpRequest,
  expected: Expected,
  by?: Acquirer,
): Promise<void> {
  const learned = await learn(tested, asked, by)
  if (learned.result !== 'told') return expect(learned).toMatchObject(expected)
  const { notice } = learned
  if (expected.result !== 'found') return expect(notice).toBeNull()
  const { kind, reference } = asked
  expect(notice).toMatchObject({ about: kind, reference })
  const { result, amount, currency, acquirer_transaction_id } = expected.answer ?? {}
  if (result !== 'approved') return expect(notice!.answer?.result).not.toBe('approved')
  const said = { result, amount, currency, acquirer_transaction_id }
  const given = Object.entries(said).filter(([, value]) => value !== undefined)
  expect(notice!.answer).toMatchObject(Object.fromEntries(given))
}

type Expected =
  | { result: 'in_progress' | 'not_found' }
  // biome-ignore lint/suspicious/noExplicitAny: a part of an answer, or what matches one.
  | { result: 'found'; kind?: OperationKind; answer?: any; standing?: any }

/** A refusal, in our words where the acquirer has them. */
export function refusedAs(
  { names_refusals }: Pick<AcquirerTraits, 'names_refusals'>,
  decline_code: string,
  authorisation_known = true,
) {
  return { result: 'refused', authorisation_known, ...(names_refusals && { decline_code }) }
}

/** What becomes of a request that was answered so. */
export async function outcomeOf(
  { acquirer, clock, traits, told }: AcquirerUnderTest,
  kind: SettleKind,
  { reference, authorisation }: SettleRequest,
  answer: SettleAnswer | Accepted,
): Promise<SettleAnswer> {
  if (answer.result !== 'accepted') return answer
  const { acquirer_transaction_id } = answer
  await clock.advance(traits.settles_after_ms)
  const asked = { kind, reference, authorisation, acquirer_transaction_id }
  if (acquirer.learned_by === 'notice') {
    const notice = told!(kind, reference)
    expect(notice).toMatchObject({ about: kind, acquirer_transaction_id })
    return notice!.answer as SettleAnswer
  }
  const found = await acquirer.lookUp(asked)
  if (found.result !== 'found' || found.kind === 'authorise') throw new Error(found.result)
  return found.answer
}
