// The credentials of an account at 3dsecure.io, and the address of its API.

import { z } from 'zod'
import type { AnswerEnvironment } from '../../acquirers/environment.ts'
import { apiUrl, secret } from '../../vendor-wire/wire.ts'

export const threeDsecureIoCredentials = z.strictObject({ api_key: secret, api_url: apiUrl })

export type ThreeDsecureIoCredentials = z.infer<typeof threeDsecureIoCredentials>

/** The environment behind an address of 3dsecure.io's own; nothing for another one: docs.3dsecure.io, 2026-05. */
export function environmentAt(url: string): AnswerEnvironment {
  const [, host] = /^https:\/\/service\.((?:sandbox\.)?3dsecure\.io)(\/|$)/.exec(url) ?? []
  if (host === undefined) return {}
  return { environment: host === '3dsecure.io' ? 'live' : 'sandbox' }
}

/** The API's address, without a final slash. No key shows its environment, so the connection's mode decides. */
export function apiUrlOf({ api_url }: ThreeDsecureIoCredentials, mode: 'live' | 'sandbox'): string {
  if (api_url !== undefined) return api_url.replace(/\/+$/, '')
  return mode === 'live' ? 'https://service.3dsecure.io' : 'https://service.sandbox.3dsecure.io'
}
