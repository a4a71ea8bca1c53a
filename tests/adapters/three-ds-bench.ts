// What a 3-D Secure provider has to bring to be put through its suite.

import type { RangeProfile, ThreeDsBehaviour } from '../../src/cards/test-cards.ts'
import type { Brand } from '../../src/kernel/values.ts'
import type {
  AuthenticationRequest,
  Form,
  ResultMessage,
  ThreeDs,
} from '../../src/three-ds/three-ds.ts'
import type { ManualClock } from '../support/clock.ts'
import type { Visit } from './three-ds-browser.ts'
import { type LogLine, purchase } from './three-ds-fixtures.ts'

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
  /** Resolves with the first so many results, once they have reached `results_url`. */
  results(count?: number): Promise<ResultMessage[]>
  /** How many have come so far. */
  resultCount(): number
  close(): Promise<void>
}

export function requestFor(
  bench: ThreeDsBench,
  brand: Brand,
  card: Parameters<ThreeDsBench['card']>[1],
  more: Partial<AuthenticationRequest> = {},
): AuthenticationRequest {
  const { notification_url, results_url } = bench
  const number = bench.card(brand, card)
  return purchase({ brand, number, notification_url, results_url, ...more })
}

export function eci(brand: Brand, others: string, mastercard: string): string {
  return brand === 'mastercard' ? mastercard : others
}
