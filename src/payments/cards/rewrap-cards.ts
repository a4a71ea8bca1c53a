// After a rotation of the master key: rewraps what the vault holds without opening it.

import { cell } from '../../cards/vault.ts'
import type { Context } from '../context.ts'
import { cardsUnderOtherKeys, replaceSealed } from './vault-store.ts'

const batch = 500

/** Returns how many cards were rewrapped. One that cannot be is logged and left: cards live for minutes. */
export async function rewrapCards(context: Pick<Context, 'sql' | 'keyring' | 'world'>): Promise<number> {
  const { sql, keyring, world } = context
  const cards = await cardsUnderOtherKeys(sql, keyring.current_key_id, batch)
  let wrapped = 0
  for (const card of cards) {
    try {
      await replaceSealed(sql, card, {
        sealed_number: wrapAnew(keyring, card.sealed_number, cell('number', card)),
        sealed_code: card.sealed_code && wrapAnew(keyring, card.sealed_code, cell('security_code', card)),
      })
      wrapped++
    } catch (error) {
      const { card_reference } = card
      world.log.error({ card_reference, error: (error as Error).message }, 'card not wrapped anew')
    }
  }
  return wrapped
}

function wrapAnew(keyring: Context['keyring'], sealed: Buffer, name: string): Buffer {
  return keyring.rewrap(sealed, name) ?? sealed
}
