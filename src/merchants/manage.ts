// What an operator does to accounts: make and change merchants, integrations and keys. Each tells every process.

import type { Sql } from '../database/open.ts'
import { Refusal } from '../errors.ts'
import { hashOfKey } from '../http/access.ts'
import type { Ids } from '../ids.ts'
import type { MerchantId } from '../values.ts'
import type { Clock } from '../world.ts'
import { defaultRules, type Integration } from './integration.ts'
import type { Merchant } from './merchant.ts'
import {
  findMerchant,
  insertIntegration,
  insertKey,
  insertMerchant,
  insertPublishableKey,
  type KeyRow,
  newestPublishableKey,
  type RevokedPublishableKey,
  replaceLoopbackOrigins,
  revokeKey,
  revokePublishableKey,
  tell,
  updateMerchant,
} from './store.ts'

export type Office = { sql: Sql; ids: Ids; clock: Clock }

export async function createMerchant(
  { sql, ids, clock }: Office,
  asked: Pick<Merchant, 'name' | 'live' | 'live_enabled' | 'acquiring_profile'>,
): Promise<Merchant> {
  const merchant: Merchant = {
    ...asked,
    merchant_id: ids.merchant(),
    routing: ids.routing(),
    status: 'active',
    created_at: clock.now(),
  }
  await insertMerchant(sql, merchant)
  return merchant
}

export async function changeMerchant(
  { sql }: Office,
  merchantId: string,
  change: Partial<Omit<Merchant, 'merchant_id' | 'routing' | 'created_at'>>,
): Promise<Merchant> {
  const merchant = { ...(await merchantOrRefuse(sql, merchantId)), ...change }
  await sql.begin(async (tx) => {
    await updateMerchant(tx, merchant)
    await tell(tx, merchantId)
  })
  return merchant
}

export type NewIntegration = Pick<Integration, 'name'> & Partial<Integration>

/** Makes an integration, and a publishable key where the merchant has none yet. */
export async function createIntegration(
  { sql, ids, clock }: Office,
  merchantId: string,
  asked: NewIntegration,
): Promise<{ integration: Integration; publishable_key: string }> {
  await merchantOrRefuse(sql, merchantId)
  const integration: Integration = {
    ...defaultRules,
    ...asked,
    merchant_id: merchantId,
    integration_id: ids.integration(),
    created_at: clock.now(),
  }
  await insertIntegration(sql, integration)
  return { integration, publishable_key: await publishableKeyOf({ sql, ids, clock }, merchantId) }
}

export type NewKey = Pick<
  KeyRow,
  'permissions' | 'mode' | 'allowed_addresses' | 'allowed_origins' | 'expires_at'
> & { pair: boolean }

/** Makes a secret key, shown here and never again. With `pair` it is paired with a publishable key. */
export async function createKey(
  office: Office,
  merchantId: string,
  asked: NewKey,
): Promise<{ secret_key: string; key: KeyRow }> {
  const { sql, ids, clock } = office
  await merchantOrRefuse(sql, merchantId)
  const { pair, ...restrictions } = asked
  const secret_key = ids.secretKey()
  const key: KeyRow = {
    ...restrictions,
    key_id: ids.key(),
    merchant_id: merchantId,
    key_hash: hashOfKey(secret_key),
    publishable_key: pair ? await publishableKeyOf(office, merchantId) : null,
    created_at: clock.now(),
    revoked_at: null,
  }
  await sql.begin(async (tx) => {
    await insertKey(tx, key)
    // What its publishable key may do is decided by all secret keys paired with it.
    await tell(tx, merchantId)
  })
  return { secret_key, key }
}

/** Lets the pages of an origin use all integrations of a merchant, instead of what was its service's before. */
export async function moveOrigin(
  { sql }: Pick<Office, 'sql'>,
  merchant_id: string,
  origin: string,
): Promise<void> {
  await sql.begin(async (tx) => {
    if (await replaceLoopbackOrigins(tx, { merchant_id, origin })) await tell(tx, merchant_id)
  })
}

export async function withdrawKey({ sql, clock }: Office, keyId: string): Promise<KeyRow> {
  return sql.begin(async (tx) => {
    const key = await revokeKey(tx, keyId, clock.now())
    if (!key) throw new Refusal('resource_not_found', `There is no key ${keyId}.`)
    await tell(tx, key.merchant_id)
    return key
  })
}

export async function withdrawPublishableKey(
  { sql, clock }: Office,
  publishableKey: string,
): Promise<RevokedPublishableKey> {
  return sql.begin(async (tx) => {
    const key = await revokePublishableKey(tx, publishableKey, clock.now())
    if (!key) throw new Refusal('resource_not_found', `There is no key ${publishableKey}.`)
    await tell(tx, key.merchant_id)
    return key
  })
}

async function publishableKeyOf({ sql, ids, clock }: Office, merchantId: string): Promise<string> {
  const newest = await newestPublishableKey(sql, merchantId)
  if (newest) return newest
  const publishable_key = ids.publishableKey()
  await insertPublishableKey(sql, {
    publishable_key,
    merchant_id: merchantId,
    created_at: clock.now(),
  })
  return publishable_key
}

/** Throws `resource_not_found`. */
export async function merchantOrRefuse(sql: Sql, merchantId: string): Promise<Merchant> {
  const merchant = await findMerchant(sql, merchantId as MerchantId)
  if (!merchant) throw new Refusal('resource_not_found', `There is no merchant ${merchantId}.`)
  return merchant
}
