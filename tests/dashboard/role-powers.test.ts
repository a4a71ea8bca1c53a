// What a role is refused it cannot get by another right: by a read, an export, a timeline, an endpoint, a key or a rule. The rows
// come from the table of roles and from the records of routes.

import { describe, expect, test } from 'vitest'
import { dashboardRoutes } from '../../src/dashboard/routes.ts'
import { type Permission, permissions } from '../../src/http/access.ts'
import type { Mode } from '../../src/kernel/values.ts'
import { may, type Role, roles, type StaffPermission } from '../../src/users/roles.ts'
import type { DoorRule } from '../../src/users/signed-in.ts'
import { bothModes, type KeyMode, keyModes, modes, openBothModes, sees } from '../support/both-modes.ts'
import { type Client, openClient } from '../support/client.ts'
import { openUnverified } from '../support/holding.ts'
import { countLockWaits } from '../support/lock-waits.ts'
import { newMember, type Reply, refusalIn } from '../support/person.ts'
import { until } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const service = await useService(bothModes)
const { accounts, makes, idOf } = await openBothModes(service)
const { merchant_id, client } = accounts.any
const at = `/${merchant_id}`
const people = Object.fromEntries(
  await Promise.all(roles.map(async (role) => [role, await newMember(service, { role, merchant_id })] as const)),
) as Record<Role, Awaited<ReturnType<typeof newMember>>>
const keyed = () => ({ headers: { 'rip-idempotency-key': crypto.randomUUID() } })

/** Every payment of these tests has this shopper. */
const shopper = 'ada@example.com'
const token = 'hush-hush'
await client.createEndpoint({ url: `https://shop.example/hooks?token=${token}` })
const payments = { test: await idOf('payment_id', 'test'), live: await idOf('payment_id', 'live') }
const holds = { test: await idOf('held_id', 'test'), live: await idOf('held_id', 'live') }

const byRole = roles.map((role) => ({ role }))

