// What operators see of orphans, brakes and sweeps, at the command line and on the dashboard.

import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { type Brake, type Orphan, standingOf } from '../orphan.ts'
import type { Sweep } from './orphan-store.ts'

export function viewOrphan(orphan: Orphan, now: Date) {
  const { acquirer, reference, mode, amount, currency, merchant_id, payment_id } = orphan
  return {
    acquirer,
    reference,
    // What a person looks up in the acquirer's portal. A handle is the acquirer's id, too.
    acquirer_transaction_id: orphan.handle ?? orphan.acquirer_transaction_id,
    mode,
    amount,
    currency,
    merchant_id,
    payment_id,
    authorised_at: timestampOrNull(orphan.authorised_at),
    found_at: timestamp(orphan.found_at),
    state: standingOf(orphan, now),
    tries: orphan.tries,
    next_try_at: timestampOrNull(orphan.next_try_at),
    last_failure: orphan.last_failure,
    settled_at: timestampOrNull(orphan.settled_at),
    left_by: orphan.left_by,
    left_reason: orphan.left_reason,
    released_by: orphan.released_by,
    released_at: timestampOrNull(orphan.released_at),
  }
}

export function viewBrake(brake: Brake) {
  const { acquirer, pulled_at, pulled_by, reason, released_at, released_by } = brake
  return {
    acquirer,
    pulled_at: timestamp(pulled_at),
    pulled_by,
    reason,
    released_at: timestampOrNull(released_at),
    released_by,
  }
}

export function viewSweep({ acquirer, swept_until }: Sweep) {
  return { acquirer, swept_until: timestamp(swept_until) }
}
