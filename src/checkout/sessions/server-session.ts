// A session that a merchant's own server creates: under the default integration, its amount taken as it is named.

import type { SecretKey } from '../../http/access.ts'
import { Refusal, type RefusalCode } from '../../kernel/errors.ts'
import { admitMerchant } from '../../merchants/admit.ts'
import { defaultIntegration } from '../../merchants/directory.ts'
import type { Context } from '../context.ts'
import type { Session } from '../session.ts'
import { modeOrRefuse, newSession, type Place, type Purchase } from './new-session.ts'

/** What admitting a server, and creating a session for it, may refuse with. */
export const serverSessionRefusals = [
  'public_key_missing',
  'card_data_rejected',
  'metadata_too_large',
  'key_live_only',
  'acquiring_profile_incomplete',
] as const satisfies RefusalCode[]

/** The `admit` of routes by which a server creates sessions. */
export async function admitServer(context: Context, key: SecretKey): Promise<void> {
  if (!key.publishable_key) {
    throw new Refusal('public_key_missing', 'The secret key has no publishable key paired with it.')
  }
  await admitMerchant(context, key.merchant_id)
}

/** Whose sessions an admitted key creates. */
export async function placeOf(context: Context, key: SecretKey): Promise<Place> {
  const account = await admitMerchant(context, key.merchant_id)
  return {
    account,
    integration: defaultIntegration(account),
    public_key: key.publishable_key!,
    key_mode: key.mode,
  }
}

/** The session's row, not inserted yet. Throws what is wrong with the account. */
export function newServerSession(
  context: Context,
  place: Place,
  { purchase, now }: { purchase: Purchase; now: Date },
): Session {
  return newSession(context, {
    ...place,
    purchase,
    mode: modeOrRefuse(place),
    minted_by: 'server',
    // The merchant's own server named the amount: there is nothing more to check it against.
    verification: { source: 'server_minted', detail: null },
    now,
  })
}
