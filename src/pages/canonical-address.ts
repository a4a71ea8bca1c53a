// On one's own machine a page has two names, localhost and 127.0.0.1, and only one of them is an allowed origin.

import type { Caller } from '../http/access.ts'
import type { PageAnswer } from '../http/pages.ts'

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** The way to the address that the service goes by, or null where the request came to it. */
export function canonicalAddress(
  address: string,
  { url, caller }: { url: string; caller: Caller },
): PageAnswer | null {
  const { host, origin } = new URL(address)
  const asked = caller.header('host') ?? host
  // Elsewhere a proxy may well pass on another name, and sending browsers around would never end.
  if (asked === host || !loopback.test(asked) || !loopback.test(host)) return null
  return { status: 302, body: '', headers: { location: origin + url } }
}
