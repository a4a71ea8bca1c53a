// Who is calling: the secret key of a merchant's server, or the client secret of one session. Rules that need more than
// keys, such as those of publishable keys, are in the rooms that know it.

import { hash } from 'node:crypto'
import type { BlockList } from 'node:net'
import { Refusal, type RefusalCode } from '../kernel/errors.ts'
import type { MerchantId, Mode, SessionId } from '../kernel/values.ts'

export const permissions = [
  'create_payments',
  'read_transactions',
  'manage_webhooks',
  'decide_holds',
  'refund_payments',
] as const
export type Permission = (typeof permissions)[number]

/** A secret key with the restrictions on its use. */
export type SecretKey = {
  key_id: string
  merchant_id: MerchantId
  permissions: Permission[]
  mode: 'any' | 'test_only' | 'live_only'
  publishable_key: string | null
  /** Null if any address may call. */
  allowed_addresses: BlockList | null
  allowed_origins: string[]
  expires_at: Date | null
  revoked_at: Date | null
}

/** One session, proven by its client secret. */
export type SessionHolder = { session_id: SessionId; merchant_id: MerchantId }

/** What the transport reports about the caller. */
export type Caller = { address: string; origin: string | null; header(name: string): string | null }

/** Looks up credentials for the access rules; the room of the keys supplies it. */
export type Access = {
  findSecretKey(hash: string): Promise<SecretKey | null>
  /** Called for each request that a key admits. */
  noteUse(key: SecretKey, at: Date): void
  findSession(session_id: string, client_secret: string): Promise<SessionHolder | null>
  now(): Date
}

/** The parts of a request that an access rule may read. */
export type AccessRequest<Context> = {
  access: Access
  method: string
  context: Context
  caller: Caller
  params: Record<string, string>
  /** In the form of the address: a repeated parameter is a list. */
  query: Record<string, unknown>
  /** The parsed body, before validation. Throws the Refusal of an unreadable body. */
  body(): unknown
  /** Called with the merchant, and its secret key, as soon as they are proven; the request may still be refused. */
  recognise(merchant_id: string, key_id?: string): void
}

/** The scope of a create's idempotency keys. */
export type KeyScope = { merchant_id: string; audience: string }

export type AccessRule<Context, Holder> = {
  /** 'open' if no header is needed: the key, if there is one, is in the path or the body. */
  kind: 'secret_key' | 'bearer_key' | 'client_secret' | 'signed_in' | 'open'
  permission: string | null
  /** All refusals of the rule, and of the check whether the account may act at all. */
  refusals: readonly RefusalCode[]
  check(request: AccessRequest<Context>): Promise<Holder>
  /** Null if no route with this rule creates anything. */
  keyScope: ((holder: Holder) => KeyScope) | null
  /**
   * The mode to which the holder is bound, or null for both. Left out if no holder is bound. Routes of a rule that has
   * it also have a `mode`.
   */
  onlyMode?: (holder: Holder) => Mode | null
}

/** The actor of the journal who acts for a merchant: its server by a key, or a person in the dashboard. */
export function actorOf(holder: { key_id: string } | { user_id: string }): `key ${string}` | `user ${string}` {
  return 'user_id' in holder ? `user ${holder.user_id}` : `key ${holder.key_id}`
}

/** The mode to which a key is bound, by the mode of the key. */
const onlyModes = { any: null, test_only: 'test', live_only: 'live' } as const

/** The refusal for each fault of a key, in order of precedence. */
type KeyCodes = Record<'unknown' | 'revoked' | 'expired' | 'address' | 'origin' | 'permission', RefusalCode>

const plainCodes: KeyCodes = {
  unknown: 'unauthorized',
  revoked: 'key_revoked',
  expired: 'unauthorized',
  address: 'unauthorized',
  origin: 'unauthorized',
  permission: 'permission_denied',
}

const webhookCodes: KeyCodes = {
  unknown: 'unknown_principal',
  revoked: 'key_revoked',
  expired: 'key_expired',
  address: 'key_ip_blocked',
  origin: 'key_origin_blocked',
  permission: 'key_permission_denied',
}

/** The place of the key in a request. */
type KeyPlace = { read(caller: Caller): string | null; words: string }

const inOwnHeader: KeyPlace = {
  read: (caller) => caller.header('x-service-api-key'),
  words: 'in the header X-Service-Api-Key',
}

const inAuthorization: KeyPlace = {
  read(caller) {
    const [, scheme, credential] = /^(bearer|basic) +(\S+) *$/i.exec(caller.header('authorization') ?? '') ?? []
    if (!scheme || !credential) return null
    if (scheme.toLowerCase() === 'bearer') return credential
    const [user, ...password] = Buffer.from(credential, 'base64').toString().split(':')
    return password.join(':') === '' ? user! : null
  },
  words: 'as Authorization: Bearer, or as the user name of Authorization: Basic with no password',
}

/** A merchant's secret key with a permission, in `X-Service-Api-Key`. */
export function secretKey(permission: Permission): AccessRule<unknown, SecretKey> {
  return keyRule(permission, plainCodes, ['merchant_not_active'])
}

