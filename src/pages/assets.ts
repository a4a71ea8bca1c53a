// The scripts and style sheets that were built from web/. The address of each names its content, so it never changes.

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Sql } from '../database/open.ts'
import { namesTag } from '../http/caching.ts'
import { encodedOnce } from '../http/encoded.ts'
import type { EncodedContent, Page, PageAnswer } from '../http/pages.ts'
import { inlineText } from '../kernel/html.ts'
import type { Context } from '../payments/context.ts'
import { findAsset, keepAssets } from './asset-store.ts'

const asset_names = [
  'checkout.js',
  'three-ds.js',
  'card-fields.js',
  'card-fields.css',
  'pay.js',
  'pay.css',
  'demo.js',
  'demo.css',
] as const
export type AssetName = (typeof asset_names)[number]

/** For the people who work here; shoppers never load them. */
const dashboardNames = { script: 'dashboard.js', style: 'dashboard.css' } as const
const file_names = [...asset_names, ...Object.values(dashboardNames)]
type FileName = (typeof file_names)[number]
export type DashboardAssets = { script: Asset; style: Asset }

export type Asset = {
  name: FileName
  text: string
  /** `/assets/{hash}/{name}`. The content at this address never changes. */
  path: string
  /** For the attribute `integrity`. */
  integrity: string
  /** For a content security policy that allows the text inline. */
  sha256: string
  encoded: EncodedContent
}

export type Assets = Record<AssetName, Asset>

const folder = new URL('../../dist/web/', import.meta.url)

/** The styles that checkout.js and its part carry in themselves. */
const carried_names = ['checkout.css', 'three-ds.css']

let carried: string[] | null = null

/** The sources of all styles of a checkout, for pages of ours. Browsers that construct no style sheet put them into the page. */
export function checkoutStyles(assets: Assets): string[] {
  carried ??= carried_names.map((name) => inlineText(readFileSync(new URL(name, folder)).toString()).sha256)
  return [assets['card-fields.css'].sha256, ...carried]
}

let own: Assets | null = null

/** Reads the files that the set-up built, once in a process. Throws if one is missing. */
export function readAssets(): Assets {
  own ??= assetsOf((name) => readFileSync(new URL(name, folder)))
  return own
}

export function assetsOf(bytesOf: (name: AssetName) => Buffer): Assets {
  return Object.fromEntries(asset_names.map((name) => [name, assetOf(name, bytesOf(name))])) as Assets
}

let ownDashboard: DashboardAssets | null = null

/** Null in a build without the dashboard. Reads its files once in a process. */
export function readDashboardAssets(): DashboardAssets | null {
  ownDashboard ??= findDashboardAssets()
  return ownDashboard
}

function findDashboardAssets(): DashboardAssets | null {
  const { script, style } = dashboardNames
  const paths = [script, style].map((name) => new URL(name, folder))
  if (!paths.every((path) => existsSync(path))) return null
  const read = (name: FileName) => assetOf(name, readFileSync(new URL(name, folder)))
  return { script: read(script), style: read(style) }
}

function assetOf(name: FileName, bytes: Buffer): Asset {
  return {
    ...inlineText(bytes.toString()),
    name,
    path: pathOf(name, bytes),
    integrity: `sha384-${createHash('sha384').update(bytes).digest('base64')}`,
    encoded: encodedOnce(bytes),
  }
}

function pathOf(name: string, bytes: Buffer): string {
  return `/assets/${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}/${name}`
}

/** Stores the assets for processes of later versions. */
export async function keepForLater(
  sql: Sql,
  now: Date,
  assets: Assets,
  dashboard: DashboardAssets | null = null,
): Promise<void> {
  const all = [...Object.values(assets), ...Object.values(dashboard ?? {})]
  const files = all.map(({ path, text }) => ({ path, body: Buffer.from(text) }))
  await keepAssets(sql, files, now)
}

/** The pages of the assets, and `/checkout.js`, which is always the newest. */
export function assetPages(assets: Assets, dashboard: DashboardAssets | null = null): Page<Context>[] {
  const all = [...Object.values(assets), ...Object.values(dashboard ?? {})]
  const byPath = new Map(all.map((asset) => [asset.path, asset]))
  const earlier = keepEarlier()
  return [
    {
      method: 'GET',
      path: '/checkout.js',
      handle: async (_context, { caller }) => {
        const asset = assets['checkout.js']
        const etag = `"${asset.integrity.slice(7, 39)}"`
        const headers = { ...assetHeaders(asset), 'cache-control': 'public, max-age=300', etag }
        return namesTag(caller.header('if-none-match'), etag)
          ? { status: 304, body: '', headers }
          : { status: 200, body: asset.text, encoded: asset.encoded, headers }
      },
    },
    {
      method: 'GET',
      path: '/assets/{hash}/{name}',
      handle: async ({ sql }, { params }) => {
        const path = `/assets/${params.hash}/${params.name}`
        const asset = byPath.get(path) ?? (await earlier(sql, path))
        return asset ? immutable(asset) : missing
      },
    },
  ]
}

/** More versions than callers ask of one process. Each is compressed once, too. */
const earlier_max = 32

function keepEarlier(): typeof findEarlier {
  const cache = new Map<string, Asset>()
  return async (sql, path) => {
    const cachedAsset = cache.get(path)
    if (cachedAsset) return cachedAsset
    const earlierAsset = await findEarlier(sql, path)
    if (earlierAsset === null) return null
    if (cache.size >= earlier_max) cache.delete(cache.keys().next().value!)
    cache.set(path, earlierAsset)
    return earlierAsset
  }
}

/** An asset of another version: of an older one, or of the version to which an upgrade is under way. */
async function findEarlier(sql: Sql, path: string): Promise<Asset | null> {
  const name = file_names.find((each) => path.endsWith(`/${each}`))
  const body = name && /^\/assets\/[0-9a-f]{16}\//.test(path) && (await findAsset(sql, path))
  if (!name || !body) return null
  // Even if the row was changed, no other script may be served under this address.
  return pathOf(name, body) === path ? assetOf(name, body) : null
}

const missing: PageAnswer = {
  status: 404,
  body: 'There is no such file.\n',
  headers: { 'content-type': 'text/plain; charset=utf-8' },
}

function immutable(asset: Asset): PageAnswer {
  const headers = { ...assetHeaders(asset), 'cache-control': 'public, max-age=31536000, immutable' }
  return { status: 200, body: asset.text, encoded: asset.encoded, headers }
}

/** The headers of an asset, except how long caches may keep it. */
export function assetHeaders({ name }: Pick<Asset, 'name'>): Record<string, string> {
  const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
  return {
    'content-type': `${type}; charset=utf-8`,
    'x-content-type-options': 'nosniff',
    // A browser asks with CORS for a script that has an integrity attribute. The script contains no secret.
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
    vary: 'Accept-Encoding',
  }
}
