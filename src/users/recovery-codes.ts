// Recovery codes: ten, of 80 random bits each, which work once.

import type { Random } from '../kernel/world.ts'
import { hashOfSecret } from './session.ts'

const count = 10
/** Without the letters that are read as digits. */
const letters = 'abcdefghjkmnpqrstvwxyz23456789ac'

/** As they are shown, such as `k3nq-…`. */
export function newRecoveryCodes({ bytes }: Random): string[] {
  return Array.from({ length: count }, () => {
    const text = [...bytes(16)].map((byte) => letters[byte & 31]!).join('')
    return text.match(/.{4}/g)!.join('-')
  })
}

export function hashOfRecoveryCode(code: string): Buffer {
  return hashOfSecret(`recovery ${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)
}