describe('what is read', () => {
  const queries = ['', '?mode=live', '?mode=live&zone=UTC']
  const reads = dashboardRoutes.flatMap(({ method, path, access }) => {
    const { door } = access as unknown as DoorRule<unknown>
    const is_of_payment = !/\{(?!merchant_id|payment_id)/.test(path)
    return method === 'GET' && door.who === 'member' && is_of_payment ? [path as string] : []
  })

  test.each(byRole)('by a $role has no live shopper and no address that is refused', async ({ role }) => {
    const answers = new Map<string, Reply>()
    for (const path of reads) {
      for (const query of queries) {
        for (const payment_id of path.includes('{payment_id}') ? [payments.live, holds.live] : ['']) {
          const filled = path
            .replace('/dashboard/api', '')
            .replace('{merchant_id}', merchant_id)
            .replace('{payment_id}', payment_id)
          const answer = await people[role].get(filled + query)
          if (answer.status === 200) answers.set(path + payment_id, answer)
        }
      }
    }
    // Whoever may everything is answered by each route: no row is empty.
    if (role === 'owner') expect(answers.size).toBeGreaterThan(reads.length)
    const shows = (text: string) => [...answers].filter(([, answer]) => answer.text.includes(text))
    const named = (rows: [string, Reply][]) => rows.map(([path]) => path)
    if (may(role, 'read_shoppers', 'live')) expect(shows(shopper).length).toBeGreaterThan(0)
    else expect(named(shows(shopper).filter(([, { text }]) => text.includes('"live"')))).toEqual([])
    if (may(role, 'replay_deliveries', 'live')) expect(shows(token).length).toBeGreaterThan(0)
    else expect(named(shows(token))).toEqual([])
  })
})

test.each(byRole)('an endpoint of a $role is told of no shopper that is refused', async ({ role }) => {
  const answer = await people[role].post(`${at}/webhooks/endpoints`, { url: 'https://shop.example/own' }, keyed())
  if (!may(role, 'manage_webhooks', 'live')) {
    expect(answer.status).toBe(403)
    return
  }
  expect(answer.status, answer.text).toBe(201)
  for (const mode of modes) await makes.payment_id!(mode)
  const events = await service.sql<{ mode: Mode }[]>`
    select distinct ev.body::json->'data'->>'mode' as mode from webhook_queue q join events ev using (merchant_id, payment_id)
    where endpoint_id = ${answer.body.id}`
  expect(events.length).toBeGreaterThan(0)
  for (const { mode } of events) expect([mode, may(role, 'read_shoppers', mode)]).toEqual([mode, true])
})

test.each(byRole)(
  'a $role gets no secret by which live events are signed, but as one who is told of them',
  async ({ role }) => {
    const { body } = await client.createEndpoint({ url: 'https://shop.example/theirs' })
    const path = `${at}/webhooks/endpoints/${body.id}/rotate`
    const { status } = await people[role].post(path, {}, keyed())
    const may_rotate = may(role, 'manage_webhooks', 'live') && may(role, 'read_shoppers', 'live')
    expect(status).toBe(may_rotate ? 200 : 403)
  },
)

/** What a key can show or do by a permission in a mode, tried. The second part says what a role must have for it. */
const powers: Record<Permission, [StaffPermission, (client: Client, mode: Mode) => Promise<boolean>][]> = {
  create_payments: [['create_payments', async (by, mode) => (await by.create()).body.mode === mode]],
  read_transactions: [
    ['read_transactions', async (by, mode) => (await by.readPayment(payments[mode])).status === 200],
    ['read_shoppers', async (by, mode) => (await by.readPayment(payments[mode])).text.includes(shopper)],
  ],
  manage_webhooks: [
    [
      'read_shoppers',
      async (by, mode) => {
        const { body } = await by.createEndpoint({ url: 'https://shop.example/key' })
        return !body.mode || body.mode === mode
      },
    ],
  ],
  decide_holds: [
    [
      'decide_holds',
      async (by, mode) => {
        const answer = await by.decideHold('void', await makes.held_id!(mode))
        return answer.status === 200
      },
    ],
  ],
  refund_payments: [
    ['refund_payments', async (by, mode) => (await by.refund(payments[mode], { amount: 1 })).status === 201],
  ],
}

describe.each(byRole)('a key of a $role', ({ role }) => {
  const rows = permissions.flatMap((permission) =>
    keyModes.map((mode) => ({ permission: permission as Permission, mode: mode as KeyMode })),
  )
  test.each(rows)('for $permission, $mode', async ({ permission, mode: key_mode }) => {
    const key = { name: 'mine', permissions: [permission], mode: key_mode }
    const answer = await people[role].post(`${at}/keys`, key, keyed())
    if (answer.status !== 201) {
      expect(answer.status).toBe(403)
      return
    }
    const by = openClient({ base_url: service.base_url, secret_key: answer.body.secret_key })
    for (const mode of modes) {
      for (const [needed, can] of powers[permission]) {
        const has = await can(by, mode)
        if (!may(role, needed, mode) || !sees(key_mode, mode))
          expect([needed, mode, has]).toEqual([needed, mode, false])
        // Sessions of a key for both modes are live here.
        else if (permission !== 'create_payments') expect([needed, mode, has]).toEqual([needed, mode, true])
      }
    }
  })
})

describe('rules that decide holds', () => {
  const rules: object[] = [
    { capture_below: 99_999_999 },
    { at_deadline: 'capture' },
    { review_window_seconds: 60 },
    { escalate_after_seconds: 60 },
  ]
  const rows = rules.flatMap((rule) => byRole.map(({ role }) => ({ role, rule })))
  const statusFor = (role: Role) => may(role, 'manage_integrations', 'live') && may(role, 'decide_holds', 'live')

  test.each(rows)('are not set by a $role who may not decide them: $rule', async ({ role, rule }) => {
    const paths = `${at}/integrations`
    const own = await people.owner.post(paths, { name: `shop ${crypto.randomUUID()}` })
    const path = `${paths}/${own.body.integration_id}`
    const name = () => `made ${crypto.randomUUID()}`
    const [allowed, refused] = statusFor(role) ? [200, 201] : [403, 403]
    expect((await people[role].post(path, rule)).status).toBe(allowed)
    expect((await people[role].post(paths, { name: name(), ...rule })).status).toBe(refused)
    if (!may(role, 'manage_integrations', 'live')) return
    // Those of tests are free, but go live with nobody who may not decide.
    const tests = await people[role].post(paths, { name: name(), mode_setting: 'test', ...rule })
    expect(tests.status, tests.text).toBe(201)
    const live = { mode_setting: 'auto' }
    const there = `${paths}/${tests.body.integration_id}`
    expect((await people[role].post(there, live)).status).toBe(allowed)
    // What is no rule of holds stays theirs, and so does a rule that is sent as it is.
    const same = await people[role].post(path, { terms_url: 'https://shop.example/terms' })
    expect(same.status, same.text).toBe(200)
  })
})

describe('a way round the rules that decide live holds', () => {
  const paths = `${at}/integrations`
  const owners = { capture_below: 1000 }
  /** What the owner has set, the steps, and which of them is refused to whoever may not decide live holds. */
  const walks: { walk: string; rules: object; steps: object[]; refused: number }[] = [
    {
      walk: 'a rule that comes with tests',
      rules: {},
      steps: [{ mode_setting: 'test', capture_below: 99_999_999 }],
      refused: 0,
    },
    {
      walk: 'a rule that is tried goes live',
      rules: {},
      steps: [{ mode_setting: 'test' }, { capture_below: 99_999_999 }, { mode_setting: 'auto' }],
      refused: 2,
    },
    {
      walk: "the owner's rules are lost on the way into tests",
      rules: owners,
      steps: [{ mode_setting: 'test', capture_below: null }, { mode_setting: 'auto' }],
      refused: 0,
    },
    {
      walk: "the owner's rules are brought into tests, where they may be lost",
      rules: owners,
      steps: [{ mode_setting: 'test' }, { capture_below: null }, { mode_setting: 'auto' }],
      refused: 0,
    },
  ]
  const rows = walks.flatMap((walk) => byRole.map(({ role }) => ({ role, ...walk })))

  test.each(rows)('$walk: $role', async ({ role, rules, steps, refused }) => {
    const made = { name: `walk ${crypto.randomUUID()}`, ...rules }
    const { integration_id } = (await people.owner.post(paths, made)).body
    const statuses: number[] = []
    for (const step of steps) {
      const { status } = await people[role].post(`${paths}/${integration_id}`, step)
      statuses.push(status)
      if (status !== 200) break
    }
    const goes = may(role, 'manage_integrations', 'live')
    const passes = goes && may(role, 'decide_holds', 'live')
    const till_refused = [...steps.slice(0, goes ? refused : 0).map(() => 200), 403]
    expect(statuses).toEqual(passes ? steps.map(() => 200) : till_refused)
  })

  test('is no rule of tests for a session that is live already', async () => {
    const { makers: own } = await openBothModes(service)
    const { client, merchant_id, integration } = own.live
    const developer = await newMember(service, { role: 'developer', merchant_id })
    const path = `/${merchant_id}/integrations/${integration!.integration_id}`
    const session = await openUnverified(own.live)
    await client.present(session, '4539578763621486')
    for (const step of [{ mode_setting: 'test' }, { capture_below: 99_999_999 }])
      expect((await developer.post(path, step)).status).toBe(200)
    const { body } = await client.confirm(session)
    expect(body).toMatchObject({ status: 'held' })
    const [held] = await service.sql`
      select mode, is_below_limit from holds join payments using (merchant_id, payment_id)
      where payment_id = ${body.payment_id}`
    expect(held).toEqual({ mode: 'live', is_below_limit: false })
  })

  test('is no account that goes live meanwhile', async () => {
    const { merchant_id, integration } = await service.newAccount()
    const developer = await newMember(service, { role: 'developer', merchant_id })
    const path = `/${merchant_id}/integrations/${integration!.integration_id}`
    const change = () => developer.post(path, { capture_below: 99_999_999 })
    const changing = await service.sql.begin(async (tx) => {
      await tx`update merchants set live = true where merchant_id = ${merchant_id}`
      const waiting = change()
      await until(
        () => countLockWaits(service.sql),
        (waits) => waits > 0,
      )
      return { waiting }
    })
    expect(refusalIn(await changing.waiting)).toBe('403 permission_denied')
  })
})
