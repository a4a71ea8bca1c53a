// The npm package, used from outside as a shop would: its types hold, and a server may import it.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const shop = mkdtempSync(`${tmpdir()}/ripper-shop-`)
const place = join(shop, 'node_modules/@ripper/checkout-js')

beforeAll(() => {
  mkdirSync(place, { recursive: true })
  const { status, stderr } = run([join(root, 'scripts/pack-checkout-js.mjs'), place])
  expect(stderr).toBe('')
  expect(status).toBe(0)
  writeFileSync(join(shop, 'package.json'), '{"type":"module"}')
})

afterAll(() => rmSync(shop, { recursive: true }))

function run(args: string[]) {
  return spawnSync(process.execPath, args, { cwd: shop, encoding: 'utf8' })
}

function check(code: string) {
  writeFileSync(join(shop, 'shop.ts'), code)
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2022,dom', '--types']
  return run([join(root, 'node_modules/typescript/bin/tsc'), ...flags, '', 'shop.ts'])
}

const use = `import { loadCheckout, type ConfirmResult } from '@ripper/checkout-js'
const ripper = await loadCheckout('rip_pk_x', { src: 'https://pay.example/checkout.js' })
const checkout = ripper.checkout({ clientSecret: 'cs_x', appearance: { theme: 'dark' } })
checkout.on('decline', ({ attempts_left }) => console.log(attempts_left + 1))
checkout.mount('#pay')
const result: ConfirmResult = await checkout.confirm()
`

test('its types take what the guide writes', () => {
  expect(check(use).stdout).toBe('')
})

test('its types refuse what is wrong', () => {
  const { stdout, status } = check(`${use}checkout.on('payed', () => {})\nresult.status = 'paid'\n`)
  expect(status).not.toBe(0)
  expect(stdout).toMatch(/payed/)
  expect(stdout).toMatch(/"paid"/)
})

test('a server may import it, and paying there fails with a reason', () => {
  writeFileSync(
    join(shop, 'server.js'),
    `import { loadCheckout } from '@ripper/checkout-js'
await loadCheckout('rip_pk_x', { src: 'https://pay.example/checkout.js' }).catch(({ code }) => console.log(code))`,
  )
  expect(run(['server.js']).stdout).toBe('not_in_browser\n')
})

test('it has what it needs and nothing more', () => {
  const files = readdirSync(place, { recursive: true }).filter((name) => /\./.test(String(name)))
  expect(files.sort()).toEqual([
    'README.md',
    'checkout/api.d.ts',
    'checkout/api.js',
    'npm/index.d.ts',
    'npm/index.js',
    'package.json',
    'shared/protocol.d.ts',
    'shared/protocol.js',
  ])
})
