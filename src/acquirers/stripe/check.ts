// Whether credentials for Stripe work: asks what moves nothing.

import type { CheckAnswer } from '../connector.ts'
import type { Wire } from '../wire.ts'
import { isOfSandbox, type StripeCredentials } from './credentials.ts'
import { isGood, pageIn } from './intents.ts'
import { notShown } from './read.ts'
import { oneIntent, testMethodRequest } from './requests.ts'

/** Never throws. Whether card numbers are taken shows in the sandbox alone, where they publish one to try with. */
export async function checkStripe({
  credentials,
  mode,
  wire,
}: {
  credentials: StripeCredentials
  mode: 'live' | 'sandbox'
  wire: Wire
}): Promise<CheckAnswer> {
  // At an address of one's own the key need not look like theirs.
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
