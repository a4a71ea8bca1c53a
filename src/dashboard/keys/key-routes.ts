// Keys at the dashboard: the list, a new one, which is shown once, and the end of one.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { type Permission, permissions } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { type Mode, timestamp, timestampOrNull } from '../../kernel/values.ts'
import { shownName } from '../../merchants/change-integration.ts'
import { type KeySummary, listKeys } from '../../merchants/key-store.ts'
import { createKey, type MadeKey, type NewKey, withdrawKey, withdrawPublishableKey } from '../../merchants/manage.ts'
import { judgedBy, listMembers, type Member, notThere, permissionDenied } from '../../users/member.ts'
import type { StaffPermission } from '../../users/roles.ts'
import { signedIn } from '../../users/signed-in.ts'
import { officeOf } from '../office.ts'

const shared = { tag: 'Dashboard', dialect: 'dashboard' as const }
const keyModes = ['any', 'test_only', 'live_only'] as const

const keyView = z.object({
  /** Null for a publishable key by itself. */
  key_id: z.string().nullable(),
  name: z.string().nullable(),
  /** The first eight hex digits of its SHA-256; null for a publishable key by itself. */
  fingerprint: z.string().nullable(),
  publishable_key: z.string().nullable(),
  permissions: z.array(z.string()),
  mode: z.enum(keyModes),
  state: z.enum(['usable', 'revoked', 'expired']),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  /** To within an hour. */
  last_used_at: z.string().nullable(),
  /** The person who made it here; null for one that was made elsewhere. */
  made_by: z.string().nullable(),
  /** Whether that person is no member any more, or is disabled. */
  maker_has_left: z.boolean(),
})

export const listKeysHere = route({
  where: 'whole',
  ...shared,
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/keys',
  summary: 'The keys of the merchant, oldest first',
  access: signedIn('manage_keys', { mode: 'any' }),
  status: 200,
  reply: z.object({ keys: z.array(keyView) }),
  refusals: [],
  handle: async ({ sql }: Context, { holder, now }) => {
    const keys = await listKeys(sql, holder.merchant_id)
    const members = await listMembers(sql, holder.merchant_id)
    const active = members.filter(({ disabled_at }) => disabled_at === null)
    const memberIds = new Set(active.map(({ user_id }) => user_id))
    return { keys: keys.map((key) => viewKey(key, { now, memberIds })) }
  },
})

export const createKeyHere = route({
  where: 'whole',
  ...shared,
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/keys',
  summary: 'Make a secret key, which is shown only now',
  access: signedIn('manage_keys', { gravity: 'grave', mode: modeOfNewKey }),
  // A repeat gets the first answer with its secret: whoever lost that answer would otherwise hold a key that nobody knows.
  idempotency: 'optional',
  body: z.strictObject({
    name: shownName,
    permissions: z.array(z.enum(permissions)).min(1),
    mode: z.enum(keyModes),
  }),
  status: 201,
  reply: z.object({
    key_id: z.string(),
    secret_key: z.string(),
    publishable_key: z.string().nullable(),
  }),
  refusals: ['permission_denied'],
  handle: async (context: Context, { holder, body, request_id, recordReply }) => {
    // A key for tests must have no say in what the page of the live shop may do.
    const pair = body.mode === 'test_only' ? 'own' : true
    const asked: NewKey = {
      name: body.name,
      permissions: [...new Set(body.permissions)],
      mode: body.mode,
      allowed_addresses: [],
      allowed_origins: [],
      expires_at: null,
      pair,
    }
    const member = judgedBy(holder, (now) => refuseMoreThanOwn(now, body))
    const office = officeOf(context, member, request_id)
    const made = await createKey(office, holder.merchant_id, asked, (made) => recordReply(viewMade(made)))
    return viewMade(made)
  },
})

export const revokeKeyHere = route({
  where: 'whole',
  ...shared,
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/keys/{key_id}/revoke',
  summary: 'Revoke a secret key, or a publishable key, for every process at once',
  access: signedIn('manage_keys', { gravity: 'grave', mode: modeOfKey }),
  body: z.strictObject({}),
  body_optional: true,
  status: 204,
  reply: z.null(),
  refusals: [],
  handle: async (context: Context, { holder, params, request_id }) => {
    const id = params.key_id!
    if ((await keysOf(context, holder.merchant_id, id)).length === 0) throw notThere()
    const office = officeOf(context, holder, request_id)
    if (id.startsWith('rip_pk_')) await withdrawPublishableKey(office, id)
    else await withdrawKey(office, id)
    return null
  },
})

function viewMade({ secret_key, key: { key_id, publishable_key } }: MadeKey) {
  return { key_id, secret_key, publishable_key }
}

/** What a key can do by a permission: reads, streams and endpoints of keys mask no shopper. */
const keyPowers: Record<Permission, StaffPermission[]> = {
  create_payments: ['create_payments'],
  read_transactions: ['read_transactions', 'read_shoppers', 'read_requests'],
  manage_webhooks: ['manage_webhooks', 'read_shoppers', 'replay_deliveries'],
  decide_holds: ['decide_holds'],
  refund_payments: ['refund_payments'],
}

/** A key can never do what its maker may not, in a mode in which it can be used. */
function refuseMoreThanOwn(
  { can }: Member,
  asked: { permissions: Permission[]; mode: (typeof keyModes)[number] },
): void {
  const modes: Mode[] = asked.mode === 'test_only' ? ['test'] : ['test', 'live']
  const powers = asked.permissions.flatMap((each) => keyPowers[each])
  const missing = powers.find((each) => !modes.every((mode) => can(each, mode)))
  if (missing) throw permissionDenied(missing)
}

async function modeOfNewKey(_: Context, _ids: Record<string, string>, body: () => unknown): Promise<Mode> {
  return (body() as { mode?: unknown } | undefined)?.mode === 'test_only' ? 'test' : 'live'
}

async function modeOfKey(context: Context, ids: Record<string, string>): Promise<Mode | null> {
  const found = await keysOf(context, ids.merchant_id ?? '', ids.key_id ?? '')
  if (found.length === 0) return null
  return found.every(({ mode, key_id }) => mode === 'test_only' && key_id !== null) ? 'test' : 'live'
}

/** The key of an id; of a publishable key all that are paired with it. */
async function keysOf({ sql }: Pick<Context, 'sql'>, merchant_id: string, id: string): Promise<KeySummary[]> {
  const keys = await listKeys(sql, merchant_id)
  return keys.filter(({ key_id, publishable_key }) => id === key_id || id === publishable_key)
}

/** For a publishable key by itself, its own end counts. */
function viewKey(key: KeySummary, { now, memberIds }: { now: Date; memberIds: Set<string> }): z.input<typeof keyView> {
  const { key_id, name, publishable_key, mode, created_at, expires_at, made_by } = key
  const revoked_at = key_id === null ? key.publishable_key_revoked_at : key.revoked_at
  const is_expired = expires_at !== null && expires_at <= now
  return {
    key_id,
    name,
    fingerprint: key.fingerprint,
    publishable_key,
    permissions: key.permissions,
    mode,
    state: revoked_at ? 'revoked' : is_expired ? 'expired' : 'usable',
    created_at: timestamp(created_at),
    expires_at: timestampOrNull(expires_at),
    revoked_at: timestampOrNull(revoked_at),
    last_used_at: timestampOrNull(key.last_used_at),
    made_by,
    maker_has_left: made_by !== null && !memberIds.has(made_by),
  }
}
