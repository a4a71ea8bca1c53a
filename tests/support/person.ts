// A person at the dashboard, over HTTP: a browser's cookies and headers, an authenticator, and one-time codes.

import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { Secret, TOTP } from 'otpauth'
import { makeLink, type NewLink } from '../../src/users/links.ts'
import { pageOriginOf } from '../../src/users/page-origin.ts'
import type { Role } from '../../src/users/roles.ts'
import { openAuthenticator } from './authenticator.ts'
import type { Json } from './client.ts'
import type { Service } from './service.ts'

export type Reply = {
  status: number
  /** Null where it is no JSON. */
  body: Json
  text: string
  headers: IncomingHttpHeaders
  set_cookies: string[]
}
export type Person = ReturnType<typeof newPerson>

type Sent = { headers?: Record<string, string | null>; raw?: string }

export function refusalIn({ status, body }: Reply): string {
  return `${status} ${body?.error}`
}

/** Nobody has signed in with it yet. */
export function newPerson(
  service: Pick<Service, 'base_url' | 'context'>,
  { host, agent = 'test' }: { host?: string; agent?: string } = {},
) {
  const page = pageOriginOf(service.context.addresses.dashboard_url())
  const cookies = new Map<string, string>()
  const authenticator = openAuthenticator(page.origin)

  /** A header of null is not sent. */
  async function send(method: string, path: string, body?: unknown, { headers = {}, raw }: Sent = {}): Promise<Reply> {
    const has_body = raw !== undefined || body !== undefined
    const all: Record<string, string | null> = {
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') || null,
      'sec-fetch-site': 'same-origin',
      'rip-active': '1',
      'user-agent': agent,
      ...(host && { host }),
      ...(has_body && { 'content-type': 'application/json' }),
      ...headers,
    }
    const named = Object.entries(all).filter(([, value]) => value !== null)
    const answer = await exchange(`${service.base_url}/dashboard/api${path}`, {
      method,
      headers: Object.fromEntries(named) as Record<string, string>,
      body: has_body ? (raw ?? JSON.stringify(body)) : '',
    })
    for (const cookie of answer.set_cookies) keep(cookie)
    return answer
  }

  /** As Chromium does on loopback: the strict cookie alone would do. */
  function keep(cookie: string): void {
    const [pair, ...attributes] = cookie.split('; ')
    const [name, value] = pair!.split('=') as [string, string]
    if (attributes.includes('Max-Age=0')) cookies.delete(name)
    else cookies.set(name, value)
  }

  const get = (path: string, more?: Sent) => send('GET', path, undefined, more)
  const post = (path: string, body: unknown = {}, more?: Sent) => send('POST', path, body, more)
  const remove = (path: string, more?: Sent) => send('DELETE', path, undefined, more)

  return {
    page,
    cookies,
    authenticator,
    send,
    get,
    post,
    remove,
    /** Comes in by a link's secret, with a new passkey or by a password. */
    async redeem(secret: string, more: { email?: string; name?: string; password?: string } = {}) {
      const { email = 'ada@example.com', name = 'Ada', password } = more
      if (password !== undefined) return post('/links/redeem', { secret, email, name, password })
      const { body } = await post('/links/passkey-options', { secret, email, name })
      const passkey = body?.options && authenticator.make(body.options)
      return post('/links/redeem', { secret, email, name, passkey })
    },
    async signIn() {
      const { body } = await post('/sign-in/passkey-options')
      return post('/sign-in/passkey', { passkey: authenticator.use(body.options) })
    },
    async prove() {
      const { body } = await post('/proof/passkey-options')
      return post('/proof', { passkey: authenticator.use(body.options) })
    },
    signInByPassword: (email: string, password: string) => post('/sign-in/password', { email, password }),
  }
}

/** One request over HTTP, with any headers: those of browsers and a Host of its own, too. */
export async function exchange(
  url: string,
  {
    method = 'GET',
    headers = {},
    body = '',
  }: {
    method?: string
    headers?: Record<string, string>
    body?: string
  } = {},
): Promise<Reply> {
  const sent = request(url, {
    method,
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  const text = Buffer.concat(parts).toString()
  const is_json = response.headers['content-type']?.startsWith('application/json')
  return {
    status: response.statusCode!,
    headers: response.headers,
    set_cookies: response.headers['set-cookie'] ?? [],
    text,
    body: is_json && text !== '' ? JSON.parse(text) : null,
  }
}

/** The secret at the end of a link. */
export function secretOf(url: string): string {
  return /#\w+=([\w-]{43})$/.exec(url)![1]!
}

/** A link as the command line makes it. */
export async function linkFor(service: Service, asked: Partial<NewLink> = {}): Promise<string> {
  const { url } = await makeLink(
    service.context,
    { purpose: 'welcome', email: null, user_id: null, merchant_id: null, role: null, is_operator: false, ...asked },
    { actor: 'operator', request_id: null, by: 'jo' },
  )
  return secretOf(url)
}

let made = 0

/** A person with a passkey and a role at the service's merchant, signed in. */
export async function newMember(
  service: Service,
  {
    role = 'owner',
    merchant_id = service.account.merchant_id,
    is_operator = false,
    password,
    host,
  }: {
    role?: Role
    merchant_id?: string
    is_operator?: boolean
    password?: string
    host?: string
  } = {},
) {
  const person = newPerson(service, { ...(host && { host }) })
  const email = `person-${++made}@example.com`
  const secret = await linkFor(service, { email, merchant_id, role, is_operator })
  const redeemed = await person.redeem(secret, {
    email,
    name: 'Jo Doe',
    ...(password && { password }),
  })
  if (redeemed.status !== 200) throw new Error(redeemed.text)
  const { body } = await person.get('/me')
  return {
    ...person,
    email,
    merchant_id,
    user_id: body.user.user_id as string,
    recovery_codes: redeemed.body.recovery_codes as string[],
  }
}

export type TeamMember = Awaited<ReturnType<typeof newMember>>

/** What an authenticator app shows at a time. */
export function codeAt(secret: string, at: Date): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() })
}
