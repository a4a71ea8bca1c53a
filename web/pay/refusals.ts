// What the page shows for a refusal: the key of its words, and whether another try can help.

import type { ApiRefusal } from './requests.ts'

/** `detail` is the service's own sentence, in English, if it says what the link should contain. */
export type Explanation = { words: string; try_again: boolean; detail: string | null }

export function explain({ code, message }: ApiRefusal): Explanation {
  const words = plainWords[code]
  if (!words) return { words: 'something_wrong', try_again: true, detail: null }
  return {
    words,
    try_again: words === 'connection_lost' || words === 'too_many',
    detail: words === 'link_refused' ? message : null,
  }
}

const plainWords: Record<string, string> = {
  network_error: 'connection_lost',
  rate_limit_exceeded: 'too_many',
  amount_unverified: 'amount_unverified',
  currency_required: 'link_currency_missing',
  invalid_request: 'link_refused',
  card_data_rejected: 'link_refused',
  merchant_not_active: 'shop_not_active',
  acquiring_profile_incomplete: 'shop_not_active',
  key_live_only: 'shop_not_active',
  origin_not_allowed: 'shop_not_active',
  handle_not_found: 'shop_not_active',
  unauthorized: 'shop_not_active',
}
