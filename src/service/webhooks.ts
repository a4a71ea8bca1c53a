// The configuration of webhooks: which addresses they may have, and how they are sent.

import { inOtherWords } from '../compatible/events/event-words.ts'
import type { Config } from '../config/config.ts'
import type { Context } from '../context.ts'
import type { Clock, GuardedHttp } from '../kernel/world.ts'
import { openGuardedHttp } from '../outgoing/guarded-http.ts'
import { openEndpointUrlJudge } from '../outgoing/judge-endpoint-url.ts'

export function webhookUrls({ webhooks }: Config, clock: Clock): Context['webhook_urls'] {
  const judge = openEndpointUrlJudge({ clock, allowed_networks: webhooks.allowed_networks })
  return { judge: async (url) => (await judge(url))?.reason ?? null }
}

/** The caller closes its `http`. */
export function openWebhookSending(config: Config, clock: Clock): Context['webhook_sending'] & { http: GuardedHttp } {
  const { allowed_networks, retry_schedule, ...limits } = config.webhooks
  return {
    http: openGuardedHttp({ clock, allowed_networks }),
    settings: {
      schedule: retry_schedule,
      timeout_ms: limits.timeout_seconds * 1000,
      connect_timeout_ms: limits.connect_timeout_seconds * 1000,
      clock_offset_seconds: config.clock_offset_seconds,
    },
    inOtherWords,
  }
}
