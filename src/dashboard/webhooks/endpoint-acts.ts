// What a person does to one endpoint at the dashboard: rotates its secret, tries it, and replays what was given up for it.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { route } from '../../http/route.ts'
import type { RefusalCode } from '../../kernel/errors.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { timestamp } from '../../kernel/values.ts'
import { writerOf } from '../../merchants/account-lines.ts'
import { judgedBy } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { countDeadLetters } from '../../webhooks/deliveries/operator-store.ts'
import { replayDeadLetters } from '../../webhooks/deliveries/replay-dead-letters.ts'
import { replay_window_ms } from '../../webhooks/delivery.ts'
import { type EndpointKey, endpointNotFound } from '../../webhooks/endpoint.ts'
import { findEndpointKey, modeOfEndpoint } from '../../webhooks/endpoints/endpoint-store.ts'
import { type RotatedSecret, rotateSecret } from '../../webhooks/endpoints/rotate-secret.ts'
import { limitTo } from '../../webhooks/rate-limit.ts'
import { sendTestEvent } from '../../webhooks/sending/send-test-event.ts'
import { refuseUnlessReader } from '../shoppers.ts'

const shared = { method: 'POST' as const, tag: 'Dashboard', dialect: 'dashboard' as const }
const nothing = { body: z.strictObject({}), body_optional: true as const }
const refusals = ['endpoint_not_found'] as const

/** The answer has the signing secret, which is shown only now. */
export const rotateSecretHere = route({
  ...shared,
  ...nothing,
  path: '/dashboard/api/{merchant_id}/webhooks/endpoints/{endpoint_id}/rotate',
  summary: 'Give an endpoint a new signing secret; the old one signs for 24 hours more',
  access: signedIn('manage_webhooks', { gravity: 'grave' }),
  idempotency: 'optional',
  limit: limitTo('write'),
  status: 200,
  reply: z.object({
    endpoint_id: z.string(),
    signing_secret: z.string(),
    standard_signing_secret: z.string().optional(),
    previous_secret_until: z.string(),
  }),
  unknownId: endpointNotFound,
  refusals,
  handle: async (context: Context, { holder, params, request_id, now, recordReply }) => {
    const { merchant_id } = holder
    const { endpoint_id } = await ownEndpoint(context, merchant_id, params.endpoint_id!)
    const mode = await modeOfEndpoint(context.sql, { merchant_id, params })
    // Whoever has the secret can tell the live shop of payments in our name.
    const judged = mode === 'test' ? holder : judgedBy(holder, refuseUnlessReader)
    const writer = writerOf(context, { holder: judged, request_id })
    const view = (rotated: RotatedSecret) => ({
      ...rotated,
      previous_secret_until: timestamp(rotated.previous_secret_until),
    })
    const record = (rotated: RotatedSecret) => recordReply(view(rotated))
    return view(await rotateSecret(context, endpoint_id, writer, now, record))
  },
})

export const testEndpointHere = route({
  ...shared,
  ...nothing,
  path: '/dashboard/api/{merchant_id}/webhooks/endpoints/{endpoint_id}/test',
  summary: 'Send a test event to an endpoint, once, and wait for its answer',
  access: signedIn('manage_webhooks'),
  limit: limitTo('replay'),
  status: 200,
  reply: z.object({
    event_id: z.string(),
    succeeded: z.boolean(),
    response_status_code: z.int().nullable(),
    response_body: z.string().nullable(),
    failure: z.string().nullable(),
    duration_ms: z.number(),
  }),
  unknownId: endpointNotFound,
  refusals,
  handle: (context: Context, { holder, params }) =>
    sendTestEvent(context, {
      merchant_id: holder.merchant_id,
      endpoint_id: params.endpoint_id!,
    }),
})

const batch = 50
const attemptId = z.string().regex(/^[0-9a-f]{32}$/, 'must be the next_after of the batch before')

export const replayGivenUpHere = route({
  ...shared,
  path: '/dashboard/api/{merchant_id}/webhooks/endpoints/{endpoint_id}/replay',
  summary: 'Replay what was given up for an endpoint, a batch at a time; a batch that is sent twice replays once',
  access: signedIn('replay_deliveries'),
  limit: limitTo('write'),
  /** Of the batch before: `until` keeps out what is given up while the batches run. */
  body: z.strictObject({ until: z.iso.datetime({ offset: true }), after: attemptId }).partial(),
  body_optional: true,
  status: 200,
  reply: z.object({
    replayed: z.int(),
    already_replayed: z.int(),
    refused: z.int(),
    /** How many there are in all; null behind the first batch. */
    total: z.int().nullable(),
    until: z.string(),
    next_after: z.string().nullable(),
  }),
  unknownId: endpointNotFound,
  refusals,
  handle: async (context: Context, { holder, params, body, request_id, now }) => {
    const { merchant_id } = holder
    const { endpoint_id } = await ownEndpoint(context, merchant_id, params.endpoint_id!)
    const asked = new Date(body.until ?? now)
    const until = asked < now ? asked : now
    const which = {
      merchant_id,
      endpoint_id,
      after: body.after ?? idsFrom(new Date(now.getTime() - replay_window_ms)),
      below: idsFrom(until),
    }
    const total = body.after === undefined ? await countDeadLetters(context.sql, which) : null
    const done = await replayDeadLetters(context, which, {
      limit: batch,
      writer: writerOf(context, { holder, request_id }),
      now,
    })
    const count = (code: RefusalCode | null) => done.refusals.filter((each) => each === code).length
    const [replayed, under_way] = [count(null), count('replay_in_progress')]
    return {
      replayed,
      already_replayed: done.already_replayed + under_way,
      refused: done.refusals.length - replayed - under_way,
      total,
      until: timestamp(until),
      next_after: done.next_after,
    }
  },
})

async function ownEndpoint(
  { sql }: Pick<Context, 'sql'>,
  merchant_id: string,
  endpoint_id: string,
): Promise<EndpointKey> {
  const found = await findEndpointKey(sql, endpoint_id)
  if (found?.merchant_id !== merchant_id) throw endpointNotFound()
  return found
}
