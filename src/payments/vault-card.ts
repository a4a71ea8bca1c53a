// A card as the vault has it, for as long as a checkout needs it.

import type { Brand } from '../kernel/values.ts'

export type VaultCard = {
  merchant_id: string
  card_reference: string
  session_id: string
  mode: 'test' | 'live'
  brand: Brand
  last4: string
  bin6: string
  exp_month: number
  exp_year: number
  cardholder_name: string | null
  fingerprint: Buffer
  sealed_number: Buffer
  three_ds_version: string | null
  method_url: string | null
  server_transaction_id: string
  /** The name of the connection that was asked about the card; null for the mode's own 3DS Server. */
  three_ds_provider: string | null
  /** Until then the provider knows `server_transaction_id`; null if that is ours. */
  transaction_usable_until: Date | null
  accept_header: string
  method_opened_at: Date | null
  method_completed_at: Date | null
  created_at: Date
  expires_at: Date
}
