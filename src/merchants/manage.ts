// How an operator creates and changes merchants, integrations and keys. Each change is announced to every process.

import type { AnySql, Sql } from '../database/open.ts'
import { hashOfKey } from '../http/access.ts'
import type { KeyRow as IdempotencyKeyRow } from '../http/idempotency.ts'
import { storeKey } from '../http/key-gate.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import type { MerchantId } from '../kernel/values.ts'
import type { Clock } from '../kernel/world.ts'
import { accountLine, integrationLines, type LineWriter, openLine } from './account-lines.ts'
import { defaultRules, type Integration } from './integration.ts'
import {
  insertPublishableKey,
  insertSecretKey,
  newestPublishableKey,
  type RevokedPublishableKey,
  revokeKey,
  revokePublishableKey,
  type SecretKeyRow,
} from './key-store.ts'
import { type Merchant, refuseOwnFallback } from './merchant.ts'
import {
  findMerchant,
  type IntegrationRole,
  insertIntegration,
  insertMerchant,
  type MerchantChange,
  notifyOfChange,
  type RoleTransfer,
  updateMerchant,
} from './store.ts'
import { judgeTestConnections } from './test-connections.ts'
import { beginAs } from './write-as.ts'

/** Made by the service for its demo shop: nobody made it for a server. */
export const demo_key_name = 'demo'

/** The writer of the journal's lines, with what they write by. */
export type ManageContext = LineWriter & { sql: Sql } & ManageParts
type ManageParts = { ids: Ids; clock: Clock }

export type NewMerchant = Pick<Merchant, 'name' | 'live' | 'live_enabled' | 'acquiring_profile'>

/** Throws `invalid_request` for a profile whose fallback is its own acquirer. */
export async function createMerchant(context: ManageContext, request: NewMerchant): Promise<Merchant> {
  refuseOwnFallback(request.acquiring_profile)
  return beginAs(context.sql, context, (tx) => createMerchantIn(tx, context, request))
}

/** The same in a transaction that does more, for a profile that was judged. */
export async function createMerchantIn(
  tx: AnySql,
  context: LineWriter & ManageParts,
  request: NewMerchant,
): Promise<Merchant> {
  const { ids, clock } = context
  const merchant: Merchant = {
    ...request,
    merchant_id: ids.merchant(),
    routing: ids.routing(),
    status: 'active',
    created_at: clock.now(),
  }
  const { merchant_id, live, live_enabled, created_at: at } = merchant
  const fields = { change: 'merchant.created', detail: { live, live_enabled }, at }
  await insertMerchant(tx, merchant, accountLine(context, { merchant_id, subject: merchant_id, ...fields }))
  // The first live merchant changes how a running service behaves for all merchants.
  await notifyOfChange(tx, merchant_id)
  return merchant
}

/**
 * Changes only the members that are given, so that two commands at once do not undo each other. Throws `resource_not_found`, or
 * `invalid_request` for a profile whose fallback is its own acquirer.
 */
export async function changeMerchant(
  context: ManageContext,
  merchant_id: string,
  change: MerchantChange,
): Promise<Merchant> {
  const { sql, clock } = context
  if (Object.keys(change).length === 0) return merchantOrRefuse(sql, merchant_id)
  if (change.acquiring_profile) refuseOwnFallback(change.acquiring_profile)
  const line = openLine(context, { change: 'merchant.changed', at: clock.now() })
  return beginAs(sql, context, async (tx) => {
    const update = await updateMerchant(tx, merchant_id, change, line)
    if (!update) throw noMerchant(merchant_id)
    if (update.differing.length > 0) await notifyOfChange(tx, merchant_id)
    return { ...update.before, ...change }
  })
}

export type NewIntegration = Pick<Integration, 'name'> & Partial<Integration>

/**
 * Creates an integration, and a publishable key if the merchant has none yet. The roles in `take` are taken from the
 * integrations that have them. A role, name or handle that another integration has is a unique violation. Throws
 * `resource_not_found`, or `invalid_request` for a connection that test sessions cannot use.
 */
export async function createIntegration(
  context: ManageContext,
  merchant_id: string,
  request: NewIntegration,
  { take = [] }: { take?: IntegrationRole[] } = {},
): Promise<{ integration: Integration; publishable_key: string; losers: RoleTransfer[] }> {
  const { sql, ids, clock } = context
  await merchantOrRefuse(sql, merchant_id)
  const integration: Integration = {
    ...defaultRules,
    ...request,
    merchant_id,
    integration_id: ids.integration(),
    created_at: clock.now(),
  }
  const takenRoles = take.filter((role) => integration[role])
  const lines = integrationLines(context, integration)
  return beginAs(sql, context, async (tx) => {
    await judgeTestConnections(tx, integration)
    const losers = await insertIntegration(tx, integration, lines, takenRoles)
    const publishable_key = await publishableKeyOf({ ...context, sql: tx }, merchant_id)
    return { integration, publishable_key, losers }
  })
}

