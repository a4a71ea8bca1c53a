// How the service recognises its calls to itself: by a header that only it can make.

import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Keyring } from '../kernel/keyring.ts'

export type OwnCalls = {
  /** The headers of such a call. */
  headers: Record<string, string>
  isOne(headers: IncomingHttpHeaders): boolean
}

const name = 'rip-own-call'

export function openOwnCalls(keyring: Pick<Keyring, 'mac'>): OwnCalls {
  const mark = Buffer.from(keyring.mac('own calls').toString('hex'))
  return {
    headers: { [name]: mark.toString() },
    isOne(headers) {
      const value = headers[name]
      if (typeof value !== 'string') return false
      const bytes = Buffer.from(value)
      return bytes.length === mark.length && timingSafeEqual(bytes, mark)
    },
  }
}
