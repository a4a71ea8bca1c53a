// Where browsers find the dashboard: the origin that passkeys belong to, and whether signing in there is allowed.

import type { Sql } from '../database/open.ts'
import type { Caller } from '../http/access.ts'
import { anyUserExists } from './user.ts'

export type PageOrigin = {
  /** The origin that people are sent to: by name, since browsers refuse passkeys at a number. */
  origin: string
  /** The name that passkeys belong to. */
  rp_id: string
  is_https: boolean
  is_loopback: boolean
  /** All origins of the dashboard: on loopback also the one with the number. */
  own_origins: string[]
}

/** `dashboard_url` is the page's address. */
export function pageOriginOf(dashboard_url: string): PageOrigin {
  const url = new URL(dashboard_url)
  const { protocol, hostname, port, origin } = url
  const is_loopback = isLoopback(hostname)
  const at = (name: string) => `${protocol}//${name}${port && `:${port}`}`
  return {
    origin,
    rp_id: hostname,
    is_https: protocol === 'https:',
    is_loopback,
    own_origins: is_loopback ? ['localhost', '127.0.0.1', '[::1]'].map(at) : [origin],
  }
}

/** The page's address at an origin, with `localhost` in place of a loopback number. */
export function dashboardAddress(base_url: string): string {
  const url = new URL(`${base_url}/dashboard`)
  if (isLoopback(url.hostname)) url.hostname = 'localhost'
  return url.href
}

/** Whether a password may be typed here: behind https, or on this machine. */
export function isSafePlace({ is_https, is_loopback }: PageOrigin, caller: Caller): boolean {
  if (is_https) return true
  const host = caller.header('host') ?? ''
  return is_loopback && isLoopback(host.toLowerCase().replace(/:\d+$/, ''))
}

/** Whether a request that changes something comes from our own page. */
export function isFromOwnPage({ own_origins }: PageOrigin, caller: Caller): boolean {
  const site = caller.header('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  return caller.origin !== null && own_origins.includes(caller.origin)
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

/**
 * The command that makes the first operator, who also owns the merchant if one is given. Null once an account exists.
 */
export async function firstCommand(
  sql: Sql,
  { program }: { program: string },
  merchant: { merchant_id: string } | null,
): Promise<string | null> {
  if (await anyUserExists(sql)) return null
  const owner = merchant ? ` --merchant ${merchant.merchant_id} --role owner` : ''
  return `${program} user link --email you@shop.example --operator${owner}`
}