export type NewKey = Pick<
  SecretKeyRow,
  'permissions' | 'mode' | 'allowed_addresses' | 'allowed_origins' | 'expires_at'
> & {
  pair: boolean | 'own'
  /** What people call it. */
  name?: string | null
}

/** A key with its secret, which is known only now. */
export type MadeKey = { secret_key: string; key: SecretKeyRow }

/**
 * Creates a secret key, which is shown here and never again. `pair: true` pairs it with the merchant's newest publishable key.
 * `pair: 'own'` pairs it with a new publishable key, so that no other secret key decides that key's mode. `record` gives the
 * row of the request's idempotency key, if there is one; throws KeyTakenError, and makes nothing, where that is stored.
 */
export async function createKey(
  context: ManageContext,
  merchant_id: string,
  request: NewKey,
  record: (newKey: MadeKey) => IdempotencyKeyRow | null = () => null,
): Promise<MadeKey> {
  const { sql, ids, clock, actor } = context
  const merchant = await merchantOrRefuse(sql, merchant_id)
  const { pair, name = null, ...restrictions } = request
  const secret_key = ids.secretKey()
  return beginAs(sql, context, async (tx) => {
    const publishable_key = pair ? await pairOf({ ...context, sql: tx }, merchant, pair) : null
    const key: SecretKeyRow = {
      ...restrictions,
      name,
      key_id: ids.key(),
      merchant_id,
      key_hash: hashOfKey(secret_key),
      publishable_key,
      created_at: clock.now(),
      revoked_at: null,
      last_used_at: null,
      made_by: actor.startsWith('user ') ? actor.slice('user '.length) : null,
    }
    const newKey = { secret_key, key }
    await storeKey(tx, record(newKey))
    const { key_id: subject, created_at: at } = key
    const detail = { ...restrictions, publishable_key }
    const fields = { merchant_id, subject, change: 'key.created', detail, at }
    await insertSecretKey(tx, key, accountLine(context, fields))
    // All secret keys paired with a publishable key decide together what it may do.
    await notifyOfChange(tx, merchant_id)
    return newKey
  })
}

export async function withdrawKey(context: ManageContext, key_id: string): Promise<SecretKeyRow> {
  const line = openLine(context, { change: 'key.revoked', at: context.clock.now() })
  return beginAs(context.sql, context, async (tx) => {
    const key = await revokeKey(tx, key_id, line)
    if (!key) throw new Refusal('resource_not_found', `There is no key ${key_id}.`)
    await notifyOfChange(tx, key.merchant_id)
    return key
  })
}

export async function withdrawPublishableKey(
  context: ManageContext,
  publishable_key: string,
): Promise<RevokedPublishableKey> {
  const line = openLine(context, { change: 'publishable_key.revoked', at: context.clock.now() })
  return beginAs(context.sql, context, async (tx) => {
    const key = await revokePublishableKey(tx, publishable_key, line)
    if (!key) throw new Refusal('resource_not_found', `There is no key ${publishable_key}.`)
    await notifyOfChange(tx, key.merchant_id)
    return key
  })
}

/** In a transaction, too. */
type PairContext = LineWriter & { sql: AnySql } & ManageParts

async function pairOf(context: PairContext, merchant: Merchant, pair: true | 'own'): Promise<string> {
  const { merchant_id, created_at } = merchant
  if (pair === true) return publishableKeyOf(context, merchant_id)
  // Older than any other key, because the hosted page and the next secret key use the newest one.
  const older = new Date(created_at.getTime() - 1)
  return makePublishableKey(context, merchant_id, older)
}

async function publishableKeyOf(context: PairContext, merchant_id: string): Promise<string> {
  const newest = await newestPublishableKey(context.sql, merchant_id)
  return newest ?? makePublishableKey(context, merchant_id, context.clock.now())
}

async function makePublishableKey(context: PairContext, merchant_id: string, created_at: Date): Promise<string> {
  const { sql, ids, clock } = context
  const publishable_key = ids.publishableKey()
  const fields = { change: 'publishable_key.created', at: clock.now() }
  const line = accountLine(context, { merchant_id, subject: publishable_key, ...fields })
  await insertPublishableKey(sql, { publishable_key, merchant_id, created_at }, line)
  return publishable_key
}

/** Throws `resource_not_found`. */
export async function merchantOrRefuse(sql: Sql, merchant_id: string): Promise<Merchant> {
  const merchant = await findMerchant(sql, merchant_id as MerchantId)
  if (!merchant) throw noMerchant(merchant_id)
  return merchant
}

function noMerchant(merchant_id: string): Refusal {
  return new Refusal('resource_not_found', `There is no merchant ${merchant_id}.`)
}
