// `ripper integration …`, `ripper merchant list` and `ripper key list`, on the database of a service that hears of each change.

import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Integration } from '../../src/merchants/integration.ts'
import { createMerchant } from '../../src/merchants/manage.ts'
import { findMerchantByHandle, listIntegrations } from '../../src/merchants/store.ts'
import { keepDemo } from '../../src/service/demo.ts'
import type { Json } from '../support/client.ts'
import { useOperated } from '../support/operated.ts'
import { answer as answerOf, ripper } from '../support/programs.ts'
import { type Account, shop, until } from '../support/service.ts'

const { service, folder, env } = await useOperated()
const answer = (...args: string[]) => answerOf(args, { env })
const run = (...args: string[]) => ripper(args, { env })

let account: Account
beforeAll(async () => {
  account = await service.newAccount()
})

const create = (name: string, ...args: string[]) =>
  answer('integration', 'create', '--merchant', account.merchant_id, '--name', name, ...args)

/** Those that are not deleted, read without a program of its own. */
async function listed(): Promise<Integration[]> {
  const all = await listIntegrations(service.sql, account.merchant_id)
  return all.filter(({ deleted_at }) => deleted_at === null)
}

const own = async () => (await listed()).find(({ is_default }) => is_default)!

const purchase = { amount: 850, currency: 'GBP', customer: { email: 'ada@example.com' } }

describe('the default', () => {
  test('is not taken from another unless asked, and the loser is named', async () => {
    const before = await own()
    const args = ['--merchant', account.merchant_id, '--name', 'second', '--default']
    const refused = await run('integration', 'create', ...args)
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain(`default (${before.integration_id}) is the merchant's default`)
    expect(refused.stderr).toContain('--replace-default')
    expect((await listed()).map(({ name }) => name)).toEqual(['default'])

    const taken = await run('integration', 'create', ...args, '--replace-default')
    expect(taken.status).toBe(0)
    expect(taken.stdout).toContain(`default (${before.integration_id}) is no longer the default`)
    expect((await own()).name).toBe('second')

    const back = await answer('integration', 'update', before.integration_id, '--replace-default')
    expect(back.replaced).toEqual([{ role: 'default', integration_id: expect.any(String), name: 'second' }])
    expect((await own()).name).toBe('default')
  }, 60_000)

  test('an update does not take it either', async () => {
    const { integration_id } = await create('third')
    const refused = await run('integration', 'update', integration_id, '--default')
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('--replace-de')])
    expect((await own()).name).toBe('default')
  })

  test('the hosted page is not taken from another unless asked', async () => {
    const one = await create('page-1', '--hosted-page', '--handle', 'page-1')
    const two = await create('page-2', '--handle', 'page-2')
    const args = ['integration', 'update', two.integration_id]
    const refused = await run(...args, '--hosted-page')
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain(`page-1 (${one.integration_id})`)
    const { replaced } = await answer(...args, '--replace-hosted-page')
    expect(replaced).toEqual([{ role: 'hosted_page', integration_id: one.integration_id, name: 'page-1' }])
    await answer(...args, '--no-hosted-page')
  }, 60_000)
})

describe('colours that cannot be read', () => {
  const unread = 'colorPrimary #2f5d46 has a contrast of 2.4 on #14181f;'
  const file = (appearance: object) => {
    const path = join(folder, 'appearance.json')
    writeFileSync(path, JSON.stringify(appearance))
    return ['--appearance', path]
  }
  const variables = { colorPrimary: '#2f5d46' }

  test.each([
    ['by either theme, where none is named', { variables }, [unread]],
    ['by either theme, where the device decides', { theme: 'auto', variables }, [unread]],
    ['by the theme that is named', { theme: 'dark', variables }, [unread]],
    ['not by another', { theme: 'light', variables }, []],
  ])('are named with their ratio: %s', async (_, appearance, expected) => {
    const { warnings = [] } = await create(`colours ${JSON.stringify(appearance)}`, ...file(appearance))
    expect(warnings).toEqual(expected.map((words) => expect.stringContaining(words)))
  })

  test('are reported to people, and at an update too', async () => {
    const { integration_id, warnings } = await create('in colour')
    expect(warnings).toBeUndefined()
    const { stdout } = await run('integration', 'update', integration_id, ...file({ variables }))
    expect(stdout).toContain(`\nWarning: ${unread}`)
    const renamed = await answer('integration', 'update', integration_id, '--name', 'in colours')
    expect(renamed.warnings).toBeUndefined()
  }, 60_000)
})

