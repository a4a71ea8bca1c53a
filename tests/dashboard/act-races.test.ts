// Whoever is removed while they act: what they do is written before that, or not at all. Each act meets the removal in both orders.
// A change of one's own account meets the end of the session in which it is made.

import { expect, test } from 'vitest'
import { deadLetter } from '../conformance/webhook-delivery-rows.ts'
import { hold } from '../support/holding.ts'
import { meeting } from '../support/meeting.ts'
import { newMember, newPerson, type Reply, refusalIn } from '../support/person.ts'
import { type Account, drivenClock } from '../support/service.ts'
import { useService } from '../support/use-service.ts'

const clock = drivenClock()
const service = await useService({ clock, lock_limit: 'none' })
const { sql } = service
const credentials = { secret_key: 'sk_sbox_Lapsang', signature_key: 'sig_Lapsang' }
const url = 'https://hooks.example/in'

async function newTeam() {
  const account = await service.newAccount()
  const { merchant_id } = account
  const [owner, admin, viewer] = [
    await newMember(service, { merchant_id, role: 'owner' }),
    await newMember(service, { merchant_id, role: 'owner' }),
    await newMember(service, { merchant_id, role: 'viewer' }),
  ]
  const own = { headers: { 'rip-idempotency-key': crypto.randomUUID() } }
  const path = (rest: string) => `/${merchant_id}${rest}`
  const post = (rest: string, body: object = {}) => admin.post(path(rest), body, own)
  const remove = (rest: string) => admin.remove(path(rest))
  return { account, owner, admin, viewer, path, post, remove }
}

type Team = Awaited<ReturnType<typeof newTeam>>

const newEndpoint = async ({ client }: Account) => (await client.createEndpoint({ url })).body.id
const newConnection = async ({ post }: Team) => {
  const asked = { connector: 'checkout', label: 'main', mode: 'sandbox', credentials }
  return (await post('/connections', asked)).body.connection_id
}
const integrationOf = ({ account }: Team) => `/integrations/${account.integration!.integration_id}`

/** What is there before is made by `prepare`, whose result the act gets. */
type Act = { act: string; prepare?: (team: Team) => Promise<string>; run: Run }
type Run = (team: Team, id: string) => Promise<Reply>

const acts: Act[] = [
  {
    act: 'makes a key',
    run: ({ post }) =>
      post('/keys', { name: 'k', permissions: ['read_transactions'], mode: 'any' }),
  },
  {
    act: 'revokes a key',
    run: ({ post, account }) => post(`/keys/${account.key_id}/revoke`),
  },
  {
    act: 'revokes a publishable key',
    run: ({ post, account }) => post(`/keys/${account.publishable_key}/revoke`),
  },
  {
    act: 'makes an integration',
    run: ({ post }) => post('/integrations', { name: 'second', is_default: true }),
  },
  {
    act: 'changes an integration',
    run: (team) => team.post(integrationOf(team), { at_deadline: 'capture' }),
  },
  {
    act: 'deletes an integration',
    prepare: async ({ post }) =>
      (await post('/integrations', { name: 'second' })).body.integration_id,
    run: ({ remove }, id) => remove(`/integrations/${id}`),
  },
  {
    act: 'makes a connection',
    run: ({ post }) =>
      post('/connections', { connector: 'checkout', label: 'main', mode: 'sandbox', credentials }),
  },
  {
    act: 'rotates credentials',
    prepare: newConnection,
    run: ({ post }, id) => post(`/connections/${id}/credentials`, { credentials }),
  },
  {
    act: 'disables a connection',
    prepare: newConnection,
    run: ({ post }, id) => post(`/connections/${id}/disable`),
  },
  { act: 'adds an endpoint', run: ({ post }) => post('/webhooks/endpoints', { url }) },
  {
    act: 'rotates a secret',
    prepare: ({ account }) => newEndpoint(account),
    run: ({ post }, id) => post(`/webhooks/endpoints/${id}/rotate`),
  },
  {
    act: 'deletes an endpoint',
    prepare: ({ account }) => newEndpoint(account),
    run: ({ remove }, id) => remove(`/webhooks/endpoints/${id}`),
  },
  {
    act: 'replays a delivery',
    prepare: async ({ account }) => (await deadLetter({ ...service, account })).delivery_id,
    run: ({ post }, id) => post(`/webhooks/deliveries/${id}/replay`),
  },
  {
    act: 'sets what support may refund',
    run: ({ post }) => post('/team/refund-limits', { currency: 'GBP', amount: 100 }),
  },
  {
    act: 'gives somebody a role',
    run: ({ post, viewer }) => post(`/team/${viewer.user_id}/role`, { role: 'admin' }),
  },
  { act: 'removes somebody', run: ({ remove, viewer }) => remove(`/team/${viewer.user_id}`) },
  {
    act: 'withdraws an invitation',
    prepare: async ({ post }) => {
      const asked = { email: 'new@example.com', role: 'viewer' }
      return (await post('/team/invitations', asked)).body.link_id
    },
    run: ({ remove }, id) => remove(`/team/invitations/${id}`),
  },
  { act: 'reviews the team', run: ({ post }) => post('/team/review') },
  {
    act: 'captures a held payment',
    prepare: async ({ account }) => (await hold(account)).payment_id,
    run: ({ post }, id) => post(`/payments/${id}/hold/capture`),
  },
  {
    act: 'escalates a held payment',
    prepare: async ({ account }) => (await hold(account)).payment_id,
    run: ({ post }, id) => post(`/payments/${id}/hold/escalate`),
  },
  {
    act: 'refunds a payment',
    prepare: async ({ account }) => (await account.client.pay()).body.payment_id,
    run: ({ post }, id) => post(`/payments/${id}/refunds`),
  },
]

