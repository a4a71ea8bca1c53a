// Nothing in the documentation leads nowhere: side list, search, links between guides, and whatever address the product prints.

import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inlineDocument } from '../../src/documents/openapi/openapi.ts'
import { guideFiles } from '../../src/documents/site/guide-files.ts'
import { documentation } from '../../src/documents/site/pages.ts'
import { checkoutErrors } from '../../src/documents/site/reference.ts'
import { apiRefusals } from '../../src/kernel/errors.ts'
import { events, routes, streams } from '../../src/routes.ts'
import { operationalPages } from '../../src/service/operational.ts'
import type { Json } from '../support/client.ts'
import { tagsOf } from '../support/markup.ts'

const root = resolve(import.meta.dirname, '../..')
const pages = documentation(inlineDocument(routes, events, streams), guideFiles())
const served = operationalPages({ now: false }).map(({ path }) => path)
const index_path = '/docs/search.json'
/** Reading them fails if one of them is not written as our pages are. */
const tags = new Map(
  [...pages].flatMap(([path, { body }]) => (path === index_path ? [] : [[path, tagsOf(body)] as const])),
)

function anchorsOf(path: string): string[] {
  return (tags.get(path) ?? []).flatMap(({ attributes }) => attributes.get('id') ?? [])
}

/** Whether an address is one that the service has, with its anchor. */
function isThere(href: string, from: string): boolean {
  const { pathname, hash, origin } = new URL(href, `http://service${from}`)
  if (origin !== 'http://service') return true
  if (!served.includes(pathname)) return false
  return hash === '' || anchorsOf(pathname).includes(decodeURIComponent(hash.slice(1)))
}

test('every page is served', () => {
  expect([...pages.keys()].filter((path) => !served.includes(path))).toEqual([])
  expect([...pages.keys()]).toEqual(expect.arrayContaining(['/docs', '/docs/webhooks', '/README', '/sdk/README']))
})

describe.each([...tags.keys()])('%s', (path) => {
  test('has no anchor twice', () => {
    const anchors = anchorsOf(path)
    expect(anchors.filter((each, at) => anchors.indexOf(each) !== at)).toEqual([])
  })

  test('leads only to what is there', () => {
    const hrefs = tags.get(path)!.flatMap(({ attributes }) => attributes.get('href') ?? [])
    expect(hrefs.length).toBeGreaterThan(40)
    const inner = hrefs.filter((href) => !href.startsWith('data:'))
    expect(inner.filter((href) => !isThere(href, path))).toEqual([])
  })
})

test('the search finds only what is there', () => {
  const entries: Json[] = JSON.parse(pages.get(index_path)!.body)
  expect(entries.length).toBeGreaterThan(150)
  expect(entries.filter(({ href }) => !isThere(href, '/docs'))).toEqual([])
})

/** `docs_url` of an error leads to `/docs#` and its code. */
test('every code of the API and of checkout.js has its place', () => {
  const codes = [...apiRefusals.map(([code]) => code), ...Object.keys(checkoutErrors)]
  expect(codes.filter((code) => !anchorsOf('/docs').includes(code))).toEqual([])
})

test('checkout.js has no code besides those', () => {
  const sources = readdirSync(join(root, 'web'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(root, 'web', path), 'utf8'))
  const thrown = /(?:RipperError|failure|failed)\(\s*(?:\w+ \?\? )?'([a-z_]+)'|\?\? '(\w+_error)'/g
  const codes = sources.flatMap((source) => [...source.matchAll(thrown)].map(([, first, second]) => first ?? second!))
  const own = codes.filter((code) => !apiRefusals.some(([known]) => known === code))
  expect(new Set(own)).toEqual(new Set(Object.keys(checkoutErrors)))
})

test('what commands print of the documentation has its place', () => {
  const sources = readdirSync(join(root, 'src/cli'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(root, 'src/cli', path), 'utf8'))
  const named = sources.flatMap((source) => [...source.matchAll(/"([^"]+)" in (docs\/[\w/-]+\.md)/g)])
  expect(named.length).toBeGreaterThan(3)
  const missing = named.filter(([, title, path]) => {
    const text = readFileSync(join(root, path!), 'utf8')
    return !new RegExp(`^(#+ .*|\\*\\*)${title}`, 'm').test(text)
  })
  expect(missing.map(([words]) => words)).toEqual([])
})
