// What the acquirer suites ask, and what an implementation brings to be asked.

import type {
  Acquirer,
  AuthorisationName,
  AuthoriseRequest,
  LookUpRequest,
  OperationKind,
  SettleRequest,
} from '../../src/acquirers/acquirer.ts'
import { type AcquirerBehaviour, testCardOf } from '../../src/cards/test-cards.ts'
import type { ManualClock } from '../support/clock.ts'

export type AcquirerUnderTest = {
  acquirer: Acquirer
  clock: ManualClock
  /** The same acquirer as another process would open it: nothing remembered but what it wrote down. */
  reopen(): Acquirer
  /** A card number that makes the acquirer behave so. */
  numberFor(behaviour: AcquirerBehaviour): string
}

export type OpenAcquirer = () => Promise<AcquirerUnderTest>

let references = 0
/** A fresh reference of 32 hex digits. */
export function mintReference(): string {
  references++
  return references.toString(16).padStart(32, '0')
}

export function authoriseRequest(
  number: string,
  change: Partial<AuthoriseRequest> = {},
): AuthoriseRequest {
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

export function settleRequest(
  authorised: AuthoriseRequest,
  change: Partial<SettleRequest> = {},
): SettleRequest {
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
