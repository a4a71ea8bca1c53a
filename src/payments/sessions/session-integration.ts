// The integration of each session. It never changes, so it is read once and kept in this process.

import { cellOf } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import type { MerchantId, SessionId } from '../../kernel/values.ts'
import type { IntegrationOfSession } from '../context.ts'
import { findIntegrationId } from './session-store.ts'

/** Each entry takes some 200 bytes. */
const kept_max = 10_000

export function openIntegrationOfSession(
  sql: Sql,
  merchantIdOfSession: (session_id: string) => Promise<MerchantId | null>,
): IntegrationOfSession {
  const cache = new Map<string, NonNullable<Awaited<ReturnType<IntegrationOfSession>>>>()
  return async (session_id) => {
    const entry = cache.get(session_id)
    if (entry) return entry
    const merchant_id = await merchantIdOfSession(session_id)
    if (!merchant_id) return null
    const key = { merchant_id, session_id: session_id as SessionId }
    const integration_id = await findIntegrationId(await cellOf(sql, merchant_id), key)
    if (integration_id === undefined) return null
    const row = { merchant_id, integration_id }
    // The oldest entry is dropped first, since a session is used within half an hour of its creation.
    if (cache.size >= kept_max) cache.delete(cache.keys().next().value!)
    cache.set(session_id, row)
    return row
  }
}
