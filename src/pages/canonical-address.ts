// Redirects on the developer's machine, where a page has two names, localhost and 127.0.0.1. Only one is an allowed origin.

import type { Caller } from '../http/access.ts'
import type { PageAnswer } from '../http/pages.ts'

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** A redirect to the service's own address; null if the request came to that address. */
export function canonicalAddress(address: string, { url, caller }: { url: string; caller: Caller }): PageAnswer | null {
  const { host, origin } = new URL(address)
  const asked = caller.header('host') ?? host
  // On other machines a proxy may pass on another name, and then the redirects would never end.
  if (asked === host || !loopback.test(asked) || !loopback.test(host)) return null
  return { status: 302, body: '', headers: { location: origin + url } }
}
