// What an upgrade must not break: pages opened before it, and shops that fixed the version of the script they load.

import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { keepAssets, purgeAssets } from '../../src/pages/asset-store.ts'
import { useService } from '../support/use-service.ts'

const old = Buffer.from('window.Ripper = { version: "0.0.1" }')
const path = `/assets/${createHash('sha256').update(old).digest('hex').slice(0, 16)}/checkout.js`
const at = new Date('2026-01-01T00:00:00Z')

const service = await useService()

test('a script of an earlier version is still served, under its own address', async () => {
  expect((await fetch(service.base_url + path)).status).toBe(404)
  await keepAssets(service.sql, [{ path, body: old }], at)
  const answer = await fetch(service.base_url + path)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('cache-control')).toContain('immutable')
  expect(answer.headers.get('content-type')).toContain('text/javascript')
  expect(await answer.text()).toBe(old.toString())
})

test('every asset of this version is kept for the next', async () => {
  const kept = await service.sql<{ path: string }[]>`select path from page_assets`
  const script = await (await fetch(`${service.base_url}/checkout.js`)).text()
  const part = /\/assets\/[0-9a-f]{16}\/three-ds\.js/.exec(script)![0]
  expect(kept.map((row) => row.path)).toContain(part)
  expect(kept.filter((row) => row.path !== path)).toHaveLength(10)
})

test('a row whose content is not what its address says is no script', async () => {
  const forged = path.replace(/[0-9a-f]{4}\//, '0000/')
  await keepAssets(service.sql, [{ path: forged, body: Buffer.from('alert(1)') }], at)
  expect((await fetch(service.base_url + forged)).status).toBe(404)
})

test('what nothing has started with for 400 days is deleted, and starting with it anew saves it', async () => {
  const days = (count: number) => new Date(at.getTime() + count * 24 * 3600 * 1000)
  await keepAssets(service.sql, [{ path, body: old }], days(1))
  await service.sql`delete from page_assets where path <> ${path}`
  expect(await purgeAssets(service.sql, days(401))).toBe(0)
  expect(await purgeAssets(service.sql, days(402))).toBe(1)
})
