// The scripts and style sheets of pages: named by their hash, kept for ever, compressed beforehand.

import { createHash } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { tagsOf } from '../support/markup.ts'
import { useServedPages } from '../support/served-pages.ts'

const { service, pages, read } = await useServedPages()

/** What the linked scripts and style sheets of a page are, with their integrity. */
async function linkedBy(path: string): Promise<{ path: string; integrity: string }[]> {
  const tags = tagsOf((await read(path)).text)
  return tags.flatMap(({ attributes }) => {
    const url = attributes.get('src') ?? attributes.get('href') ?? 'data:,'
    if (url === 'data:,') return []
    expect(attributes.has('crossorigin')).toBe(true)
    expect(url.startsWith(`${service.base_url}/assets/`)).toBe(true)
    return [{ path: new URL(url).pathname, integrity: attributes.get('integrity')! }]
  })
}

describe('scripts and style sheets', () => {
  test.each([
    ['pay', ['checkout.js', 'pay.css', 'pay.js']],
    ['demo', ['checkout.js', 'demo.css', 'demo.js']],
  ] as const)('of %s have their integrity and may be kept for ever', async (page, files) => {
    const links = await linkedBy(pages[page])
    expect(links.map(({ path }) => path.split('/').at(-1)).sort()).toEqual(files)
    for (const { path, integrity } of links) {
      const { status, bytes, headers } = await read(path)
      expect(status).toBe(200)
      expect(integrity).toBe(`sha384-${createHash('sha384').update(bytes).digest('base64')}`)
      const type = path.endsWith('.css') ? 'text/css' : 'text/javascript'
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': `${type}; charset=utf-8`,
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        vary: 'Accept-Encoding',
      })
    }
  })

  test.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Buffer) => bytes],
  ] as const)('Accept-Encoding %s', async (accepted, encoding, unpack) => {
    const { path } = (await linkedBy(pages.pay))[0]!
    const plain = await read(path)
    const packed = await read(path, { 'accept-encoding': accepted })
    expect(packed.headers['content-encoding']).toBe(encoding)
    expect(unpack(packed.bytes).equals(plain.bytes)).toBe(true)
    expect(packed.bytes.length < plain.bytes.length).toBe(encoding !== undefined)
  })

  test('of another version are not there, and that is not kept', async () => {
    const { path } = (await linkedBy(pages.pay))[0]!
    const [, , hash, file] = path.split('/')
    for (const other of [`/assets/0123456789abcdef/${file}`, `/assets/${hash}/x.js`]) {
      const { status, headers } = await read(other)
      expect(status).toBe(404)
      expect(headers['cache-control']).toBe('no-store')
    }
  })

  test('/checkout.js is the newest, and is not sent again to those who have it', async () => {
    const links = await linkedBy(pages.demo)
    const pinned = await read(links.find(({ path }) => path.endsWith('/checkout.js'))!.path)
    const { status, headers, bytes } = await read('/checkout.js')
    expect(status).toBe(200)
    expect(bytes.equals(pinned.bytes)).toBe(true)
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'content-type': 'text/javascript; charset=utf-8',
    })
    const etag = headers.etag!
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`]) {
      const again = await read('/checkout.js', { 'if-none-match': known })
      expect(again).toMatchObject({ status: 304, text: '' })
      expect(again.headers.etag).toBe(etag)
    }
    expect((await read('/checkout.js', { 'if-none-match': '"x"' })).status).toBe(200)
  })
})
