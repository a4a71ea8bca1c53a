// Hands a session's token to the browser, and takes it back.

import type { Context } from '../../context.ts'
import type { RouteRequest } from '../../http/route.ts'
import { knownBrowserCookies } from '../../users/known-browser.ts'
import type { PageOrigin } from '../../users/page-origin.ts'
import { dropTokens, keepToken } from '../../users/session-cookie.ts'

type Answering = Pick<RouteRequest<unknown, unknown, unknown>, 'setCookie'>

export function sendToken({ setCookie }: Answering, page: PageOrigin, token: string): void {
  for (const cookie of keepToken(token, page)) setCookie(cookie)
}

/**
 * After a whole sign-in by a password or a code, or a proof. And after a change that makes all browsers forgotten, for the one in which
 * the person made it: `at` is then when they did.
 */
export function rememberBrowser(
  { keyring }: Pick<Context, 'keyring'>,
  { setCookie, now }: Answering & { now: Date },
  { page, user_id }: { page: PageOrigin; user_id: string },
  at = now,
): void {
  for (const cookie of knownBrowserCookies(keyring, { user_id, at }, page)) setCookie(cookie)
}

export function takeToken({ setCookie }: Answering, page: PageOrigin): void {
  for (const cookie of dropTokens(page)) setCookie(cookie)
}
