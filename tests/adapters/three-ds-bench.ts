// What a 3-D Secure provider has to bring to be put through its suite.

import type { RangeProfile, ThreeDsBehaviour } from '../../src/cards/test-cards.ts'
import type { Brand } from '../../src/kernel/values.ts'
import type { AuthenticationRequest, Form, ResultMessage, ThreeDs } from '../../src/three-ds/three-ds.ts'
import type { ManualClock } from '../support/clock.ts'
import type { Visit } from './three-ds-browser.ts'
import { type LogLine, purchase } from './three-ds-fixtures.ts'

/** In what implementations differ, and may. */
export type ThreeDsTraits = {
  /** Whether a provider that is down is told apart from one whose bank is silent. */
  tells_down_apart: boolean
  /** Whether a bank that is silent is told apart from one that answers with an error. */
  tells_silence_apart: boolean
  /** Whether it says before an authentication which cards are enrolled, and where their 3DS Method is. */
  knows_ranges: boolean
}

/** Of our own 3DS Server. */
export const strictest: ThreeDsTraits = {
  tells_down_apart: true,
  tells_silence_apart: true,
  knows_ranges: true,
}

export type ThreeDsBench = {
  threeDs: ThreeDs
  clock: ManualClock
  log: LogLine[]
  /** A card of the provider's test bank that behaves so. */
  card(brand: Brand, behaviour: { three_ds?: ThreeDsBehaviour; ranges?: RangeProfile }): string
  notification_url: string
  method_notification_url: string
  results_url: string
  /** Posts a form in the shopper's browser; our own pages are where the visit ends. */
  visit(form: Form): Promise<Visit>
  /** Resolves with the first so many results, once they have reached `results_url` or can be fetched. */
  results(count?: number): Promise<ResultMessage[]>
  /** How many have come so far. */
  resultCount(): number
  close(): Promise<void>
}

/** A purchase by a card that behaves so, under the provider's id if it gives one. */
export async function requestFor(
  bench: ThreeDsBench,
  brand: Brand,
  card: Parameters<ThreeDsBench['card']>[1],
  more: Partial<AuthenticationRequest> = {},
): Promise<AuthenticationRequest> {
  const { notification_url, results_url } = bench
  const number = bench.card(brand, card)
  const asked = { brand, number, notification_url, results_url }
  return purchase({ ...asked, ...(await transactionOf(bench, { brand, number })), ...more })
}

/** What the provider's enrolment leaves to choose. A provider that knows whether the 3DS Method ran is told that it did not. */
async function transactionOf(
  { threeDs }: ThreeDsBench,
  card: { brand: Brand; number: string },
): Promise<Partial<AuthenticationRequest>> {
  if (threeDs.results === 'posted') return {}
  const enrolment = await threeDs.enrolment(card)
  if (!enrolment.enrolled) throw new Error('the card is not enrolled')
  const method_completion = enrolment.method_url === null ? 'U' : 'N'
  return { method_completion, ...enrolment.transaction }
}

export function eci(brand: Brand, others: string, mastercard: string): string {
  return brand === 'mastercard' ? mastercard : others
}
