// A session's client secret: derived, so that none is stored and checking a wrong one needs no read.

import { timingSafeEqual } from 'node:crypto'
import type { Keyring } from '../../kernel/keyring.ts'

const purpose = 'client secret'

export function clientSecretOf(keyring: Keyring, session_id: string): string {
  return `${session_id}_secret_${keyring.mac(purpose, session_id).toString('hex')}`
}

/** Whether a text is the client secret of a session, under any master key in use. */
export function isClientSecret(keyring: Keyring, session_id: string, text: string): boolean {
  const shape = /^(cs_[0-9a-f]{24})_secret_([0-9a-f]{64})$/.exec(text)
  if (shape?.[1] !== session_id) return false
  const presented = Buffer.from(shape[2]!, 'hex')
  return keyring.macs(purpose, session_id).some((mac) => timingSafeEqual(mac, presented))
}
