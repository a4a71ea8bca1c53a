// The table that all packages pass, for Node's and, where it is here, Python's. `npm run packages` has the others.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openApiDocument } from '../../src/documents/openapi/openapi.ts'
import { version } from '../../src/kernel/version.ts'
import { routes } from '../../src/routes.ts'
import { node, packages_folder, python } from '../support/package-driver.ts'
import { judgeVectors, vectors } from '../support/package-vectors.ts'

for (const { name, missing, open } of [node, python]) {
  describe.skipIf(missing)(missing ? `${name} ${missing}` : name, () => judgeVectors(open))
}

test('has a call for each route that a merchant’s server calls, and no other', () => {
  const { paths } = openApiDocument(routes)
  const served = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security }]) => security.some((each) => 'secret_key' in each))
      .map(([method]) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{id}')}`),
  )
  const called = vectors.calls.map(({ line }) =>
    line.split('?')[0]!.replace(/\/(?:\w+_\d\w*|[0-9a-f]{32})(?=\/|$)/g, '/{id}'),
  )
  expect([...new Set(called)].toSorted()).toEqual(served.toSorted())
})

test.each([
  ['python/pyproject.toml', /^version = "(.+)"$/m, /^dependencies = \[\]$/m],
  [
    'php/composer.json',
    /"version": "(.+)"/,
    /"require": \{\s*"php": "[^"]+",\s*"ext-curl": "\*",\s*"ext-json": "\*"\s*\}/,
  ],
  ['go/README.md', /ripper-checkout@v(\S+) /, /ripper-checkout/],
  ['go/go.mod', null, /^module ripper-checkout\n\ngo [\d.]+\n$/],
])('%s has the service’s version, and no dependencies', (path, versionAt, nothing) => {
  const text = readFileSync(join(packages_folder, path), 'utf8')
  if (versionAt) expect(versionAt.exec(text)![1]).toBe(version())
  expect(text).toMatch(nothing)
})
