// three-ds.js is lent what it imports from checkout.js: nothing that it asks for is missing.

import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, expect, test, vi } from 'vitest'

vi.stubGlobal('document', { currentScript: { src: 'https://pay.example/checkout.js', nonce: '' } })
afterAll(() => vi.unstubAllGlobals())
// By a name that the compiler does not follow: a browser's types are not those of this test.
const lender = '../../web/checkout/part.ts'
const { kit } = (await import(lender)) as { kit: object }

const folder = new URL('../../web/three-ds/', import.meta.url)
const sources = readdirSync(folder).filter((name) => /(?<!\.test)\.ts$/.test(name))

/** By what scripts/build-web.mjs leaves out. */
const lent = /^import \{([^}]*)\} from '\.\.\/(?:checkout\/[\w-]+|shared\/(?:element|email))\.ts'/gm

test('every name that the part imports is in the kit, and no other', () => {
  const names = sources.flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(lent)].flatMap(([, list]) =>
      list!.split(',').flatMap((each) => /^\s*(\w+)\s*$/.exec(each)?.[1] ?? []),
    ),
  )
  expect([...new Set(names)].sort()).toEqual(Object.keys(kit).sort())
})
