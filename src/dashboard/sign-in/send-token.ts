// Hands a session's token to the browser, and takes it back.

import type { RouteRequest } from '../../http/route.ts'
import type { PageOrigin } from '../../users/page-origin.ts'
import { dropTokens, keepToken } from '../../users/session-cookie.ts'

type Answering = Pick<RouteRequest<unknown, unknown, unknown>, 'setCookie'>

export function sendToken({ setCookie }: Answering, page: PageOrigin, token: string): void {
  for (const cookie of keepToken(token, page)) setCookie(cookie)
}

export function takeToken({ setCookie }: Answering, page: PageOrigin): void {
  for (const cookie of dropTokens(page)) setCookie(cookie)
}
