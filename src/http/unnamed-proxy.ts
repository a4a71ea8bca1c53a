// Notices requests through a proxy which RIPPER_TRUSTED_PROXIES does not name. Also notices a named proxy that sends
// only Forwarded, which is not read. All shoppers behind such a proxy count as one address, and share the limits of
// one.

import type { FastifyRequest } from 'fastify'
import type { World } from '../kernel/world.ts'
import { bareAddress } from './caller.ts'

export type UnnamedProxy = {
  look(request: Pick<FastifyRequest, 'headers' | 'socket'>, is_trusted: boolean): void
  /** The address of such a proxy; null if there was none in the last hour. */
  address(): string | null
}

const hour_ms = 3_600_000

/**
 * Strangers can send these headers too, so only one address of all senders is kept: the one with the most, which a
 * proxy in use always is. It wins a vote in which each other sender takes away one of its requests.
 */
export function openUnnamedProxy({ clock, log }: Pick<World, 'clock' | 'log'>): UnnamedProxy {
  let peer: string | null = null
  let votes = 0
  let seen_ms = Number.NEGATIVE_INFINITY
  let logged_ms = Number.NEGATIVE_INFINITY
  const isWithinHour = (at_ms: number) => Math.abs(clock.now().getTime() - at_ms) < hour_ms

  return {
    look({ headers, socket }, is_trusted) {
      const has_forwarded_for = headers['x-forwarded-for'] !== undefined
      if (has_forwarded_for ? is_trusted : headers.forwarded === undefined) return
      const address = bareAddress(socket.remoteAddress ?? '')
      if (address === null) return
      if (votes === 0 || !isWithinHour(seen_ms)) {
        peer = address
        votes = 0
      }
      votes += peer === address ? 1 : -1
      if (peer !== address) return
      seen_ms = clock.now().getTime()
      if (isWithinHour(logged_ms)) return
      logged_ms = seen_ms
      log.warn(
        { peer, setting: 'RIPPER_TRUSTED_PROXIES', header: has_forwarded_for ? 'X-Forwarded-For' : 'Forwarded' },
        'requests are forwarded by a proxy, and no trusted X-Forwarded-For says for whom',
      )
    },
    address: () => (isWithinHour(seen_ms) ? peer : null),
  }
}
