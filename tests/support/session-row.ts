// A session's row for tests: what matters to one is named there, and every other column that may be null is.

import { type Session, sessionColumns } from '../../src/payments/session.ts'

export function sessionRow(named: Partial<Session>): Session {
  const nulls = Object.fromEntries(Object.keys(sessionColumns).map((name) => [name, null]))
  const at = named.created_at ?? new Date('2026-09-01T12:00:00Z')
  return {
    ...(nulls as unknown as Session),
    merchant_id: 'm_1',
    session_id: 'cs_1',
    mode: 'test',
    status: 'requires_payment',
    amount: 4200,
    currency: 'GBP',
    metadata: {},
    minted_by: 'server',
    amount_verified: true,
    amount_verification_source: 'server_minted',
    attempt_count: 0,
    created_at: at,
    expires_at: new Date(at.getTime() + 30 * 60_000),
    ...named,
  }
}
