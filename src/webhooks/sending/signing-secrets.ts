// The secrets that sign an endpoint's deliveries, opened once since each attempt needs them.

import type { Keyring } from '../../kernel/keyring.ts'
import { type EndpointKey, openSecret, secretName } from '../endpoint.ts'
import type { ClaimedDelivery } from '../queue/claimed-delivery.ts'

/** Which endpoint, with what is sealed of it. */
export type EndpointSecrets = EndpointKey &
  Pick<ClaimedDelivery, 'sealed_secret' | 'previous_sealed_secret' | 'previous_secret_until'>

const kept_max = 1_000

/** Opens the current secret and, while a rotation overlaps, the old one. Rows carry them, so none is ever stale. */
export function openSigningSecrets(keyring: Keyring) {
  const kept = new Map<string, string>()

  function open(delivery: EndpointKey, sealed: Buffer): string {
    const name = secretName(delivery) + sealed.toString('latin1')
    const known = kept.get(name)
    if (known !== undefined) return known
    if (kept.size >= kept_max) kept.clear()
    const secret = openSecret(keyring, delivery, sealed)
    kept.set(name, secret)
    return secret
  }

  return (delivery: EndpointSecrets, at: Date): string[] => {
    const { sealed_secret, previous_sealed_secret, previous_secret_until } = delivery
    const current = open(delivery, sealed_secret)
    if (!previous_sealed_secret || previous_secret_until! <= at) return [current]
    return [current, open(delivery, previous_sealed_secret)]
  }
}