test('the address of a hosted page is said, and is the page', async () => {
  const { merchant_id } = await service.newAccount()
  const args = ['--merchant', merchant_id, '--name', 'page', '--hosted-page', '--handle', 'shown']
  const { status, stdout } = await run('integration', 'create', ...args)
  expect([status, stdout]).toEqual([0, expect.stringContaining('add # and its client_secret')])
  const pay_url = /^pay_url +(\S+)$/m.exec(stdout)?.[1]
  expect(pay_url).toBe(`${service.base_url}/pay/shown`)
  expect((await fetch(pay_url!)).status).toBe(200)
  expect(await create('no-page')).not.toHaveProperty('pay_url')
}, 60_000)

describe('an update', () => {
  test('changes only what is named, is journalled with its actor, and reaches pages at once', async () => {
    const { integration_id } = await create('web', '--origin', shop, '--capture-below', '500')
    const body = { ...purchase, public_key: account.publishable_key, integration: 'web' }
    const elsewhere = 'https://other.example'
    expect((await account.client.createFrom(elsewhere, body)).status).toBe(403)
    const changed = await answer(
      ...['integration', 'update', integration_id, '--add-origin', elsewhere],
      ...['--confirmation-url', `${shop}/thanks`, '--clear', 'capture-below'],
    )
    expect(changed).toMatchObject({
      integration_id,
      name: 'web',
      allowed_origins: [shop, elsewhere],
      confirmation_url: `${shop}/thanks`,
      capture_below: null,
      at_deadline: 'void',
    })
    const ask = () => account.client.createFrom(elsewhere, body)
    await until(ask, ({ status }) => status === 201)
    await answer('integration', 'update', integration_id, '--remove-origin', elsewhere)
    await until(ask, ({ status }) => status === 403)
    const lines = await service.sql`
      select change, actor, detail from journal where subject = ${integration_id} order by entry_id`
    expect(lines).toMatchObject([
      { change: 'integration.created' },
      {
        change: 'integration.changed',
        actor: 'operator',
        detail: {
          allowed_origins: [shop, elsewhere],
          capture_below: null,
          changed: ['confirmation_url'],
          by: expect.stringMatching(/./),
        },
      },
      { change: 'integration.changed', detail: { allowed_origins: [shop] } },
    ])
    expect(Object.keys(lines[1]!.detail).sort()).toEqual([...['allowed_origins', 'by', 'capture_below', 'changed']])
  }, 60_000)

  test('without effect writes nothing', async () => {
    const { integration_id } = await create('still', '--origin', shop)
    await answer('integration', 'update', integration_id, '--add-origin', shop)
    const lines = await service.sql`select 1 from journal where subject = ${integration_id}`
    expect(lines.length).toBe(1)
  })

  test.each<[string, string[], number, string]>([
    ['nothing', [], 2, 'names nothing to change'],
    ['an origin with a path', ['--add-origin', `${shop}/x`], 2, '--add-origin must be scheme'],
    ['one that it does not allow', ['--remove-origin', 'https://a.example'], 1, 'it allows https'],
    ['the one shoppers return to', ['--remove-origin', shop], 1, '--confirmation-url must be on'],
    ['a hosted page without a handle', ['--hosted-page'], 1, '--hosted-page needs --handle'],
    ['an escalation too late', ['--escalate-after-seconds', '432000'], 1, 'must be below'],
    ['set and cleared', ['--amount', '1', '--clear', 'amount'], 2, 'one of the two'],
    ['what cannot be cleared', ['--clear', 'name'], 2, '--clear must be one of'],
    ['on and off', ['--hosted-page', '--no-hosted-page'], 2, '--hosted-page or --no-hosted-page'],
    ["another one's name", ['--name', 'default'], 1, 'an integration named default already'],
  ])('of %s is refused, and nothing is changed', async (_, args, status, words) => {
    const found = (await listed()).find(({ name }) => name === 'strict')
    const { integration_id } =
      found ?? (await create('strict', '--origin', shop, '--confirmation-url', `${shop}/thanks`))
    const before = (await listed()).find(({ name }) => name === 'strict')
    const ended = await run('integration', 'update', integration_id, ...args)
    expect([ended.status, ended.stderr]).toEqual([status, expect.stringContaining(words)])
    expect((await listed()).find(({ name }) => name === 'strict')).toEqual(before)
  })

  test('of one that is not there', async () => {
    const { status, stderr } = await run('integration', 'update', 'int_0', '--name', 'x')
    expect([status, stderr]).toEqual([1, expect.stringContaining('There is no integration int_0')])
  })
})

