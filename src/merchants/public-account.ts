// How a page names an account, by a publishable key or a handle, and which pages may use the account.

import type { SecretKey } from '../http/access.ts'
import { type Account, type Directory, defaultIntegration, integrationOf } from './directory.ts'
import type { Integration, IntegrationRules } from './integration.ts'

/** An account and one of its integrations, found by a page. The account may be suspended. */
export type PublicAccount = {
  account: Account
  integration: Integration
  public_key: string
  /** The mode of the sessions that the key may create; its secret keys decide it. */
  key_mode: SecretKey['mode']
}

/** Null for a publishable key that is malformed, unknown or revoked, and for an integration that does not exist. */
export async function findPublic(
  directory: Directory,
  { public_key, integration }: { public_key: string; integration: string | null },
): Promise<PublicAccount | null> {
  const key = await usablePublishableKey(directory, public_key)
  const account = key && (await directory.account(key.merchant_id))
  if (!account) return null
  const match =
    integration === null
      ? defaultIntegration(account)
      : account.integrations.find(({ name, deleted_at }) => name === integration && deleted_at === null)
  return match ? { account, integration: match, public_key, key_mode: key.key_mode } : null
}

/** The merchant whose hosted page has this handle, with its newest active publishable key; null if one is missing. */
export async function findHosted(directory: Directory, handle: string): Promise<PublicAccount | null> {
  if (!/^[a-z0-9-]{3,64}$/.test(handle)) return null
  const merchant_id = await directory.merchantIdOfHandle(handle)
  const account = merchant_id && (await directory.account(merchant_id))
  const integration = account && hostedIntegration(account)
  const public_key = merchant_id && (await directory.newestPublishableKey(merchant_id))
  // An integration keeps its handle after another one has become the hosted page's.
  if (!account || integration?.handle !== handle || !public_key) return null
  const key = await usablePublishableKey(directory, public_key)
  return key && { account, integration, public_key, key_mode: key.key_mode }
}

/** Finds a usable key. A text without the form of a key costs no read. */
export async function usablePublishableKey(directory: Directory, public_key: string) {
  return /^rip_pk_[0-9a-f]{48}$/.test(public_key) ? directory.publishableKey(public_key) : null
}

export function hostedIntegration(account: Account): Integration | null {
  return account.integrations.find(({ is_hosted_page }) => is_hosted_page) ?? null
}

type Addresses = { pay_url(): string }

/**
 * The origins whose pages may use an integration: those that it allows, and for the hosted page's integration also that
 * page's own.
 */
export function originsOf(
  addresses: Addresses,
  { allowed_origins, is_hosted_page }: Integration | IntegrationRules,
): string[] {
  return is_hosted_page ? [...new Set([...allowed_origins, hostedPageOrigin(addresses)])] : allowed_origins
}

/** The origins whose pages may continue a session: its integration's, and the hosted page's, which resumes every session. */
export function sessionOrigins(addresses: Addresses, account: Account, integration_id: string | null): string[] {
  return framingOrigins(addresses, account, integrationOf(account, integration_id))
}

/** The origins whose pages may frame an integration's card fields: those that may continue its sessions. */
export function framingOrigins(
  addresses: Addresses,
  account: Account,
  integration: Integration | IntegrationRules,
): string[] {
  // A shopper may still be on the hosted page of a deleted integration.
  const is_hosted_page = hostedIntegration(account) !== null || integration.deleted_at !== null
  return originsOf(addresses, { ...integration, is_hosted_page })
}

/** Whether some integration of the service allows an origin. */
export async function isKnownOrigin(
  { directory, addresses }: { directory: Directory; addresses: Addresses },
  origin: string,
): Promise<boolean> {
  if (origin === hostedPageOrigin(addresses)) return true
  return (await directory.allowedOrigins()).has(origin)
}

function hostedPageOrigin({ pay_url }: Addresses): string {
  return new URL(pay_url()).origin
}
