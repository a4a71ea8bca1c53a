// Which 3-D Secure provider authenticates a card: the merchant's connection, else the mode's own 3DS Server.

import { Refusal } from '../kernel/errors.ts'
import type { Mode } from '../kernel/values.ts'
import { threeDsForNew } from '../merchants/account-connection.ts'
import { type Account, integrationOf } from '../merchants/directory.ts'
import type { ThreeDs } from '../three-ds/three-ds.ts'
import type { Context } from './context.ts'
import type { Session } from './session.ts'

/** `name` is the connection's, as cards and attempts keep it; null for the mode's own 3DS Server. */
export type Provider = { name: string | null; threeDs: ThreeDs }

/** The provider for a card that is typed or authenticated now; null if there is none. */
export function providerForNew(
  context: Pick<Context, 'threeDsOf'>,
  account: Account,
  { mode, integration_id }: Pick<Session, 'mode' | 'integration_id'>,
): Provider | null {
  const rules = integrationOf(account, integration_id)
  return providerNamed(context, mode, threeDsForNew(account, { mode, rules }))
}

/** The provider that a card or an attempt names. Throws `three_ds_provider_unavailable` if there is none. */
export function namedOrRefuse(context: Pick<Context, 'threeDsOf'>, mode: Mode, name: string | null): Provider {
  const provider = providerNamed(context, mode, name)
  if (!provider) throw noProvider(mode)
  return provider
}

function providerNamed({ threeDsOf }: Pick<Context, 'threeDsOf'>, mode: Mode, name: string | null): Provider | null {
  const threeDs = threeDsOf(mode, name)
  return threeDs && { name, threeDs }
}

/** For a mode without a configured provider. */
export function noProvider(mode: Mode): Refusal {
  return new Refusal('three_ds_provider_unavailable', noProviderWords[mode])
}

const noProviderWords: Record<Mode, string> = {
  test: 'Test mode is off here: RIPPER_SIMULATOR=off keeps its bank, the simulator, from running.',
  live: 'Neither a 3-D Secure connection nor a Directory Server is configured for live mode, so no card could be authenticated.',
}
