// A shopper who pays with cards of real cards' shape, at an address of their own.

import { luhn } from '../../src/cards/luhn.ts'
import { type Answer, browser, cardOf, type SessionSecret } from './client.ts'
import type { Account } from './service.ts'

/** Numbers of real cards' shape that are no test cards. */
function realNumber(index: number): string {
  const digits = `4539578763${String(index).padStart(5, '0')}`
  return [...'0123456789'].map((last) => digits + last).find(luhn)!
}

/** A shopper at an address of their own. */
export function shopperAt(account: Account, address: string) {
  const sent = (session: SessionSecret, body: unknown) => ({
    headers: { 'rip-client-secret': session.client_secret, 'x-forwarded-for': address },
    body,
  })
  const at = (session: SessionSecret, verb: string) => `/v1/checkout/sessions/${session.id}/${verb}`
  const post = (session: SessionSecret, verb: string, body: unknown) =>
    account.client.send('POST', at(session, verb), sent(session, body))
  const type = (session: SessionSecret, index: number) => post(session, 'card_references', cardOf(realNumber(index)))
  return {
    type,
    async pay(index: number, known?: SessionSecret): Promise<Answer> {
      const session = known ?? (await account.client.open())
      const { card_reference } = (await type(session, index)).body
      await post(session, 'authenticate', { card_reference, browser })
      return post(session, 'confirm', {})
    },
  }
}
