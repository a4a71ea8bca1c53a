// Checks credentials for Stripe with requests that move nothing.

import type { CheckAnswer } from '../connector.ts'
import type { Wire } from '../wire.ts'
import { isGood, notShown } from '../wire.ts'
import { isOfSandbox, type StripeCredentials } from './credentials.ts'
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
  // At a custom address the key need not have Stripe's form.
  if (credentials.api_url === undefined && isOfSandbox(credentials) !== (mode === 'sandbox')) {
    const reason = `the key is not of the vendor's ${mode} environment, and the connection is`
    return { result: 'fails', reason }
  }
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
