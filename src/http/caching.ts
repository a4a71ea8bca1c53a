// Answers that browsers and caches may keep: their lifetime, their entity tag, and whether a caller already has them.

import { hash } from 'node:crypto'
import type { Route } from './route.ts'

export const lifetimes = { five_minutes: 300 } as const satisfies Record<NonNullable<Route<never>['cache']>, number>

/** The headers of an answer that may be kept. The tag is strong: equal tags mean equal bytes. */
export function cacheHeaders(cache: keyof typeof lifetimes, body: string) {
  return {
    etag: `"${hash('sha256', body, 'base64url')}"`,
    'cache-control': `public, max-age=${lifetimes[cache]}`,
  }
}

/**
 * Whether If-None-Match names the tag. By RFC 9110 the comparison is weak, so a tag that a proxy weakened still
 * matches.
 */
export function namesTag(if_none_match: string | null, etag: string): boolean {
  if (if_none_match === null) return false
  if (if_none_match === '*') return true
  const tags: string[] = if_none_match.match(/"[^"]*"/g) ?? []
  return tags.includes(etag)
}
