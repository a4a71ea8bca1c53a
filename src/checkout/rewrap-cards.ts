// After a rotation of the master key: wraps what the vault holds anew, without opening it.

import { cell } from '../cards/vault.ts'
import type { Context } from '../context.ts'
import { cardsUnderOtherKeys, replaceSealed } from './vault-store.ts'

const batch = 500

/** Returns how many cards were wrapped anew. A card that another process or its attempt dealt with is passed over. */
export async function rewrapCards({
  sql,
  keyring,
}: Pick<Context, 'sql' | 'keyring'>): Promise<number> {
  const cards = await cardsUnderOtherKeys(sql, keyring.current_key_id, batch)
  for (const card of cards) {
    const { sealed_number, sealed_code } = card
    await replaceSealed(sql, card, {
      sealed_number: keyring.rewrap(sealed_number, cell('number', card)) ?? sealed_number,
      sealed_code:
        sealed_code && (keyring.rewrap(sealed_code, cell('security_code', card)) ?? sealed_code),
    })
  }
  return cards.length
}
