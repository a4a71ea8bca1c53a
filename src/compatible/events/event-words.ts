// Puts stored events into the other platform's words, for endpoints, streams and lists.

import type { InOtherWords } from '../../context.ts'
import type { Sql } from '../../database/open.ts'
import { type EventView, type FrozenBody, viewEvent } from './event.ts'
import { type ReadEvent, readEventFacts } from './event-store.ts'

/** One that cannot be put into words fails when its own function is called, and keeps up no other. */
export const inOtherWords: InOtherWords = async (sql, events) => {
  const read = events.map((event) => ({ ...event, body: JSON.parse(event.body) as FrozenBody }))
  const facts = await readEventFacts(sql, read)
  return read.map(({ body, compatible_version }, at) => () => {
    const version = compatible_version === null ? {} : { version: compatible_version }
    return JSON.stringify(viewEvent(body, facts[at]!, { ...version, pending: 1 }))
  })
}

export async function viewEvents(sql: Sql, events: readonly ReadEvent[]): Promise<EventView[]> {
  const facts = await readEventFacts(sql, events)
  return events.map(({ body }, at) => viewEvent(body, facts[at]!))
}
