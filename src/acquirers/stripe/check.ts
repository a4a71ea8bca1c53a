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
  wire,
}: {
  credentials: StripeCredentials
  wire: Wire
}): Promise<CheckAnswer> {
  try {
    const listed = await wire.send(oneIntent(credentials))
    if (!isGood(listed) || !pageIn(listed.json)) {
      return { result: 'fails', reason: notShown('Stripe', listed) }
    }
    if (!isOfSandbox(credentials)) return { result: 'works', notes: [] }
    const made = await wire.send(testMethodRequest(credentials))
    return { result: 'works', notes: isGood(made) ? [] : [`${no_numbers} (${made.status})`] }
  } catch (error) {
    return { result: 'fails', reason: `Stripe: ${(error as Error).message}` }
  }
}

const no_numbers =
  'the account may not send card numbers, so that every charge will fail until Stripe has enabled them for it'