const linesOf = ({ admin }: Team) => sql<{ change: string }[]>`
  select change from journal where actor = ${`user ${admin.user_id}`} and merchant_id = ${admin.merchant_id}
  order by change`

const takeAway = ({ owner, admin, path }: Team) => owner.remove(path(`/team/${admin.user_id}`))

test.each(acts)('who is removed and then $act', async ({ prepare, run }) => {
  const team = await newTeam()
  const id = (await prepare?.(team)) ?? ''
  const before = await linesOf(team)
  const [removed, answer] = await meeting(
    sql,
    () => takeAway(team),
    () => run(team, id),
  )
  expect([removed.status, refusalIn(answer)]).toEqual([204, '404 resource_not_found'])
  expect(await linesOf(team)).toEqual(before)
})

test.each(acts)('who $act and is then removed', async ({ prepare, run }) => {
  const team = await newTeam()
  const id = (await prepare?.(team)) ?? ''
  const before = await linesOf(team)
  const [answer, removed] = await meeting(
    sql,
    () => run(team, id),
    () => takeAway(team),
  )
  expect([200, 201, 202, 204], answer.text).toContain(answer.status)
  expect(removed.status).toBe(204)
  expect((await linesOf(team)).length).toBeGreaterThan(before.length)
})

/** Somebody in two browsers, of which one is a thief's. */
async function inTwoBrowsers() {
  const own = await newMember(service, { role: 'viewer', password: 'cobalt harbour 41' })
  const thief = newPerson(service)
  await thief.signInByPassword(own.email, 'cobalt harbour 41')
  return { own, thief }
}

const changes: [string, (thief: ReturnType<typeof newPerson>) => Promise<Reply>][] = [
  ['a password', (thief) => thief.post('/me/password', { password: 'granite lantern 52' })],
  [
    'a passkey',
    async (thief) => {
      const { options } = (await thief.post('/me/passkeys/options')).body
      const passkey = thief.authenticator.make(options)
      return thief.post('/me/passkeys', { name: 'Mine', passkey })
    },
  ],
  ['recovery codes', (thief) => thief.post('/me/recovery-codes')],
  ['one-time codes', (thief) => thief.post('/me/one-time-codes')],
  ['the end of other sessions', (thief) => thief.post('/me/sessions/end-others')],
]

test.each(changes)('a session that has ended sets no %s', async (_what, change) => {
  const { own, thief } = await inTwoBrowsers()
  const [ended, answer] = await meeting(
    sql,
    () => own.post('/me/sessions/end-others'),
    () => change(thief),
  )
  expect([ended.status, refusalIn(answer)]).toEqual([200, '401 sign_in_required'])
  expect((await own.get('/me')).status).toBe(200)
})
