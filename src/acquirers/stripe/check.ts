// Checks credentials for Stripe with requests that move nothing.

import type { CheckAnswer } from '../connector.ts'
import { strangeEnvironment } from '../environment.ts'
import { isGood, notShown, type Wire, type WireAnswer } from '../wire.ts'
import type { StripeCredentials } from './credentials.ts'
import { environmentOf, intentIn, pageIn } from './intents.ts'
import { balanceRequest, oneIntent, testMethodRequest } from './requests.ts'

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
    const strange = await strangeAnswer(listed, { credentials, mode, wire })
    if (strange !== null) return { result: 'fails', reason: `Stripe: ${strange}` }
    if (mode === 'live') return { result: 'works', notes: [] }
    const made = await wire.send(testMethodRequest(credentials))
    return { result: 'works', notes: isGood(made) ? [] : [`${no_numbers} (${made.status})`] }
  } catch (error) {
    return { result: 'fails', reason: `Stripe: ${(error as Error).message}` }
  }
}

/** An account without payments shows its environment by its balance, which a restricted key may not read. */
async function strangeAnswer(
  listed: WireAnswer,
  { credentials, mode, wire }: Parameters<typeof checkStripe>[0],
): Promise<string | null> {
  const intent = intentIn(pageIn(listed.json)?.data[0])
  if (intent) return strangeEnvironment(environmentOf(intent), mode)
  const { json } = await wire.send(balanceRequest(credentials))
  const livemode = json?.livemode
  if (typeof livemode !== 'boolean') return null
  return strangeEnvironment(environmentOf({ livemode }), mode)
}

const no_numbers =
  'the account may not send card numbers, so that every charge will fail until Stripe has enabled them for it'
