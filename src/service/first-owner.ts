// The link for the first person, made at a start while no account exists.

import { lockMerchant } from '../merchants/store.ts'
import { withdrawOpenWelcomes } from '../users/link-store.ts'
import { makeLinkIn } from '../users/links.ts'
import type { UsersContext } from '../users/start-session.ts'
import { anyUserExists } from '../users/user.ts'

/**
 * The address that makes a person operator and owner of the merchant, once. Links of earlier starts become void. Null
 * if an account exists.
 */
export async function inviteFirstOwner(context: UsersContext, merchant_id: string): Promise<string | null> {
  const { sql, world } = context
  const linkRequest = { purpose: 'welcome' as const, email: null, user_id: null, merchant_id }
  const author = { actor: 'service' as const, request_id: null }
  return sql.begin(async (tx) => {
    // If two processes start at once, the second waits here and then sees the first one's link.
    await lockMerchant(tx, merchant_id)
    // Waits for a person who is just using such a link, and then sees their account.
    await withdrawOpenWelcomes(tx, world.clock.now())
    if (await anyUserExists(tx)) return null
    const gives = { ...linkRequest, role: 'owner' as const, is_operator: true }
    return (await makeLinkIn(tx, context, gives, author)).url
  })
}
