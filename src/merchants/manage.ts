// What an operator does to accounts: make and change merchants, integrations and keys. Each tells every process.

import type { Actor } from '../audit/journal.ts'
import type { Sql } from '../database/open.ts'
import { hashOfKey } from '../http/access.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import type { MerchantId } from '../kernel/values.ts'
import type { Clock } from '../kernel/world.ts'
import { integrationLines, lineOf, openLine } from './account-lines.ts'
import { defaultRules, type Integration } from './integration.ts'
import {
  insertKey,
  insertPublishableKey,
  type KeyRow,
  newestPublishableKey,
  type RevokedPublishableKey,
  revokeKey,
  revokePublishableKey,
} from './key-store.ts'
import type { Merchant } from './merchant.ts'
import {
  findMerchant,
  insertIntegration,
  insertMerchant,
  type MerchantChange,
  type Role,
  type RoleLoser,
  tell,
  updateMerchant,
} from './store.ts'

/** `actor` is who the journal says did it, `by` the name of the person where it is an operator. */
export type Office = { sql: Sql; ids: Ids; clock: Clock; actor: Actor; by?: string }

export async function createMerchant(
  office: Office,
  asked: Pick<Merchant, 'name' | 'live' | 'live_enabled' | 'acquiring_profile'>,
): Promise<Merchant> {
  const { sql, ids, clock } = office
  const merchant: Merchant = {
    ...asked,
    merchant_id: ids.merchant(),
    routing: ids.routing(),
    status: 'active',
    created_at: clock.now(),
  }
  const { merchant_id, live, live_enabled, created_at: at } = merchant
  const told = { change: 'merchant.created', detail: { live, live_enabled }, at }
  const line = lineOf(office, { merchant_id, subject: merchant_id, ...told })
  await sql.begin(async (tx) => {
    await insertMerchant(tx, merchant, line)
    // The first live merchant changes what a running service does for all.
    await tell(tx, merchant_id)
  })
  return merchant
}

/** Changes what is named and nothing else, so that two commands at once do not undo each other. */
export async function changeMerchant(
  office: Office,
  merchantId: string,
  change: MerchantChange,
): Promise<Merchant> {
  const { sql, clock } = office
  if (Object.keys(change).length === 0) return merchantOrRefuse(sql, merchantId)
  const line = openLine(office, { change: 'merchant.changed', at: clock.now() })
  return sql.begin(async (tx) => {
    const found = await updateMerchant(tx, merchantId, change, line)
    if (!found) throw noMerchant(merchantId)
    if (found.differing.length > 0) await tell(tx, merchantId)
    return { ...found.before, ...change }
  })
}

export type NewIntegration = Pick<Integration, 'name'> & Partial<Integration>

/**
 * Makes an integration, and a publishable key where the merchant has none yet. The roles in `take` are taken from the
 * integrations that have them. A role, name or handle that another has is a unique violation.
 */
export async function createIntegration(
  office: Office,
  merchantId: string,
  asked: NewIntegration,
  { take = [] }: { take?: Role[] } = {},
): Promise<{ integration: Integration; publishable_key: string; losers: RoleLoser[] }> {
  const { sql, ids, clock } = office
  await merchantOrRefuse(sql, merchantId)
  const integration: Integration = {
    ...defaultRules,
    ...asked,
    merchant_id: merchantId,
    integration_id: ids.integration(),
    created_at: clock.now(),
  }
  const taken = take.filter((role) => integration[role])
  const lines = integrationLines(office, integration)
  const losers = await insertIntegration(sql, integration, lines, taken)
  return { integration, publishable_key: await publishableKeyOf(office, merchantId), losers }
}

export type NewKey = Pick<
  KeyRow,
  'permissions' | 'mode' | 'allowed_addresses' | 'allowed_origins' | 'expires_at'
> & { pair: boolean | 'own' }

/**
 * Makes a secret key, shown here and never again. With `pair` it is paired with a publishable key: the merchant's newest, or
 * with `own` one that is made for it alone, whose mode no other secret key decides.
 */
export async function createKey(
  office: Office,
  merchantId: string,
  asked: NewKey,
): Promise<{ secret_key: string; key: KeyRow }> {
  const { sql, ids, clock } = office
  const merchant = await merchantOrRefuse(sql, merchantId)
  const { pair, ...restrictions } = asked
  const secret_key = ids.secretKey()
  const key: KeyRow = {
    ...restrictions,
    key_id: ids.key(),
    merchant_id: merchantId,
    key_hash: hashOfKey(secret_key),
    publishable_key: pair ? await pairOf(office, merchant, pair) : null,
    created_at: clock.now(),
    revoked_at: null,
  }
  const { key_id, created_at } = key
  const line = lineOf(office, {
    merchant_id: merchantId,
    subject: key_id,
    change: 'key.created',
    detail: { ...restrictions, publishable_key: key.publishable_key },
    at: created_at,
  })
  await sql.begin(async (tx) => {
    await insertKey(tx, key, line)
    // What its publishable key may do is decided by all secret keys paired with it.
    await tell(tx, merchantId)
  })
  return { secret_key, key }
}

export async function withdrawKey(office: Office, keyId: string): Promise<KeyRow> {
  const line = openLine(office, { change: 'key.revoked', at: office.clock.now() })
  return office.sql.begin(async (tx) => {
    const key = await revokeKey(tx, keyId, line)
    if (!key) throw new Refusal('resource_not_found', `There is no key ${keyId}.`)
    await tell(tx, key.merchant_id)
    return key
  })
}

export async function withdrawPublishableKey(
  office: Office,
  publishableKey: string,
): Promise<RevokedPublishableKey> {
  const line = openLine(office, { change: 'publishable_key.revoked', at: office.clock.now() })
  return office.sql.begin(async (tx) => {
    const key = await revokePublishableKey(tx, publishableKey, line)
    if (!key) throw new Refusal('resource_not_found', `There is no key ${publishableKey}.`)
    await tell(tx, key.merchant_id)
    return key
  })
}

async function pairOf(office: Office, merchant: Merchant, pair: true | 'own'): Promise<string> {
  const { merchant_id, created_at } = merchant
  if (pair === true) return publishableKeyOf(office, merchant_id)
  // Older than any other: the hosted page and the next secret key take the newest, and this is for neither.
  const older = new Date(created_at.getTime() - 1)
  return makePublishableKey(office, merchant_id, older)
}

async function publishableKeyOf(office: Office, merchantId: string): Promise<string> {
  const newest = await newestPublishableKey(office.sql, merchantId)
  return newest ?? makePublishableKey(office, merchantId, office.clock.now())
}

async function makePublishableKey(
  office: Office,
  merchant_id: string,
  created_at: Date,
): Promise<string> {
  const { sql, ids, clock } = office
  const publishable_key = ids.publishableKey()
  const told = { change: 'publishable_key.created', at: clock.now() }
  const line = lineOf(office, { merchant_id, subject: publishable_key, ...told })
  await insertPublishableKey(sql, { publishable_key, merchant_id, created_at }, line)
  return publishable_key
}

/** Throws `resource_not_found`. */
export async function merchantOrRefuse(sql: Sql, merchantId: string): Promise<Merchant> {
  const merchant = await findMerchant(sql, merchantId as MerchantId)
  if (!merchant) throw noMerchant(merchantId)
  return merchant
}

function noMerchant(merchantId: string): Refusal {
  return new Refusal('resource_not_found', `There is no merchant ${merchantId}.`)
}
