// The README's own lines, run as they stand.

import { chmodSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { prelude, withChanges } from '../support/guide-blocks.ts'
import { serve, shell, talkShell } from '../support/programs.ts'
import { removeData } from '../support/setup-database.ts'

const read = (path: string) => readFileSync(resolve(import.meta.dirname, '../..', path), 'utf8')
const readme = read('README.md')
const folder = mkdtempSync(join(tmpdir(), 'ripper-readme-'))
// The server of a run as root is another user's.
chmodSync(folder, 0o711)
let service: Awaited<ReturnType<typeof serve>>

beforeAll(async () => {
  service = await serve({ cwd: folder, env: { RIPPER_DATA_DIR: '.ripper', RIPPER_PORT: '0' } })
}, 60_000)

afterAll(async () => {
  const { status } = await service.stop()
  removeData(join(folder, '.ripper'))
  removeData(folder)
  expect(status).toBe(0)
})

test('the first payment ends captured, with liability shifted', async () => {
  const [, script] = /<!-- first-payment -->\n```sh\n([\s\S]*?)```/.exec(read('docs/first-payment.md'))!
  const { stdout, stderr, status } = await shell(script!, { cwd: folder })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  const [state, payment] = stdout.split('\n')
  expect(state).toBe('authenticated')
  expect(JSON.parse(payment!)).toMatchObject({
    status: 'captured',
    authentication: { outcome: 'Authenticated', liability_shifted: true },
    order_reference: 'order-1001',
    order_reference_captured_payments: 1,
  })
}, 60_000)

test('a small server sends a shopper to pay the order', async () => {
  const [, lines] = /<!-- server.mjs -->\n```js\n([\s\S]*?)```/.exec(readme)!
  const any_port = `server.listen(0, () => console.log('port', server.address().port))`
  writeFileSync(join(folder, 'server.mjs'), withChanges(lines!, { 'server.listen(4000)': any_port }))
  const program = talkShell('exec node server.mjs', { cwd: folder })
  await program.says(/^port \d+$/m)
  const [, port] = /^port (\d+)$/m.exec(program.said())!
  const sent = await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' })
  expect(sent.status).toBe(303)
  const { href, hash } = new URL(sent.headers.get('location')!)
  expect(href).toMatch(`${service.said.base_url}/pay/demo#cs_`)
  const [id] = hash.slice(1).split('_secret_')
  const answer = await fetch(`${service.said.base_url}/v1/checkout/sessions/${id}/state`, {
    headers: { 'rip-client-secret': hash.slice(1) },
  })
  expect(await answer.json()).toMatchObject({
    session: { amount: 4200, currency: 'GBP', status: 'requires_payment' },
  })
  const thanks = await fetch(`http://127.0.0.1:${port}/thanks?payment_id=pay_1`)
  expect([thanks.status, await thanks.text()]).toEqual([200, 'Thank you'])
  await program.stop()
})

test('and the shopper comes back to it', async () => {
  const [, line] = /<!-- back -->\n```sh\n([\s\S]*?)```/.exec(readme)!
  const merchant_id = service.said.merchant_id!
  const script = prelude + withChanges(line!, { 'm_…': merchant_id })
  const place = { cwd: folder, env: { RIPPER_DATA_DIR: '.ripper' } }
  const { status, stderr } = await shell(script, place)
  expect([status, stderr]).toEqual([0, ''])
  const listed = await shell(`${prelude}npx ripper integration list --json`, place)
  expect(JSON.parse(listed.stdout).integrations).toContainEqual(
    expect.objectContaining({
      name: 'twenty-lines',
      is_default: true,
      confirmation_url: 'http://localhost:4000/thanks',
    }),
  )
})

test('the picture is small', () => {
  const [, path] = /!\[[^\]]+\]\((docs\/[\w.]+)\)/.exec(readme)!
  expect(statSync(resolve(import.meta.dirname, '../..', path!)).size).toBeLessThan(150_000)
})

test('demo.json is for its owner alone, and names what the specification lists', () => {
  const path = join(folder, '.ripper', 'demo.json')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const demo = JSON.parse(readFileSync(path, 'utf8'))
  expect(demo).toEqual({
    base_url: service.said.base_url,
    pay_url: `${service.said.base_url}/pay`,
    merchant_id: expect.stringMatching(/^m_[0-9a-f]{24}$/),
    secret_key: expect.stringMatching(/^rip_sk_[0-9a-f]{48}$/),
    publishable_key: expect.stringMatching(/^rip_pk_[0-9a-f]{48}$/),
    handle: 'demo',
    integration: 'default',
    demo_page_url: `${service.said.base_url}/demo`,
    dashboard_url: expect.stringMatching(/^http:\/\/localhost:\d+\/dashboard$/),
  })
})