describe('a deletion', () => {
  test('pages find it no more; sessions that are open end under its rules', async () => {
    const { client, publishable_key: public_key } = account
    const { integration_id } = await create(
      ...(['gone', '--origin', shop, '--hosted-page', '--handle', 'gone'] as const),
      ...['--capture-below', '5000'],
    )
    const body = { ...purchase, public_key, integration: 'gone' }
    const session = (await client.createFrom(shop, body)).body
    await client.present(session)
    const page = () => fetch(`${service.base_url}/pay/gone`)
    expect((await page()).status).toBe(200)

    const { status, stdout } = await run('integration', 'delete', integration_id)
    expect(status).toBe(0)
    expect(stdout).toContain('The hosted page gone answers 404 now.')
    await until(page, (answered) => answered.status === 404)
    expect((await client.createFrom(shop, body)).status).toBe(404)
    const at = `/v1/checkout/config/${public_key}?integration=gone`
    expect((await client.send('GET', at)).status).toBe(404)
    expect((await client.send('GET', '/v1/checkout/handles/gone')).status).toBe(404)

    const state = await client.send('GET', `/v1/checkout/sessions/${session.id}/state`, {
      headers: { 'rip-client-secret': session.client_secret, origin: shop },
    })
    expect(state.headers.get('access-control-allow-origin')).toBe(shop)
    // Its own rule, under which an amount that nothing verified waits below 50 pounds alone to be captured by the rules.
    const confirmed = await client.confirm(session)
    expect(confirmed.body.status).toBe('held')
    const [hold] = await service.sql`
      select is_below_limit from holds where payment_id = ${confirmed.body.payment_id}`
    expect(hold).toEqual({ is_below_limit: true })
    expect((await client.readPayment(confirmed.body.payment_id)).status).toBe(200)

    const [line] = await service.sql`
      select change, actor, detail from journal
      where subject = ${integration_id} order by entry_id desc limit 1`
    expect(line).toMatchObject({
      change: 'integration.deleted',
      actor: 'operator',
      detail: { is_hosted_page: false, by: expect.stringMatching(/./) },
    })
    const list = ['integration', 'list', '--merchant', account.merchant_id]
    const find = ({ integrations }: Json) => integrations.find((each: Json) => each.integration_id === integration_id)
    expect(find(await answer(...list))).toBeUndefined()
    const kept = find(await answer(...list, '--all'))
    expect(kept).toMatchObject({ handle: null, deleted_at: expect.stringMatching(/^\d{4}-/) })

    // Name and handle are free, and a second deletion finds nothing.
    await create('gone', '--handle', 'gone')
    const again = await run('integration', 'delete', integration_id)
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('no integration')])
  }, 60_000)

  test('of the default one wants a word more', async () => {
    const other = await service.newAccount()
    const { integration_id } = other.integration!
    const refused = await run('integration', 'delete', integration_id)
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('--leave-no-default')])
    await answer('integration', 'delete', integration_id, '--leave-no-default')
    const made = await until(other.client.create, ({ body }) => body.mode === 'test')
    expect(made.status).toBe(201)
  })
})

test.each([
  ['create', ['--name', 'Too early', '--live-enabled']],
  ['update', ['--live-enabled', 'true']],
  ['update', ['--live', 'false', '--live-enabled', 'true']],
])('an account that is not live has no switch to turn: merchant %s %j', async (verb, options) => {
  const named = verb === 'update' ? [account.merchant_id] : []
  const { status, stderr } = await ripper(['merchant', verb, ...named, ...options], { env })
  expect([status, stderr]).toEqual([1, expect.stringContaining('first --live true')])
  const { merchants } = await answer('merchant', 'list')
  expect(merchants.filter(({ live_enabled }: Json) => live_enabled)).toEqual([])
})

