// Which addresses the credentials of a connection may name instead of the vendor's own.

import type { Config } from '../config/config.ts'
import { settings } from '../config/settings.ts'
import type { JudgeApiUrl } from '../connections/judge-credentials.ts'
import type { Clock } from '../kernel/world.ts'
import { openEndpointUrlJudge } from '../outgoing/judge-endpoint-url.ts'

const networks_variable = settings.connection_allowed_networks.name

export function apiUrlJudge(
  { connection_allowed_networks: allowed_networks }: Pick<Config, 'connection_allowed_networks'>,
  clock: Clock,
): JudgeApiUrl {
  const judge = openEndpointUrlJudge({ clock, allowed_networks })
  return async (url) => {
    const fault = await judge(url)
    if (fault === null) return null
    const may_lie_inside = fault.code === 'blocked_address' || /^http:/i.test(url)
    return may_lie_inside ? `${fault.reason}, unless it lies in ${networks_variable}` : fault.reason
  }
}