/** The same key in `Authorization`: as a bearer token, or as a user name without a password. */
export function bearerKey(permission: Permission): AccessRule<unknown, SecretKey> {
  const rule = keyRule(permission, plainCodes, ['merchant_not_active'], inAuthorization)
  return { ...rule, kind: 'bearer_key' }
}

/**
 * The same for webhook routes, whose refusals say more about the key. A suspended account may still manage its
 * endpoints.
 */
export const webhookKey = keyRule('manage_webhooks', webhookCodes, [])

function keyRule(
  permission: Permission,
  codes: KeyCodes,
  admission: RefusalCode[],
  place: KeyPlace = inOwnHeader,
): AccessRule<unknown, SecretKey> {
  return {
    kind: 'secret_key',
    permission,
    refusals: [...new Set([...Object.values(codes), ...admission])],
    check: async ({ access, caller, recognise }) => {
      const key = await presentedKey(access, caller, { codes, place })
      recognise(key.merchant_id, key.key_id)
      const now = access.now()
      judgeKey(key, { permission, codes }, caller, now)
      access.noteUse(key, now)
      return key
    },
    // The keys of a merchant's server, of its tests and of its shoppers' browsers have separate scopes, so none can
    // claim another's.
    keyScope: ({ merchant_id, mode }) => ({
      merchant_id,
      audience: mode === 'test_only' ? 'test' : 'secret',
    }),
    onlyMode: ({ mode }) => onlyModes[mode],
  }
}

/** The session's client secret, in `Rip-Client-Secret`. */
export const clientSecret: AccessRule<unknown, SessionHolder> = {
  kind: 'client_secret',
  permission: null,
  refusals: ['unauthorized'],
  check: async ({ access, caller, params, recognise }) => {
    const secret = caller.header('rip-client-secret')
    const holder = secret && (await access.findSession(params.session_id ?? '', secret))
    // A wrong secret and an unknown session must not differ in any byte.
    if (!holder) throw new Refusal('unauthorized', 'The client secret is not one of this session.')
    recognise(holder.merchant_id)
    return holder
  },
  keyScope: null,
}

async function presentedKey(
  access: Access,
  caller: Caller,
  { codes, place }: { codes: KeyCodes; place: KeyPlace },
): Promise<SecretKey> {
  const secret = place.read(caller)
  if (!secret) throw new Refusal(codes.unknown, `Send a secret key ${place.words}.`)
  const key = await access.findSecretKey(hashOfKey(secret).toString('hex'))
  if (!key) {
    const words = secret.startsWith('rip_pk_')
      ? 'That is a publishable key, which is for pages. Send the secret key that belongs to it.'
      : 'The secret key is not known.'
    throw new Refusal(codes.unknown, words)
  }
  return key
}

/** The secret key in a request, at any of its places; null if there is none. Its restrictions are not checked. */
export async function bearerOf(access: Pick<Access, 'findSecretKey'>, caller: Caller): Promise<SecretKey | null> {
  const secret = inOwnHeader.read(caller) ?? inAuthorization.read(caller)
  if (!secret?.startsWith('rip_sk_')) return null
  return access.findSecretKey(hashOfKey(secret).toString('hex'))
}

/**
 * The merchant of the secret key in a request, if the key can be used at all. Neither its place nor its permissions
 * matter.
 */
export async function merchantOfKey(
  access: Pick<Access, 'findSecretKey' | 'now'>,
  caller: Caller,
): Promise<string | null> {
  const key = await bearerOf(access, caller).catch(() => null)
  if (!key || key.revoked_at) return null
  return key.expires_at === null || key.expires_at > access.now() ? key.merchant_id : null
}

/** Throws the first refusal by a key's restrictions, in order of precedence. */
function judgeKey(
  key: SecretKey,
  { permission, codes }: { permission: Permission; codes: KeyCodes },
  caller: Pick<Caller, 'address' | 'origin'>,
  now: Date,
): void {
  // The time of the revocation does not matter: a clock that is behind must not accept a key that another process
  // revoked.
  if (key.revoked_at) {
    throw new Refusal(codes.revoked, 'The secret key was revoked.')
  }
  if (key.expires_at && key.expires_at <= now) {
    throw new Refusal(codes.expired, 'The secret key has expired.')
  }
  if (key.allowed_addresses && !contains(key.allowed_addresses, caller.address)) {
    throw new Refusal(codes.address, 'The secret key may not be used from this address.')
  }
  if (key.allowed_origins.length > 0 && !(caller.origin && key.allowed_origins.includes(caller.origin))) {
    throw new Refusal(codes.origin, 'The secret key may not be used from this origin.')
  }
  if (!key.permissions.includes(permission)) {
    throw new Refusal(codes.permission, `The secret key lacks the permission ${permission}.`)
  }
}

/** SHA-256 of a key: 192 random bits need no slower hash, and only the hash is stored. */
export function hashOfKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

function contains(list: BlockList, address: string): boolean {
  const v4 = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  return v4 ? list.check(v4[1]!, 'ipv4') : list.check(address, 'ipv6')
}
