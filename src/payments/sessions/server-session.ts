// A session that a merchant's own server creates: under the default integration, with the amount as sent.

import type { SecretKey } from '../../http/access.ts'
import { Refusal, type RefusalCode } from '../../kernel/errors.ts'
import { admitMerchant } from '../../merchants/admit.ts'
import { defaultIntegration } from '../../merchants/directory.ts'
import type { Context } from '../context.ts'
import type { Session } from '../session.ts'
import { modeOrRefuse, newSession, type Place, type Purchase } from './new-session.ts'

/** The refusals of admitting a server and of creating a session for it. */
export const serverSessionRefusals = [
  'public_key_missing',
  'card_data_rejected',
  'metadata_too_large',
  'key_live_only',
  'acquiring_profile_incomplete',
] as const satisfies RefusalCode[]

/** The `admit` of the routes with which servers create sessions. */
export async function admitServer(context: Context, key: SecretKey): Promise<void> {
  if (!key.publishable_key) {
    throw new Refusal('public_key_missing', 'The secret key has no publishable key paired with it.')
  }
  await admitMerchant(context, key.merchant_id)
}

/** The account, integration and key under which an admitted key creates sessions. */
export async function placeOf(context: Context, key: SecretKey): Promise<Place> {
  const account = await admitMerchant(context, key.merchant_id)
  return {
    account,
    integration: defaultIntegration(account),
    public_key: key.publishable_key!,
    key_mode: key.mode,
  }
}

/** The session's row, not inserted yet. Throws a refusal if the account does not allow it. */
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
    // The merchant's own server sent the amount, so there is nothing else to check it against.
    verification: { source: 'server_minted', detail: null },
    now,
  })
}
