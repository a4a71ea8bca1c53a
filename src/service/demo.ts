// The demo merchant, with which a newcomer takes a first payment. It is created once, and demo.json stores its keys.

import { join } from 'node:path'
import { readFile, replaceFile } from '../config/owner.ts'
import { isUniqueViolation } from '../database/failures.ts'
import { permissions } from '../http/access.ts'
import { moveOrigin } from '../merchants/change-integration.ts'
import type { PriceListItem } from '../merchants/integration.ts'
import { createIntegration, createKey, createMerchant, demo_key_name, type ManageContext } from '../merchants/manage.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { findMerchant, findMerchantByHandle, listIntegrations } from '../merchants/store.ts'
import type { DemoShop } from '../pages/demo-shop.ts'

export type Demo = {
  base_url: string
  pay_url: string
  merchant_id: string
  secret_key: string
  publishable_key: string
  handle: string
  integration: string
  demo_page_url: string
  dashboard_url: string
}

const demo_name = 'Demo merchant'
const handle = 'demo'
const own_integrations = ['hosted', 'default']

const priceList: PriceListItem[] = [
  { sku: 'tea', name: 'Breakfast tea, 250 g', unit_amount: 850, currency: 'GBP', tax_rate: 0 },
  { sku: 'pot', name: 'Stoneware teapot', unit_amount: 4200, currency: 'GBP', tax_rate: 2000 },
  { sku: 'cup', name: 'Stoneware cup', unit_amount: 1200, currency: 'GBP', tax_rate: 2000 },
]

/** Finds or creates the demo merchant, and writes demo.json (mode 0600) with the addresses of this start. */
export async function keepDemo(
  parts: Pick<ManageContext, 'sql' | 'ids' | 'clock'>,
  {
    data_dir,
    base_url,
    pay_url,
    dashboard_url,
  }: {
    data_dir: string
    base_url: string
    pay_url: string
    dashboard_url: string
  },
): Promise<Demo> {
  const context: ManageContext = { ...parts, actor: 'service' }
  const earlier = readDemo(data_dir)
  const merchant_id = await demoMerchant(context, base_url, earlier)
  await keepOrigin(context, merchant_id, { before: earlier, base_url })
  const keys =
    earlier?.merchant_id === merchant_id
      ? { secret_key: earlier.secret_key, publishable_key: earlier.publishable_key }
      : await makeKeys(context, merchant_id)
  const demo: Demo = {
    base_url,
    pay_url,
    merchant_id,
    ...keys,
    handle,
    integration: 'default',
    demo_page_url: `${base_url}/demo`,
    dashboard_url,
  }
  replaceFile(demoPath(data_dir), `${JSON.stringify(demo, null, 2)}\n`)
  return demo
}

/** What the demo shop's own server needs. */
export function demoShopOf({ secret_key, publishable_key }: Demo): DemoShop {
  return { secret_key, publishable_key, handle, goods: priceList }
}

async function demoMerchant(context: ManageContext, base_url: string, demo: Demo | null): Promise<string> {
  const merchant_id = await findDemo(context, demo)
  if (merchant_id) return merchant_id
  try {
    return await makeDemo(context, base_url)
  } catch (error) {
    // Another process that also started for the first time was faster: its demo merchant serves both.
    const others_id = isUniqueViolation(error) && (await findDemo(context, demo))
    if (others_id) return others_id
    throw error
  }
}

/** The file holds keys of this merchant, so it must be the demo merchant and no other account. */
async function findDemo({ sql }: ManageContext, demo: Demo | null): Promise<string | null> {
  const isDemo = (merchant: Merchant | undefined) => merchant?.name === demo_name && !merchant.live
  // Its hosted page may have been deleted, or the file may belong to another database.
  const knownMerchant = demo ? await findMerchant(sql, demo.merchant_id) : undefined
  if (knownMerchant && isDemo(knownMerchant)) return knownMerchant.merchant_id
  const merchant = await findMerchantByHandle(sql, handle)
  if (!merchant) return null
  if (isDemo(merchant)) return merchant.merchant_id
  throw new Error(`The handle ${handle} belongs to another merchant, so no demo merchant can be made on this database.`)
}

/**
 * The port may differ from the last start, and the merchant's original integrations follow it. Integrations and origins
 * that people added stay as they are.
 */
async function keepOrigin(
  context: ManageContext,
  merchant_id: string,
  { before, base_url }: { before: Demo | null; base_url: string },
): Promise<void> {
  const known_url = before?.merchant_id === merchant_id ? before.base_url : ''
  const from = URL.parse(known_url)?.origin ?? null
  for (const { name, integration_id, deleted_at } of await listIntegrations(context.sql, merchant_id)) {
    if (!own_integrations.includes(name) || deleted_at !== null) continue
    await moveOrigin(context, integration_id, { from, to: new URL(base_url).origin })
  }
}

async function makeDemo(context: ManageContext, base_url: string): Promise<string> {
  const { merchant_id } = await createMerchant(context, {
    name: demo_name,
    live: false,
    live_enabled: false,
    acquiring_profile: null,
  })
  await createIntegration(context, merchant_id, {
    name: 'hosted',
    is_hosted_page: true,
    handle,
    allowed_origins: [new URL(base_url).origin],
    price_list: priceList,
  })
  await createIntegration(context, merchant_id, {
    name: 'default',
    is_default: true,
    allowed_origins: [new URL(base_url).origin],
  })
  return merchant_id
}

async function makeKeys(context: ManageContext, merchant_id: string) {
  const { secret_key, key } = await createKey(context, merchant_id, {
    name: demo_key_name,
    permissions: [...permissions],
    mode: 'any',
    allowed_addresses: [],
    allowed_origins: [],
    expires_at: null,
    pair: true,
  })
  return { secret_key, publishable_key: key.publishable_key! }
}

/** The file of the last start with a demo merchant, or null. */
export function readDemo(data_dir: string): Demo | null {
  try {
    return JSON.parse(readFile(demoPath(data_dir))) as Demo
  } catch {
    return null
  }
}

export function demoPath(data_dir: string): string {
  return join(data_dir, 'demo.json')
}
