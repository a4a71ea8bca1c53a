// The numbers by which a fake acquirer is made to behave: our test cards, and what its vendor publishes. No real number ever
// reaches one.

import { adyenSandboxNumbers } from '../../../src/acquirers/adyen/adyen.ts'
import { checkoutSandboxNumbers } from '../../../src/acquirers/checkout-com/sandbox-numbers.ts'
import { stripeSandboxNumbers } from '../../../src/acquirers/stripe/stripe.ts'
import { publishedGroups, scenarios } from '../../../src/cards/scenarios.ts'
import { type AcquirerBehaviour, testCardOf } from '../../../src/cards/test-cards.ts'

const numbers = [
  ...scenarios.map((scenario) => scenario.numbers.visa),
  ...publishedGroups.flatMap((group) => group.numbers),
]

export function numberFor(behaviour: AcquirerBehaviour): string {
  const number = numbers.find((each) => testCardOf(each)?.acquirer === behaviour)
  if (!number) throw new Error(`no number behaves as ${behaviour}`)
  return number
}

const sandboxNumbers = {
  checkout: checkoutSandboxNumbers,
  stripe: stripeSandboxNumbers,
  adyen: adyenSandboxNumbers,
}

/** What the vendor says of some of the numbers that it publishes; it approves most others. */
const said: Record<string, AcquirerBehaviour> = {
  4734868958733862: 'incorrect_cvc',
  4111111111111129: 'card_declined',
  4024007181869214: 'do_not_honor',
  4544249167673670: 'insufficient_funds',
  4724117215951699: 'expired_card',
  4897453568485113: 'suspected_fraud',
  4095254802642505: 'issuer_unavailable',
}

/** How the vendor's fake behaves with a number; null for one that only a real card may have. */
export function behaviourAt(vendor: keyof typeof sandboxNumbers, number: string): AcquirerBehaviour | null {
  const ours = testCardOf(number)?.acquirer
  if (ours) return ours
  return sandboxNumbers[vendor].includes(number) ? (said[number] ?? 'approve') : null
}
