// A card's enrolment: what the provider said when the card was typed, as long as that is of use, or what it says now.

import { openNumber } from '../../cards/vault.ts'
import type { Enrolment } from '../../three-ds/three-ds.ts'
import type { Context } from '../context.ts'
import type { Provider } from '../three-ds-provider.ts'
import type { VaultCard } from '../vault-card.ts'

type EnrolmentContext = Pick<Context, 'keyring' | 'world'>

/** Throws ProviderUnavailable if the provider is asked and cannot be. */
export function enrolmentOf(context: EnrolmentContext, provider: Provider, card: VaultCard): Promise<Enrolment> {
  const enrolment = keptWith(card, provider)
  if (enrolment && isUsable(enrolment, context.world.clock.now())) return Promise.resolve(enrolment)
  return askAgain(context, provider, card)
}

/** As `enrolmentOf`, without looking at what was said before. */
export function askAgain({ keyring }: EnrolmentContext, { threeDs }: Provider, card: VaultCard): Promise<Enrolment> {
  const number = openNumber(keyring, card, card.sealed_number)
  return threeDs.enrolment({ number, brand: card.brand })
}

/** Whether the provider still knows the id that it gave out. */
export function isUsable(enrolment: Enrolment, now: Date): boolean {
  if (!enrolment.enrolled || !enrolment.transaction) return true
  return enrolment.transaction.usable_until > now
}

/** Null if the card bears no id of this provider. Our own 3DS Server has its ranges at hand and is always asked. */
function keptWith(card: VaultCard, { name }: Provider): Enrolment | null {
  const { server_transaction_id, three_ds_version, transaction_usable_until, method_url } = card
  if (name === null || card.three_ds_provider !== name) return null
  if (three_ds_version === null || transaction_usable_until === null) return null
  return {
    enrolled: true,
    version: three_ds_version as '2.1.0' | '2.2.0',
    method_url,
    transaction: { server_transaction_id, usable_until: transaction_usable_until },
  }
}
