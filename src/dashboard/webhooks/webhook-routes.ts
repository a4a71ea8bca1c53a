// Webhooks at the dashboard: endpoints with their health, and deliveries.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { route } from '../../http/route.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { judgedBy, type Member } from '../../users/member.ts'
import { type DoorRule, signedIn } from '../../users/signed-in.ts'
import { replayDelivery } from '../../webhooks/deliveries/replay.ts'
import {
  type EndpointStanding,
  type RecentOutcome,
  readRecentOutcomes,
  readStandings,
} from '../../webhooks/deliveries/standing-store.ts'
import { replay_window_ms } from '../../webhooks/delivery.ts'
import { endpointView, viewEndpoint } from '../../webhooks/endpoint.ts'
import { createEndpoint } from '../../webhooks/endpoints/create-endpoint.ts'
import { deleteEndpoint } from '../../webhooks/endpoints/delete-endpoint.ts'
import { listEndpointRows } from '../../webhooks/endpoints/endpoint-store.ts'
import { behind } from '../behind.ts'
import { refuseUnlessReader } from '../shoppers.ts'
import { countGivenUp, listNextDeliveries } from './delivery-facts-store.ts'
import { replaying } from './delivery-routes.ts'

const day_ms = 24 * 3_600_000
export const given_up_max = 1_000

const endpointHere = endpointView.extend({
  standing: z
    .object({
      first_attempts: z.int(),
      retries: z.int(),
      under_way: z.int(),
      /** When the oldest delivery that waits was made. */
      oldest_at: z.string().nullable(),
      breaker: z.object({ open_until: z.string().nullable() }).nullable(),
      /** The newest of the last day. */
      last_attempt: z
        .object({
          occurred_at: z.string(),
          response_status_code: z.int().nullable(),
          failure: z.string().nullable(),
        })
        .nullable(),
      /** What would be sent next; null where nothing waits. */
      next_delivery_id: z.string().nullable(),
    })
    .nullable(),
  /** Attempts of the last day, or of less where there were very many. */
  recent: z.object({ succeeded: z.int(), failed: z.int(), dead_lettered: z.int() }),
  /** What was given up and not replayed since, of as long as replays are possible; up to a thousand. */
  given_up: z.int(),
})

export const listEndpointsHere = route({
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/webhooks/endpoints',
  tag: 'Dashboard',
  summary: 'The endpoints of the merchant, with their health',
  access: replaying,
  dialect: 'dashboard',
  status: 200,
  reply: z.object({
    endpoints: z.array(endpointHere),
    /** After each failed attempt: with them the page says when a delivery is given up. */
    retry_delays_seconds: z.array(z.number()),
  }),
  refusals: [],
  handle: async ({ sql, webhook_sending }: Context, { holder, now }) => {
    const { merchant_id } = holder
    const endpoints = await listEndpointRows(sql, merchant_id)
    const standings = await readStandings(sql, { merchant_id, endpoint_id: null }, now)
    const nextOnes = await listNextDeliveries(sql, merchant_id, now)
    const from = idsFrom(new Date(now.getTime() - day_ms))
    const { outcomes } = await readRecentOutcomes(sql, { merchant_id, from })
    const since = idsFrom(new Date(now.getTime() - replay_window_ms))
    const givenUp = await countGivenUp(sql, { merchant_id, from: since, most: given_up_max })
    return {
      endpoints: endpoints.map((endpoint) => {
        const { endpoint_id: id } = endpoint
        const standing = standings.find(({ endpoint_id }) => endpoint_id === id)
        const recent = outcomes.filter(({ endpoint_id }) => endpoint_id === id)
        const next = nextOnes.get(id)
        const waiting = {
          next_delivery_id: next?.delivery_id ?? null,
          oldest_at: timestampOrNull(next?.oldest_at ?? null),
        }
        return {
          ...viewEndpoint(endpoint),
          standing: standing ? { ...viewStanding(standing), last_attempt: lastOf(recent), ...waiting } : null,
          given_up: givenUp.get(id) ?? 0,
          recent: countsOf(recent),
        }
      }),
      retry_delays_seconds: [...webhook_sending.settings.schedule],
    }
  },
})

/** An endpoint is told of shoppers, so it gets the events of those modes alone in which its maker may read them. */
const door = signedIn('manage_webhooks', { gravity: 'grave' })
const creating: DoorRule<Member> = {
  ...door,
  async check(request) {
    const member = await door.check(request)
    return member.can('read_shoppers', 'live') ? judgedBy(member, refuseUnlessReader) : member
  },
  onlyMode: ({ can }) => (can('read_shoppers', 'live') ? null : 'test'),
}

/** The answer has the signing secret, which is shown only now. */
export const createEndpointHere = behind(creating, createEndpoint)
export const deleteEndpointHere = behind(signedIn('manage_webhooks'), deleteEndpoint)
export const replayDeliveryHere = behind(replaying, replayDelivery)

function viewStanding({ breaker, oldest_due_at: _, ...standing }: EndpointStanding) {
  const { first_attempts, retries, under_way } = standing
  return {
    first_attempts,
    retries,
    under_way,
    breaker: breaker && { open_until: timestampOrNull(breaker.open_until) },
  }
}

function lastOf(outcomes: RecentOutcome[]) {
  const [last] = outcomes.toSorted((a, b) => b.occurred_at.getTime() - a.occurred_at.getTime())
  if (!last) return null
  const { occurred_at, response_status_code, failure } = last
  return { occurred_at: timestamp(occurred_at), response_status_code, failure }
}

function countsOf(outcomes: RecentOutcome[]) {
  const count = (status: RecentOutcome['status']) => outcomes.find((outcome) => outcome.status === status)?.count ?? 0
  return {
    succeeded: count('succeeded'),
    failed: count('failed'),
    dead_lettered: count('dead_lettered'),
  }
}
