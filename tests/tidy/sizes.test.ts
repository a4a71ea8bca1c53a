// How much browsers load, a shopper's and a merchant's: limits that a change must not cross unnoticed.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import sizeLimitFile from '@size-limit/file'
import sizeLimit from 'size-limit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../support/service.ts'

const folder = mkdtempSync(`${tmpdir()}/ripper-sizes-`)
let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

/** In bytes, as gzip leaves them. */
async function gzipSize(path: string): Promise<number> {
  const checks = [{ files: [path], gzip: true }]
  const [{ size }] = (await sizeLimit([sizeLimitFile], { checks })) as [{ size: number }]
  return size
}

const built = (name: string) => fileURLToPath(new URL(`../../dist/web/${name}`, import.meta.url))

test.each([
  ['checkout.js', 6_350],
  ['three-ds.js', 5_300],
  ['dashboard.js', 231_500],
  ['dashboard.css', 20_000],
])('%s has at most %i bytes', async (name, limit) => {
  expect(await gzipSize(built(name))).toBeLessThanOrEqual(limit)
})

test.each(['en', 'ar', 'ja', 'de'])('the card fields in %s have at most 20,000 bytes', async (locale) => {
  const key = service.account.publishable_key
  const document = await fetch(`${service.base_url}/card-fields/${key}?locale=${locale}`)
  expect(document.status).toBe(200)
  const html = await document.text()
  // All that the frame loads: nothing is asked for from elsewhere.
  expect(html).not.toMatch(/<link(?! rel="icon" href="data:,")|<script src|@import|url\(/)
  const path = `${folder}/card-fields-${locale}.html`
  writeFileSync(path, html)
  expect(await gzipSize(path)).toBeLessThanOrEqual(20_000)
})
