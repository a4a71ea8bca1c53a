// GET /v1/webhooks/endpoints: the addresses to which a merchant's events are posted.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { webhookKey } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { endpointView, viewEndpoint } from '../endpoint.ts'
import { limitTo } from '../rate-limit.ts'
import { listEndpointRows as findEndpoints } from './endpoint-store.ts'

export const listEndpoints = route({
  method: 'GET',
  path: '/v1/webhooks/endpoints',
  tag: 'Webhooks',
  summary: 'List webhook endpoints',
  access: webhookKey,
  mode: 'handler',
  dialect: 'webhook_endpoints',
  limit: limitTo('read'),
  status: 200,
  reply: z
    .object({ endpoints: z.array(endpointView) })
    .meta({ title: 'WebhookEndpointList', note: 'All active endpoints.' }),
  refusals: [],
  handle: async ({ sql }: Context, { holder, only_mode }) => {
    const all = await findEndpoints(sql, holder.merchant_id)
    const endpoints = all.filter(({ mode }) => only_mode === null || mode === only_mode)
    return { endpoints: endpoints.map(viewEndpoint) }
  },
})
