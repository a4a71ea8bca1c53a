// What a request to Checkout.com, Stripe or Adyen asks for, as it shows from outside.

import type { OperationKind } from '../../src/acquirers/acquirer.ts'
import type { VendorRequest } from '../../src/kernel/world.ts'

type Asked = Pick<VendorRequest, 'method' | 'url'>

/** By the end of a path. At Stripe a reversal is a cancel or a refund, too. */
const ends: [RegExp, OperationKind][] = [
  [/\/(payments|confirm)$/, 'authorise'],
  [/\/captures?$/, 'capture'],
  [/\/(voids|cancel|payments\/\w+\/cancels)$/, 'void'],
  [/\/(reversals|cancels)$/, 'reverse'],
  [/\/refunds$/, 'refund'],
]

/** Null where it moves nothing. */
export function verbOf({ method, url }: Asked): OperationKind | null {
  if (method !== 'POST') return null
  const { pathname } = new URL(url)
  return ends.find(([end]) => end.test(pathname))?.[1] ?? null
}

/** Our reference of the operation, with which each of its keys begins; null where there is no key. */
export function referenceOf({ headers }: Pick<VendorRequest, 'headers'>): string | null {
  const key = headers['cko-idempotency-key'] ?? headers['idempotency-key']
  return key?.slice(0, 32) ?? null
}
