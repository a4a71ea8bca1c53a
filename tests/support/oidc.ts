// A provider of single sign-on on loopback: `oidc-provider`, which lets in whoever is named, as a test says.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** What the provider says of somebody. */
export type Account = {
  sub: string
  email: string
  email_verified: boolean
  name?: string
  amr?: string[]
  /** When they signed in there; now, where it is left out. */
  authenticated_at?: Date
}

export type IdentityProvider = {
  issuer: string
  client_id: string
  client_secret: string
  /** The next who comes is this one. */
  expect(account: Account): void
  /** Where the provider sends browsers back to: known once the service listens. */
  redirectTo(uri: string): void
  close(): Promise<void>
}

export async function openIdentityProvider(): Promise<IdentityProvider> {
  let account: Account = { sub: 'nobody', email: '', email_verified: false }
  let handler: (request: IncomingMessage, response: ServerResponse) => unknown = () => {}
  const server: Server = createServer((request, response) => handler(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = { client_id: 'ripper', client_secret: 'a secret of at least 32 characters' }

  function open(redirect_uri: string): void {
    const provider = new Provider(issuer, {
      clients: [{ ...client, redirect_uris: [redirect_uri] }],
      claims: { openid: ['sub', 'amr'], email: ['email', 'email_verified'], profile: ['name'] },
      // Claims of e-mail stand in the ID token, as most providers put them there.
      conformIdTokenClaims: false,
      features: { devInteractions: { enabled: false } },
      ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
      pkce: { required: () => true },
      cookies: { keys: ['for tests alone'] },
      findAccount: async (_context: unknown, sub: string) => ({
        accountId: sub,
        claims: async () => ({ ...account }),
      }),
      interactions: { url: async (_context: unknown, { uid }: { uid: string }) => `/in/${uid}` },
    })
    const callback = provider.callback()
    handler = async (request, response) => {
      if (!request.url?.startsWith('/in/')) return callback(request, response)
      const { params } = await provider.interactionDetails(request, response)
      const grant = new provider.Grant({
        accountId: account.sub,
        clientId: String(params.client_id),
      })
      grant.addOIDCScope('openid email profile')
      const result = {
        login: { accountId: account.sub, amr: account.amr ?? [], ...timeOf(account) },
        consent: { grantId: await grant.save() },
      }
      return provider.interactionFinished(request, response, result, {
        mergeWithLastSubmission: false,
      })
    }
  }

  return {
    issuer,
    ...client,
    expect(next) {
      account = next
    },
    redirectTo: open,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function timeOf({ authenticated_at: at }: Account): { ts?: number } {
  return at ? { ts: Math.floor(at.getTime() / 1000) } : {}
}
