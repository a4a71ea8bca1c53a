// The broken rules that have a name. The dashboard's page explains each at the field, in the reader's language.

export const faults = [
  ...(['required', 'too_short', 'too_long', 'too_many', 'too_many_days', 'too_small'] as const),
  ...(['too_big', 'not_offered', 'taken', 'reserved', 'currency', 'web_address'] as const),
  ...(['letters_and_digits', 'common', 'own_name', 'used_before'] as const),
  ...(['has_account', 'is_member', 'no_secret', 'last_way_in', 'passkey_known'] as const),
  ...(['is_default', 'needs_handle', 'needs_currency', 'after_the_window', 'other_origin'] as const),
  ...(['other_environment', 'unlisted', 'unswept', 'endpoints_full'] as const),
  ...(['other_payments_id', 'other_than_known', 'not_comparable', 'without_our_reference'] as const),
] as const

export type Fault = (typeof faults)[number]
