// GET /v1/events and /v1/events/{event_id}: events in the other platform's words, whether or not an endpoint was told.

import { z } from 'zod'
import { bearerKey } from '../../http/access.ts'
import { type Route, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import {
  anyEventTypes,
  compatibleEventTypes,
  compatibleNameOf,
  compatibleOnlyTypes,
  type StoredEventType,
} from '../../kernel/values.ts'
import { admitKey } from '../../merchants/admit.ts'
import type { Context } from '../../payments/context.ts'
import type { Address } from '../addresses.ts'
import { entriesOf } from '../expand.ts'
import { explain } from '../faults.ts'
import { listMembers, listView, pageOf, pageRequestOf, queryOf, viewList } from '../lists.ts'
import { eventView } from './event.ts'
import { findEvent, listEvents } from './event-store.ts'
import { viewEvents } from './event-words.ts'

const url = '/v1/events'
const shared = {
  method: 'GET' as const,
  tag: 'Compatible',
  access: bearerKey('read_transactions'),
  dialect: 'compatible' as const,
  explain,
  status: 200,
  admit: admitKey,
}

const type_words = `can only name ${compatibleEventTypes.join(', ')}`
/** One type, or with * at its end all that begin so. */
const typeText = z.string(type_words).refine((text) => namesOf(text).length > 0, type_words)

const listQuery = queryOf({
  ...listMembers,
  type: typeText.optional().meta({ description: 'a type, or the beginning of some with * behind it' }),
  types: z
    .preprocess(entriesOf, z.array(typeText, type_words).max(20, 'has more than 20 types'))
    .optional()
    .meta({ type: 'array', items: { type: 'string' }, description: 'up to 20 of them, in place of type' }),
})

function namesOf(text: string): string[] {
  return compatibleEventTypes.filter((name) =>
    text.endsWith('*') ? name.startsWith(text.slice(0, -1)) : name === text,
  )
}

/** The stored types that a query asks for. */
function typesOf({ type, types }: z.output<typeof listQuery>): StoredEventType[] {
  if (type !== undefined && types !== undefined) {
    throw new Refusal('invalid_request', 'types cannot be sent with type: send one of them.', { field: 'types' })
  }
  const names = types?.flatMap(namesOf) ?? (type === undefined ? compatibleEventTypes : namesOf(type))
  return [...anyEventTypes, ...compatibleOnlyTypes].filter((each) => names.includes(compatibleNameOf(each)))
}

export const listEventsAt = (address: Address): Route<Context> =>
  route({
    ...shared,
    ...address,
    summary: 'List compatible events',
    mode: 'handler',
    query: listQuery,
    reply: listView(eventView, url).meta({
      title: 'CompatibleEventList',
      note: 'A page of events in the other platform’s words, newest first.',
    }),
    refusals: ['resource_not_found'],
    handle: async ({ sql }: Context, { holder: { merchant_id }, query, only_mode: mode }) => {
      const request = pageRequestOf(query)
      const page = await listEvents(sql, { merchant_id, mode, types: typesOf(query) }, request)
      const { rows, has_more } = pageOf(page, request, 'event')
      return viewList(url, await viewEvents(sql, rows), has_more)
    },
  })

export const readEventAt = ({ path, alias_of }: Address): Route<Context> =>
  route({
    ...shared,
    path: `${path}/{event_id}`,
    ...(alias_of && { alias_of: `${alias_of}/{event_id}` }),
    summary: 'Read a compatible event',
    mode: { of: 'reply', unknown: noEvent },
    query: z.strictObject({}),
    reply: eventView,
    unknownId: noEvent,
    refusals: ['resource_not_found'],
    handle: async ({ sql }: Context, { holder: { merchant_id }, params }) => {
      const event = await findEvent(sql, { merchant_id, mode: null, event_id: params.event_id! })
      if (!event) throw noEvent()
      const [view] = await viewEvents(sql, [event])
      return view!
    },
  })

function noEvent(): Refusal {
  return new Refusal('resource_not_found', 'There is no event with this id.', { field: 'id' })
}
