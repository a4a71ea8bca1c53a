// The link by which the first person comes in: made at a start while nobody has an account.

import { lockMerchant } from '../merchants/store.ts'
import { withdrawOpenWelcomes } from '../users/link-store.ts'
import { makeLinkIn } from '../users/links.ts'
import type { UsersContext } from '../users/start-session.ts'
import { anyUserExists } from '../users/user.ts'

/**
 * The address that makes somebody operator and owner of the merchant, once. Links of earlier starts die. Null where
 * somebody has an account.
 */
export async function inviteFirstOwner(context: UsersContext, merchant_id: string): Promise<string | null> {
  const { sql, world } = context
  const linkRequest = { purpose: 'welcome' as const, email: null, user_id: null, merchant_id }
  const author = { actor: 'service' as const, request_id: null }
  return sql.begin(async (tx) => {
    // Of two starts at once the second waits here, and then sees the link of the first.
    await lockMerchant(tx, merchant_id)
    // Waits for somebody who is just coming in by one of them, and then sees their account.
    await withdrawOpenWelcomes(tx, world.clock.now())
    if (await anyUserExists(tx)) return null
    const gives = { ...linkRequest, role: 'owner' as const, is_operator: true }
    return (await makeLinkIn(tx, context, gives, author)).url
  })
}
