// Single sign-on by OpenID Connect: the code flow with PKCE, state and nonce. Loaded where a provider is configured.

import type { Configuration } from 'openid-client'
import type { SingleSignOnConfig } from '../config/config.ts'
import type { Context } from '../context.ts'
import { plainEmail } from './user.ts'

/** What a provider says of somebody. */
export type Claims = {
  issuer: string
  subject: string
  name: string | null
  /** Null where the provider has not verified it, or its domain is none of ours. */
  email: string | null
  /** The provider, or the operator for it, says that more than a password was asked for. */
  has_second_factor: boolean
  /** When they last signed in there, by real time; null where the provider does not say. */
  authenticated_at: Date | null
}

/** What a round at the provider is for; where it is for neither, it signs somebody in. */
export type RoundPurpose = {
  /** Whose the account there becomes, and the session in which they began. */
  linking: { session_id: string; user_id: string } | null
  /** The session whose person proves themselves by signing in there anew, after this real time. */
  proving: { session_id: string; user_id: string; since_ms: number } | null
}

export type SingleSignOn = {
  name: string
  /** Where the browser goes, and what must come back with it, sealed for a cookie. */
  begin(redirect_uri: string, purpose: RoundPurpose): Promise<{ url: string; sealed: string }>
  /** Who came back, and what for. Null where anything about it is wrong. */
  finish(url: string, sealed: string): Promise<({ claims: Claims } & RoundPurpose) | null>
}

export const callback_path = '/dashboard/sign-in/oidc/callback'
export const begin_path = '/dashboard/sign-in/oidc'
export const prove_path = '/dashboard/sign-in/oidc/prove'

type Pending = RoundPurpose & {
  state: string
  nonce: string
  verifier: string
  until_ms: number
}

const lasts_ms = 10 * 60_000
const timeout_seconds = 10
/** Ways of signing in that are, or imply, a second factor (RFC 8176). */
const strongMethods = ['mfa', 'otp', 'hwk', 'swk', 'fpt', 'face', 'iris', 'sms', 'pop', 'sc']

export function openSingleSignOn(
  asked: SingleSignOnConfig,
  { keyring, world }: Pick<Context, 'keyring' | 'world'>,
): SingleSignOn {
  const { issuer, client_id, client_secret, domains, is_trusted_for_factors } = asked
  let discovered: Promise<Configuration> | null = null

  async function configuration(): Promise<Configuration> {
    discovered ??= discover()
    // A provider that was down is asked anew.
    discovered.catch(() => {
      discovered = null
    })
    return discovered
  }

  async function discover(): Promise<Configuration> {
    const { discovery, allowInsecureRequests } = await import('openid-client')
    const execute = issuer.startsWith('http:') ? [allowInsecureRequests] : []
    const options = { execute, timeout: timeout_seconds }
    return discovery(new URL(issuer), client_id, client_secret, undefined, options)
  }

  return {
    name: new URL(issuer).hostname,
    async begin(redirect_uri, purpose) {
      const client = await import('openid-client')
      const config = await configuration()
      const draw = () => world.random.bytes(32).toString('base64url')
      const until_ms = world.clock.now().getTime() + lasts_ms
      const [state, nonce, verifier] = [draw(), draw(), draw()]
      const pending: Pending = { ...purpose, state, nonce, verifier, until_ms }
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri,
        scope: 'openid email profile',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        // Providers may ignore the first of them. To the second belongs the time that is then judged.
        ...(purpose.proving && { prompt: 'login', max_age: '0' }),
      })
      const sealed = keyring.sealBriefly(Buffer.from(JSON.stringify(pending)), sealed_as)
      return { url: url.href, sealed: sealed.toString('base64url') }
    },
    async finish(url, sealed) {
      const client = await import('openid-client')
      const pending = openPending(sealed)
      if (pending === null) return null
      try {
        const answer = await client.authorizationCodeGrant(await configuration(), new URL(url), {
          expectedState: pending.state,
          expectedNonce: pending.nonce,
          pkceCodeVerifier: pending.verifier,
          idTokenExpected: true,
        })
        const said = answer.claims()!
        const methods = Array.isArray(said.amr) ? said.amr : []
        const strong = methods.some((each) => strongMethods.includes(String(each)))
        const claims: Claims = {
          issuer: said.iss,
          subject: said.sub,
          name: typeof said.name === 'string' ? said.name : null,
          email: said.email_verified === true ? emailIn(String(said.email ?? '')) : null,
          has_second_factor: strong || is_trusted_for_factors,
          authenticated_at: said.auth_time === undefined ? null : new Date(said.auth_time * 1000),
        }
        const { linking, proving } = pending
        return { claims, linking, proving }
      } catch (error) {
        // The library throws for each thing that can be wrong; some of it is the operator's to mend.
        world.log.warn({ error: (error as Error).message }, 'single sign-on failed')
        return null
      }
    },
  }

  function openPending(sealed: string): Pending | null {
    try {
      const text = keyring.open(Buffer.from(sealed, 'base64url'), sealed_as).toString()
      const pending = JSON.parse(text) as Pending
      return pending.until_ms > world.clock.now().getTime() ? pending : null
    } catch {
      return null
    }
  }

  function emailIn(text: string): string | null {
    const email = plainEmail(text)
    if (email === null || domains.length === 0) return email
    return domains.includes(domainOf(email)) ? email : null
  }
}

const sealed_as = 'single sign-on round'

export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}
