// Checks credentials for Stripe with requests that move nothing.

import type { CheckAnswer } from '../connector.ts'
import type { Wire } from '../wire.ts'
import { isGood, notShown } from '../wire.ts'
import type { StripeCredentials } from './credentials.ts'
import { pageIn } from './intents.ts'
import { oneIntent, testMethodRequest } from './requests.ts'

/** Never throws. Only the sandbox shows whether card numbers are accepted, because Stripe publishes a test number for it. */
export async function checkStripe({
  credentials,
  mode,
  wire,
}: {
  credentials: StripeCredentials
  mode: 'live' | 'sandbox'
  wire: Wire
}): Promise<CheckAnswer> {
  try {
    const listed = await wire.send(oneIntent(credentials))
    if (!isGood(listed) || !pageIn(listed.json)) {
      return { result: 'fails', reason: notShown('Stripe', listed) }
    }
    if (mode === 'live') return { result: 'works', notes: [] }
    const made = await wire.send(testMethodRequest(credentials))
    return { result: 'works', notes: isGood(made) ? [] : [`${no_numbers} (${made.status})`] }
  } catch (error) {
    return { result: 'fails', reason: `Stripe: ${(error as Error).message}` }
  }
}

const no_numbers =
  'the account may not send card numbers, so that every charge will fail until Stripe has enabled them for it'
