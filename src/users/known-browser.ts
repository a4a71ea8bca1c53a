// A signed cookie marks a browser in which a person has signed in before. It lets nobody in. Passwords tried in such a
// browser are counted separately, so that a stranger's tries do not lock the person out.

import { timingSafeEqual } from 'node:crypto'
import type { Caller } from '../http/access.ts'
import { cookieIn } from '../http/cookies.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { PageOrigin } from './page-origin.ts'
import { cookiesFor } from './session-cookie.ts'
import type { User } from './user.ts'

const name = 'ripper-known'
const lasts_seconds = 90 * 24 * 3600

/** The values of `Set-Cookie` for a browser in which a person has just signed in. */
export function knownBrowserCookies(
  keyring: Keyring,
  { user_id, at }: { user_id: string; at: Date },
  page: PageOrigin,
): string[] {
  const head = `${user_id}.${at.getTime().toString(36)}`
  const value = `${head}.${keyring.mac('known browser', head).toString('base64url')}`
  return cookiesFor(page, { name, value, max_age: lasts_seconds })
}

export type KnownBrowser = { user_id: string; at: Date }

/** Who signed in in this browser, and when; null if nobody did, or too long ago. */
export function readKnownBrowser(keyring: Keyring, caller: Caller, now: Date): KnownBrowser | null {
  const value = cookieIn(caller, `__Host-${name}`) ?? cookieIn(caller, name) ?? ''
  const [user_id, time, mac] = value.split('.')
  if (!user_id || !time || !mac) return null
  const cookie_mac = Buffer.from(mac, 'base64url')
  const macs = keyring.macs('known browser', `${user_id}.${time}`)
  if (!macs.some((each) => each.length === cookie_mac.length && timingSafeEqual(each, cookie_mac))) return null
  const at = new Date(Number.parseInt(time, 36))
  return now.getTime() - at.getTime() <= lasts_seconds * 1000 ? { user_id, at } : null
}

/**
 * Whether a browser is known to a person. A sign-in counts only if neither the password nor all sessions were changed
 * after it.
 */
export function isKnownTo({ user_id, known_since }: User, browser: KnownBrowser) {
  return browser.user_id === user_id && (known_since === null || browser.at >= known_since)
}
