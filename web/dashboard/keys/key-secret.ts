// A secret key that was pasted into a search: it goes to the field of Keys inside this page, never by an address.

import { newStore } from '../store.ts'

/** Until the field has it. */
export const keySecret = newStore<string | null>(null)

/** Keeps the secret in the text for Keys; does nothing where the text has none. */
export function carrySecret(text: string): void {
  const [secret] = /rip_sk_[0-9a-f]{48}/.exec(text) ?? []
  if (secret) keySecret.write(secret)
}
