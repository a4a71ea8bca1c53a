// Who is calling: the secret key of a merchant's server, or the client secret of one session.
// Rules that need to know more than keys, such as those of publishable keys, stand in the room that knows it.

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
  /** Null where any address may call. */
  allowed_addresses: BlockList | null
  allowed_origins: string[]
  expires_at: Date | null
  revoked_at: Date | null
}

/** One session, proven by its client secret. */
export type SessionHolder = { session_id: SessionId; merchant_id: MerchantId }

/** What the transport says of the caller. */
export type Caller = { address: string; origin: string | null; header(name: string): string | null }

/** Looks credentials up for the access rules; the room that knows the keys supplies it. */
export type Access = {
  findSecretKey(hash: string): Promise<SecretKey | null>
  /** Called for each request that a key lets in. */
  noteUse(key: SecretKey, at: Date): void
  findSession(session_id: string, client_secret: string): Promise<SessionHolder | null>
  now(): Date
}

/** What an access rule may read of a request. */
export type AccessRequest<Context> = {
  access: Access
  method: string
  context: Context
  caller: Caller
  params: Record<string, string>
  /** As in the address: a parameter that was sent twice is a list. */
  query: Record<string, unknown>
  /** The parsed body, before validation. Throws the Refusal of one that cannot be read. */
  body(): unknown
  /** Called with the merchant, and its secret key, as soon as they are proven; the request may still be refused. */
  recognise(merchant_id: string, key_id?: string): void
}

/** Whose idempotency keys a create uses. */
export type KeyScope = { merchant_id: string; audience: string }

export type AccessRule<Context, Holder> = {
  /** 'open' where no header is needed: the key, if there is one, is in the path or the body. */
  kind: 'secret_key' | 'bearer_key' | 'client_secret' | 'signed_in' | 'open'
  permission: string | null
  /** Every code that the rule, and the check whether the account may act at all, refuse with. */
  refusals: readonly RefusalCode[]
  check(request: AccessRequest<Context>): Promise<Holder>
  /** Null where no route with this rule creates anything. */
  keyScope: ((holder: Holder) => KeyScope) | null
  /** The mode to which the holder is bound, null for both; left out where nobody is. Routes then have a `mode`. */
  onlyMode?: (holder: Holder) => Mode | null
}

/** Who acts for a merchant, as the journal names them: its server by a key, or a person at the dashboard. */
export function actorOf(holder: { key_id: string } | { user_id: string }): `key ${string}` | `user ${string}` {
  return 'user_id' in holder ? `user ${holder.user_id}` : `key ${holder.key_id}`
}

/** The mode that keys are bound to, by their own. */
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

/** Where a request carries its key. */
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
    // Keys of a merchant's server, of its tests and of its shoppers' browsers are kept apart, so none can claim another's.
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
  const presented = place.read(caller)
  if (!presented) throw new Refusal(codes.unknown, `Send a secret key ${place.words}.`)
  const key = await access.findSecretKey(hashOfKey(presented).toString('hex'))
  if (!key) {
    const words = presented.startsWith('rip_pk_')
      ? 'That is a publishable key, which is for pages. Send the secret key that belongs to it.'
      : 'The secret key is not known.'
    throw new Refusal(codes.unknown, words)
  }
  return key
}

/** The secret key that a request carries, wherever it carries it; null where there is none. What it may do is not checked. */
export async function bearerOf(access: Pick<Access, 'findSecretKey'>, caller: Caller): Promise<SecretKey | null> {
  const presented = inOwnHeader.read(caller) ?? inAuthorization.read(caller)
  if (!presented?.startsWith('rip_sk_')) return null
  return access.findSecretKey(hashOfKey(presented).toString('hex'))
}

/** Whose secret key a request carries, if it can be used, wherever from and whatever for; else null. */
export async function merchantOfKey(
  access: Pick<Access, 'findSecretKey' | 'now'>,
  caller: Caller,
): Promise<string | null> {
  const key = await bearerOf(access, caller).catch(() => null)
  if (!key || key.revoked_at) return null
  return key.expires_at === null || key.expires_at > access.now() ? key.merchant_id : null
}

/** Throws the first refusal that a key's restrictions cause, in order of precedence. */
function judgeKey(
  key: SecretKey,
  { permission, codes }: { permission: Permission; codes: KeyCodes },
  caller: Pick<Caller, 'address' | 'origin'>,
  now: Date,
): void {
  // Whenever it was revoked: a clock that is behind must not accept a key that another process revoked.
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
