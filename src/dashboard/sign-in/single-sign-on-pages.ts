// Single sign-on in the browser: away to the provider, and back. Pages, since the provider is another site.

import { cookieIn } from '../../http/cookies.ts'
import type { Page, PageAnswer } from '../../http/pages.ts'
import type { Context } from '../../payments/context.ts'
import { realNow } from '../../users/one-time-codes.ts'
import { isSafePlace, type PageOrigin, pageOriginOf } from '../../users/page-origin.ts'
import { hasProved, owesBoth, proofWaysOf } from '../../users/proof-ways.ts'
import type { FoundSession } from '../../users/session.ts'
import { keepToken } from '../../users/session-cookie.ts'
import { proveByProvider, signInByProvider } from '../../users/sign-in-by-provider.ts'
import { sessionOfCaller } from '../../users/signed-in.ts'
import {
  begin_path,
  callback_path,
  prove_path,
  type RoundPurpose,
  type SingleSignOn,
} from '../../users/single-sign-on.ts'
import { limitTries } from '../../users/tries.ts'

type PageRequest = Parameters<Page<Context>['handle']>[1]

export function singleSignOnPages(provider: SingleSignOn): Page<Context>[] {
  return [
    guarded(begin_path, async (context, page, request) => {
      const linking = await linkingPerson(context, page, request)
      return away(provider, page, { linking, proving: null })
    }),
    guarded(prove_path, async (context, page, request) => {
      const session = await ownSession(context, page, request)
      const ways = session ? proofWaysOf(session, context.doorkeeper) : []
      // Of somebody who has a passkey or one-time codes the provider's word proves nothing.
      if (session === null || !ways.includes('single_sign_on')) return back(page)
      const { session_id, user_id } = session
      const proving = { session_id, user_id, since_ms: realNow(context).getTime() }
      return away(provider, page, { linking: null, proving })
    }),
    guarded(callback_path, async (context, page, request) => {
      const sealed = cookieIn(request.caller, nameOf(page)) ?? ''
      const found = await provider.finish(page.origin + request.url, sealed)
      if (found === null) return back(page)
      const { claims, proving } = found
      const token = proving
        ? await proveByProvider(context, { claims, proving }, request)
        : await signInByProvider(context, found, request)
      if (token === null) return back(page)
      const location = proving ? '/dashboard#single-sign-on=proved' : '/dashboard'
      return redirect(location, [...keepToken(token, page), forget(page)])
    }),
  ]
}

/** A page at a safe place alone, and for a caller who has not tried too often. */
function guarded(
  path: string,
  handle: (context: Context, page: PageOrigin, request: PageRequest) => Promise<PageAnswer>,
): Page<Context> {
  return {
    method: 'GET',
    path,
    handle: async (context, request) => {
      const page = pageOriginOf(context.addresses.dashboard_url())
      if (!isSafePlace(page, request.caller)) return back(page)
      limitTries(context, request)
      return handle(context, page, request)
    },
  }
}

/** A person who is signed in, and has just proved it, links their account at the provider to their own. */
async function linkingPerson(
  context: Context,
  page: PageOrigin,
  request: PageRequest,
): Promise<RoundPurpose['linking']> {
  const session = await ownSession(context, page, request)
  if (session === null || owesBoth(session, context.doorkeeper)) return null
  const act = { gravity: 'grave' as const, mode: 'live' as const }
  if (!hasProved(session, act, context.world.clock.now())) return null
  const { session_id, user_id } = session
  return { session_id, user_id }
}

/** The whole session, locked or not, of whoever comes from our own page. */
async function ownSession(context: Context, page: PageOrigin, { caller }: PageRequest): Promise<FoundSession | null> {
  if (caller.header('sec-fetch-site') !== 'same-origin') return null
  const session = await sessionOfCaller(context, caller, page)
  return session?.is_half ? null : session
}

async function away(provider: SingleSignOn, page: PageOrigin, purpose: RoundPurpose): Promise<PageAnswer> {
  const { url, sealed } = await provider.begin(page.origin + callback_path, purpose)
  return redirect(url, [pendingCookie(page, sealed)])
}

/** The page says by this that it did not work; which part was wrong is not said. */
function back(page: PageOrigin): PageAnswer {
  return redirect('/dashboard#single-sign-on=refused', [forget(page)])
}

function redirect(location: string, cookies: string[]): PageAnswer {
  return { status: 303, body: '', headers: { location, 'cache-control': 'no-store' }, cookies }
}

/** Lax, since the browser comes back from another site, to which it brings no strict cookie. */
function pendingCookie(page: PageOrigin, sealed: string): string {
  return `${nameOf(page)}=${sealed}; Max-Age=600; ${attributesOf(page)}`
}

function forget(page: PageOrigin): string {
  return `${nameOf(page)}=; Max-Age=0; ${attributesOf(page)}`
}

function nameOf({ is_https }: PageOrigin): string {
  return is_https ? '__Host-ripper-oidc' : 'ripper-oidc'
}

function attributesOf({ is_https }: PageOrigin): string {
  return `${is_https ? 'Secure; ' : ''}HttpOnly; SameSite=Lax; Path=/`
}
