// The secrets that sign an endpoint's deliveries. They are opened once, because each attempt needs them.

import type { Keyring } from '../../kernel/keyring.ts'
import { type EndpointKey, openSecret, secretName } from '../endpoint.ts'
import type { ClaimedDelivery } from '../queue/claimed-delivery.ts'

/** The key of an endpoint, with its sealed secrets. */
export type EndpointSecrets = EndpointKey &
  Pick<ClaimedDelivery, 'sealed_secret' | 'previous_sealed_secret' | 'previous_secret_until'>

const kept_max = 1_000

/**
 * Opens the current secret and, while a rotation overlaps, the old one. Each row brings the sealed secrets, so they are
 * never stale.
 */
export function openSigningSecrets(keyring: Keyring) {
  const cache = new Map<string, string>()

  function open(delivery: EndpointKey, sealed: Buffer): string {
    const name = secretName(delivery) + sealed.toString('latin1')
    const cached_secret = cache.get(name)
    if (cached_secret !== undefined) return cached_secret
    if (cache.size >= kept_max) cache.clear()
    const secret = openSecret(keyring, delivery, sealed)
    cache.set(name, secret)
    return secret
  }

  return (delivery: EndpointSecrets, at: Date): string[] => {
    const { sealed_secret, previous_sealed_secret, previous_secret_until } = delivery
    const current = open(delivery, sealed_secret)
    if (!previous_sealed_secret || previous_secret_until! <= at) return [current]
    return [current, open(delivery, previous_sealed_secret)]
  }
}
