// Single sign-on by OpenID Connect: the code flow with PKCE, state and nonce. The file is only loaded if a provider is
// configured.

import type { Configuration } from 'openid-client'
import type { SingleSignOnConfig } from '../config/config.ts'
import type { Context } from '../context.ts'
import { plainEmail } from './user.ts'

/** What a provider claims about a person. */
export type IdentityClaims = {
  issuer: string
  subject: string
  name: string | null
  /** Null if the provider has not verified it, or if its domain is not one of ours. */
  email: string | null
  /** The provider, or the operator on its behalf, says that a second factor was required. */
  has_second_factor: boolean
  /** When they last signed in there, by real time; null if the provider does not say. */
  authenticated_at: Date | null
}

/** The purpose of a round at the provider; if both are null, it signs a person in. */
export type RoundPurpose = {
  /** The person who gets the provider's account, and the session in which they began. */
  linking: { session_id: string; user_id: string } | null
  /** The session whose person proves themselves by signing in there again, after this real time. */
  proving: { session_id: string; user_id: string; since_ms: number } | null
}

export type SingleSignOn = {
  name: string
  /** The address for the browser, and a sealed cookie for what must come back with it. */
  begin(redirect_uri: string, purpose: RoundPurpose): Promise<{ url: string; sealed: string }>
  /** Who came back, and for which purpose. Null if anything about it is wrong. */
  finish(url: string, sealed: string): Promise<({ claims: IdentityClaims } & RoundPurpose) | null>
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
  provider: SingleSignOnConfig,
  { keyring, world }: Pick<Context, 'keyring' | 'world'>,
): SingleSignOn {
  const { issuer, client_id, client_secret, domains, is_trusted_for_factors } = provider
  let discovered: Promise<Configuration> | null = null

  async function configuration(): Promise<Configuration> {
    discovered ??= discover()
    // After a failure the next round asks the provider again.
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
        // Providers may ignore `prompt`. `max_age` makes them report the time, which is then judged.
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
        const idClaims = answer.claims()!
        const methods = Array.isArray(idClaims.amr) ? idClaims.amr : []
        const strong = methods.some((each) => strongMethods.includes(String(each)))
        const claims: IdentityClaims = {
          issuer: idClaims.iss,
          subject: idClaims.sub,
          name: typeof idClaims.name === 'string' ? idClaims.name : null,
          email: idClaims.email_verified === true ? emailIn(String(idClaims.email ?? '')) : null,
          has_second_factor: strong || is_trusted_for_factors,
          authenticated_at: idClaims.auth_time === undefined ? null : new Date(idClaims.auth_time * 1000),
        }
        const { linking, proving } = pending
        return { claims, linking, proving }
      } catch (error) {
        // The library throws for each thing that can be wrong; the operator can mend some of them.
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
