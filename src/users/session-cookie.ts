// The cookie that carries a session's token.

import type { Caller } from '../http/access.ts'
import { cookiesOf } from '../http/cookies.ts'
import type { PageOrigin } from './page-origin.ts'

const strict_name = '__Host-ripper'
/** For browsers that keep no secure cookie from plain http on loopback. */
const plain_name = 'ripper'
const attributes = 'HttpOnly; SameSite=Strict; Path=/'

/** The token; null where there is none. The plain cookie counts only on loopback, and only without the other one. */
export function tokenOf(caller: Caller, page: PageOrigin): string | null {
  const cookies = cookiesOf(caller)
  return cookies.get(strict_name) ?? (isPlain(page) ? cookies.get(plain_name) : undefined) ?? null
}

/** Whether the browser sent the plain cookie although it has the secure one. */
export function hasNeedlessCookie(caller: Caller): boolean {
  const cookies = cookiesOf(caller)
  return cookies.has(strict_name) && cookies.has(plain_name)
}

export function keepToken(token: string, page: PageOrigin): string[] {
  return cookiesFor(page, { name: plain_name, value: token })
}

/**
 * The values of `Set-Cookie`; without `max_age`, which is in seconds, the cookie ends with the browser. On loopback both: the
 * server cannot know which one the browser keeps.
 */
export function cookiesFor(
  page: PageOrigin,
  { name, value, max_age }: { name: string; value: string; max_age?: number },
): string[] {
  const lifetime = max_age === undefined ? '' : `Max-Age=${max_age}; `
  const strict = `__Host-${name}=${value}; ${lifetime}Secure; ${attributes}`
  return isPlain(page) ? [strict, `${name}=${value}; ${lifetime}${attributes}`] : [strict]
}

export function dropTokens(page: PageOrigin): string[] {
  const strict = `${strict_name}=; Max-Age=0; Secure; ${attributes}`
  return isPlain(page) ? [strict, drop_plain_token] : [strict]
}

export const drop_plain_token = `${plain_name}=; Max-Age=0; ${attributes}`

function isPlain({ is_https, is_loopback }: PageOrigin): boolean {
  return !is_https && is_loopback
}
