// A delivery with its lease, its event and the state of its endpoint, for the process that sends it.

import type { EventFormat, StoredEventType } from '../../kernel/values.ts'

/** A delivery that this process has until its lease ends, with everything that its attempt needs. */
export type ClaimedDelivery = {
  merchant_id: string
  delivery_id: string
  endpoint_id: string
  attempt_id: string
  attempt_number: number
  attempted_at: Date
  last_attempt_id: string | null
  pending_id: string | null
  /** The subject of the event; see `QueuedEvent`. */
  payment_id: string
  sequence: number
  replay_of: string | null
  root_created_at: Date
  created_at: Date
  event_id: string
  event_type: StoredEventType
  body: string
  /** Makes the body that is sent, where the endpoint is told in the other platform's words. */
  inOtherWords?: () => string
  endpoint_url: string
  endpoint_status: 'active' | 'disabled'
  /** Whether it is disabled only until its owner enables it again. */
  may_return: boolean
  event_format: EventFormat
  compatible_version: string | null
  standard_webhooks: boolean
  sealed_secret: Buffer
  previous_sealed_secret: Buffer | null
  previous_secret_until: Date | null
  /** The newest stored state of the endpoint's breaker; null if it never opened. */
  breaker_changed_at: Date | null
  open_until: Date | null
  reopen_count: number | null
  /** The previous attempt was begun and never settled. */
  was_lost: boolean
}
