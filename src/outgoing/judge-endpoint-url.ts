// Checks the URL of an endpoint when it is registered: by its text, and for a private name by the addresses to which it
// resolves.

import type { Clock } from '../kernel/world.ts'
import { alarm } from './guarded-http/alarm.ts'
import type { Resolve } from './guarded-http/connect.ts'
import { lookUpLocally } from './guarded-http/names.ts'
import { checkUrl, hostOf, isPrivateName, openAddressRule, type UrlFault } from './safe-address.ts'

type Options = {
  clock: Clock
  /** IP addresses or CIDR networks that may be reached although they are not public. */
  allowed_networks: string[]
  /** Used instead of the machine's resolver. */
  resolve?: Resolve
}

export type JudgeEndpointUrl = (text: string) => Promise<UrlFault | null>

const look_up_ms = 3_000

/**
 * Why an endpoint may not have a URL, or null. A private name must resolve now, and only to allowed networks; a public
 * one need not exist yet. Every connection resolves and checks both again.
 */
export function openEndpointUrlJudge(options: Options): JudgeEndpointUrl {
  const { clock, allowed_networks, resolve = lookUpLocally } = options
  const rule = openAddressRule(allowed_networks)

  return async (text) => {
    const fault = checkUrl(text, rule)
    if (fault) return fault
    const host = hostOf(new URL(text))
    if (!isPrivateName(host)) return null
    const addresses = await found(host)
    const is_inside = addresses.length > 0 && addresses.every(rule.inAllowedNetwork)
    return is_inside ? null : notInside
  }

  /** Empty if the resolver knows none, fails, or takes too long. */
  async function found(name: string): Promise<string[]> {
    const over = Promise.withResolvers<string[]>()
    const off = alarm(clock, look_up_ms, () => over.resolve([]))
    try {
      return await Promise.race([resolve(name).catch(() => []), over.promise])
    } finally {
      off()
    }
  }
}

// The same words for each case, so that nobody learns which private names exist.
const notInside: UrlFault = {
  code: 'blocked_address',
  reason: 'must not have a private or local name that leads into no allowed network',
}
