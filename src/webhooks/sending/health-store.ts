// The SQL of endpoints' health: the states of circuit breakers, as workers opened or closed them.

import type { Sql } from '../../database/open.ts'

export type EndpointHealth = {
  merchant_id: string
  endpoint_id: string
  state: 'closed' | 'open'
  open_until: Date | null
  reopen_count: number
  /** The last failure, in the word of an attempt's row. */
  last_failure: string | null
  changed_at: Date
}

/** Writes a breaker's state unless another process has written a later one. */
export async function saveHealth(sql: Sql, health: EndpointHealth): Promise<void> {
  const { merchant_id, endpoint_id, state, open_until, reopen_count, last_failure, changed_at } = health
  await sql`
    insert into webhook_endpoint_health as h
      (merchant_id, endpoint_id, state, open_until, reopen_count, last_failure, changed_at)
    values (${merchant_id}, ${endpoint_id}, ${state}, ${open_until}, ${reopen_count}, ${last_failure}, ${changed_at})
    on conflict (merchant_id, endpoint_id) do update set state = excluded.state,
      open_until = excluded.open_until, reopen_count = excluded.reopen_count,
      last_failure = coalesce(excluded.last_failure, h.last_failure), changed_at = excluded.changed_at
    where h.changed_at < excluded.changed_at`
}

/** The endpoints whose breaker is open, and the given ones, whose breaker may have closed. */
export function listHealth(sql: Sql, endpointIds: string[]): Promise<EndpointHealth[]> {
  return sql<EndpointHealth[]>`
    select * from webhook_endpoint_health where state = 'open' or endpoint_id = any(${endpointIds})`
}
