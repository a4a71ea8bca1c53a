// The reasons why something did not work, as keys of plain words. Begin here to give a decline code a text of its own.

import type { ConfirmResult } from '../checkout/api.ts'
import type { Field } from '../shared/protocol.ts'

type Decline = NonNullable<ConfirmResult['decline']>

const byCategory: Record<string, string> = {
  hard: 'decline_other_card',
  fraud: '',
  network: 'decline_try_again',
  provider_error: 'decline_failed',
}

/**
 * The words of a decline. They do not mention lost or stolen cards, or fraud, because the shopper may be the thief. Fraud ends the
 * checkout, which has words of its own.
 */
export function declineKey({ code, category }: Decline): string {
  if (/^(insufficient_funds|expired_card|incorrect_cvc|duplicate_transaction)$/.test(code)) return `decline_${code}`
  if (code === 'authentication_canceled') return 'canceled'
  if (/^authentication_(?!rejected)/.test(code)) return 'decline_authentication'
  return byCategory[category ?? ''] ?? 'decline_declined'
}

/** The key of what the shopper can do, if the reason does not say it itself. With another card they might pay a second time. */
export function adviceKey(decline: Decline): string {
  if (decline.category === 'network' || decline.code === 'duplicate_transaction') return ''
  return fieldOf(decline) === 'number' ? 'other_card' : 'again_or_other'
}

/** The field with which another try begins: the number if this card can never work. */
export function fieldOf(decline: Decline | null): Field {
  return decline?.category === 'hard' || decline?.category === 'fraud' ? 'number' : 'code'
}

const byCode: Record<string, string> = {
  network_error: 'connection_lost',
  store_unavailable: 'connection_lost',
  internal_error: 'connection_lost',
  rate_limit_exceeded: 'too_many',
  three_ds_provider_unavailable: 'decline_try_again',
  merchant_not_active: 'unavailable',
  unauthorized: 'unavailable',
}

/** The words of an error's code. */
export function errorKey(code: string): string {
  return byCode[code] ?? 'something_wrong'
}