describe('lists', () => {
  test('merchants', async () => {
    const { merchants } = await answer('merchant', 'list')
    expect(merchants).toContainEqual({
      merchant_id: account.merchant_id,
      name: 'Tea & Sons',
      status: 'active',
      live: false,
      live_enabled: false,
      acquiring_profile: null,
      created_at: expect.stringMatching(/^\d{4}-.*\+00:00$/),
    })
    expect((await run('merchant', 'list')).stdout).toContain(account.merchant_id)
  })

  test('keys, without a secret; those that ended only where asked', async () => {
    const { merchant_id, publishable_key } = account
    const of = ['--merchant', merchant_id]
    const made = await answer('key', 'create', ...of, '--permission', 'read_transactions')
    await answer('key', 'revoke', made.key_id)
    const { keys } = await answer('key', 'list', ...of)
    expect(keys).toMatchObject([{ key_id: account.key_id, publishable_key, state: 'usable' }])
    const all = await ripper(['key', 'list', ...of, '--all', '--json'], { env })
    expect(JSON.parse(all.stdout).keys[1]).toMatchObject({
      key_id: made.key_id,
      state: 'revoked',
      permissions: ['read_transactions'],
      revoked_at: expect.stringMatching(/^\d{4}-/),
    })
    const { stdout } = await run('key', 'list', ...of, '--all')
    expect(stdout).toMatch(new RegExp(`${made.key_id} +revoked`))
    // Whoever found the secret somewhere finds its row.
    expect(stdout).toContain(`fingerprint ${createHash('sha256').update(made.secret_key).digest('hex').slice(0, 8)}`)
    expect(all.stdout + stdout).not.toContain('rip_sk_')
  })

  test('what is empty says so, and by --json is an empty list', async () => {
    const rules = { live: false, live_enabled: false, acquiring_profile: null }
    const { merchant_id } = await createMerchant(service.operator, { name: 'New', ...rules })
    for (const [noun, words] of [
      ['integration', `The merchant ${merchant_id} has no integration.`],
      ['key', `The merchant ${merchant_id} has no key that can be used.`],
    ] as const) {
      expect((await run(noun, 'list', '--merchant', merchant_id)).stdout).toContain(words)
      const document = await answer(noun, 'list', '--merchant', merchant_id)
      expect(document).toEqual({ merchant_id, [`${noun}s`]: [] })
    }
  })
})

test('a start on another port moves the origins of its own alone, and of those only its own', async () => {
  const start = (port: number) => {
    const base_url = `http://127.0.0.1:${port}`
    const addresses = {
      base_url,
      pay_url: `${base_url}/pay`,
      dashboard_url: `${base_url}/dashboard`,
    }
    return keepDemo(service.operator, { data_dir: folder, ...addresses })
  }
  const { merchant_id } = await start(8080)
  const by_hand = ['http://127.0.0.1:8080', 'http://localhost:5173']
  const of = ['integration', 'create', '--merchant', merchant_id, '--name', 'mine']
  await answer(...of, ...by_hand.flatMap((origin) => ['--origin', origin]))
  const list = async () => {
    const { integrations } = await answer('integration', 'list', '--merchant', merchant_id)
    return Object.fromEntries(integrations.map((each: Json) => [each.name, each]))
  }
  const before = await list()
  await answer('integration', 'update', before.default.integration_id, '--add-origin', by_hand[1]!)
  await start(9090)
  const after = await list()
  expect(after.mine.allowed_origins).toEqual(by_hand)
  expect(after.default.allowed_origins).toEqual([by_hand[1], 'http://127.0.0.1:9090'])
  expect(after.hosted.allowed_origins).toEqual(['http://127.0.0.1:9090'])

  // Its hosted page may go: the next start makes no second demo merchant.
  await answer('integration', 'delete', after.hosted.integration_id)
  expect((await start(9090)).merchant_id).toBe(merchant_id)
  expect(await findMerchantByHandle(service.sql, 'demo')).toBeUndefined()
}, 60_000)
