// The SQL of kept assets: the scripts of every version, for pages that still ask for them.

import type { Sql } from '../database/open.ts'

const kept_ms = 400 * 24 * 3600 * 1000

/**
 * Stores the assets that this process serves, so that processes of the next version can serve them, too. A path names its
 * bytes, so those that are there already are not sent again.
 */
export async function keepAssets(sql: Sql, assets: { path: string; body: Buffer }[], now: Date): Promise<void> {
  const all = assets.map(({ path }) => path)
  const rows = await sql<{ path: string }[]>`
    update page_assets set served_at = ${now} where path = any(${all}) returning path`
  const knownPaths = new Set(rows.map(({ path }) => path))
  const missing = assets.filter(({ path }) => !knownPaths.has(path))
  if (missing.length === 0) return
  const paths = missing.map(({ path }) => path)
  const bodies = missing.map(({ body }) => body.toString('base64'))
  await sql`
    insert into page_assets (path, body, served_at)
    select path, decode(body, 'base64'), ${now}
    from unnest(${paths}::text[], ${bodies}::text[]) as asset (path, body)
    on conflict (path) do update set served_at = excluded.served_at`
}

export async function findAsset(sql: Sql, path: string): Promise<Buffer | null> {
  const [row] = await sql<{ body: Buffer }[]>`select body from page_assets where path = ${path}`
  return row?.body ?? null
}

/** Deletes assets with which no process has started for 400 days. Returns how many it deleted. */
export async function purgeAssets(sql: Sql, now: Date): Promise<number> {
  const { count } = await sql`
    delete from page_assets where served_at < ${new Date(now.getTime() - kept_ms)}`
  return count
}
