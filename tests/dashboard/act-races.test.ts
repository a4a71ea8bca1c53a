// Whoever is removed while they act: what they do is written before that, or not at all. Each act meets the removal in both orders.
// The acts come from the records of routes.

import { expect, test } from 'vitest'
import { deadLetter } from '../conformance/webhook-delivery-rows.ts'
import { checkoutCells, columnsOf, fileOf } from '../payouts/reports.ts'
import { actsOf } from '../support/dashboard-acts.ts'
import { hold } from '../support/holding.ts'
import { meeting } from '../support/meeting.ts'
import { newMember, type Reply, refusalIn } from '../support/person.ts'
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

const held = async ({ account }: Team) => (await hold(account)).payment_id
const inCash = { amount: 513, note: 'In cash' }
const failedRefund = async ({ account: { client } }: Team): Promise<string> => {
  const { body } = await client.pay()
  return (await client.refund(body.payment_id, { amount: inCash.amount })).body.id
}
const givenUp = ({ account }: Team) => {
  const created_at = new Date(clock.now().getTime() - 1000)
  return deadLetter({ ...service, account }, { created_at })
}

/** By the route, without what all of them begin with. */
const acts: Record<string, Act | Act[]> = {
  'POST /keys': {
    act: 'makes a key',
    run: ({ post }) => post('/keys', { name: 'k', permissions: ['read_transactions'], mode: 'any' }),
  },
  'POST /keys/{key_id}/revoke': [
    {
      act: 'revokes a key',
      run: ({ post, account }) => post(`/keys/${account.key_id}/revoke`),
    },
    {
      act: 'revokes a publishable key',
      run: ({ post, account }) => post(`/keys/${account.publishable_key}/revoke`),
    },
  ],
  'POST /integrations': {
    act: 'makes an integration',
    run: ({ post }) => post('/integrations', { name: 'second', is_default: true }),
  },
  'POST /integrations/{integration_id}': {
    act: 'changes an integration',
    run: (team) => team.post(integrationOf(team), { at_deadline: 'capture' }),
  },
  'DELETE /integrations/{integration_id}': {
    act: 'deletes an integration',
    prepare: async ({ post }) => (await post('/integrations', { name: 'second' })).body.integration_id,
    run: ({ remove }, id) => remove(`/integrations/${id}`),
  },
  'POST /connections': {
    act: 'makes a connection',
    run: ({ post }) => post('/connections', { connector: 'checkout', label: 'main', mode: 'sandbox', credentials }),
  },
  'POST /connections/{connection_id}/credentials': {
    act: 'rotates credentials',
    prepare: newConnection,
    run: ({ post }, id) => post(`/connections/${id}/credentials`, { credentials }),
  },
  'POST /connections/{connection_id}/disable': {
    act: 'disables a connection',
    prepare: newConnection,
    run: ({ post }, id) => post(`/connections/${id}/disable`),
  },
  'POST /webhooks/endpoints': {
    act: 'adds an endpoint',
    run: ({ post }) => post('/webhooks/endpoints', { url }),
  },
  'POST /webhooks/endpoints/{endpoint_id}/rotate': {
    act: 'rotates a secret',
    prepare: ({ account }) => newEndpoint(account),
    run: ({ post }, id) => post(`/webhooks/endpoints/${id}/rotate`),
  },
  'DELETE /webhooks/endpoints/{endpoint_id}': {
    act: 'deletes an endpoint',
    prepare: ({ account }) => newEndpoint(account),
    run: ({ remove }, id) => remove(`/webhooks/endpoints/${id}`),
  },
  'POST /webhooks/endpoints/{endpoint_id}/replay': {
    act: 'replays what was given up',
    prepare: async (team) => (await givenUp(team)).endpoint_id,
    run: ({ post }, id) => post(`/webhooks/endpoints/${id}/replay`),
  },
  'POST /webhooks/deliveries/{delivery_id}/replay': {
    act: 'replays a delivery',
    prepare: async (team) => (await givenUp(team)).delivery_id,
    run: ({ post }, id) => post(`/webhooks/deliveries/${id}/replay`),
  },
  'POST /webhooks/deliveries/{delivery_id}/send': {
    act: 'sends a waiting delivery at once',
    prepare: async ({ account }) => {
      await newEndpoint(account)
      await account.client.pay()
      const [row] = await sql`select delivery_id from webhook_queue where merchant_id = ${account.merchant_id}`
      return row!.delivery_id
    },
    run: ({ post }, id) => post(`/webhooks/deliveries/${id}/send`),
  },
  'POST /team/refund-limits': {
    act: 'sets what support may refund',
    run: ({ post }) => post('/team/refund-limits', { currency: 'GBP', amount: 100 }),
  },
  'POST /team/{user_id}/role': {
    act: 'gives somebody a role',
    run: ({ post, viewer }) => post(`/team/${viewer.user_id}/role`, { role: 'admin' }),
  },
  'DELETE /team/{user_id}': {
    act: 'removes somebody',
    run: ({ remove, viewer }) => remove(`/team/${viewer.user_id}`),
  },
  'POST /team/{user_id}/reset-link': {
    act: 'makes a link that opens an account anew',
    run: ({ post, viewer }) => post(`/team/${viewer.user_id}/reset-link`),
  },
  'POST /team/invitations': {
    act: 'invites somebody',
    run: ({ post }) => post('/team/invitations', { email: 'new@example.com', role: 'viewer' }),
  },
  'DELETE /team/invitations/{link_id}': {
    act: 'withdraws an invitation',
    prepare: async ({ post }) => {
      const asked = { email: 'new@example.com', role: 'viewer' }
      return (await post('/team/invitations', asked)).body.link_id
    },
    run: ({ remove }, id) => remove(`/team/invitations/${id}`),
  },
  'POST /team/review': { act: 'reviews the team', run: ({ post }) => post('/team/review') },
  'POST /payments/{payment_id}/hold/capture': {
    act: 'captures a held payment',
    prepare: held,
    run: ({ post }, id) => post(`/payments/${id}/hold/capture`),
  },
  'POST /payments/{payment_id}/hold/void': {
    act: 'voids a held payment',
    prepare: held,
    run: ({ post }, id) => post(`/payments/${id}/hold/void`),
  },
  'POST /payments/{payment_id}/hold/escalate': {
    act: 'escalates a held payment',
    prepare: held,
    run: ({ post }, id) => post(`/payments/${id}/hold/escalate`),
  },
  'POST /payments/{payment_id}/refunds': {
    act: 'refunds a payment',
    prepare: async ({ account }) => (await account.client.pay()).body.payment_id,
    run: ({ post }, id) => post(`/payments/${id}/refunds`),
  },
  'POST /payment_links': {
    act: 'makes a payment link',
    run: ({ post }) => post('/payment_links', { amount: 1, currency: 'GBP', mode: 'test' }),
  },
  'POST /payment_links/{payment_link_id}/disable': {
    act: 'withdraws a payment link',
    prepare: async ({ owner, path }) =>
      (
        await owner.post(
          path('/payment_links'),
          { amount: 1, currency: 'GBP', mode: 'test' },
          { headers: { 'rip-idempotency-key': crypto.randomUUID() } },
        )
      ).body.id,
    run: ({ post }, id) => post(`/payment_links/${id}/disable`),
  },
  'POST /payments/{payment_id}/notes': {
    act: 'writes a note',
    prepare: async ({ account }) => (await account.client.pay()).body.payment_id,
    run: ({ post }, id) => post(`/payments/${id}/notes`, { note: 'Rang' }),
  },
  'POST /payments/{payment_id}/receipt': {
    act: 'has a receipt sent again',
    prepare: async ({ account }) => {
      await sql`
        insert into receipt_senders (mode, sends_until) values ('test', ${new Date(clock.now().getTime() + 60_000)})
        on conflict (mode) do update set sends_until = excluded.sends_until`
      const { payment_id } = (await account.client.pay()).body
      await sql`delete from receipt_queue where payment_id = ${payment_id}`
      return payment_id
    },
    run: ({ post }, id) => post(`/payments/${id}/receipt`),
  },
  'POST /payouts/import': {
    act: 'has a report read',
    prepare: newConnection,
    run: async ({ post }) => {
      const upload = { mode: 'test', upload_id: 'f0c3a1d28b7e4f6091a2b3c4' }
      const bytes = Buffer.from(fileOf(columnsOf.checkout, [adjustment])).toString('base64')
      await post('/payouts/pieces', { ...upload, piece: 0, bytes })
      const file = { pieces: 1, file_name: 'report.csv', connection: 'main', paid_on: null }
      return post('/payouts/import', { ...upload, ...file })
    },
  },
  'POST /refunds/{refund_id}/otherwise': {
    act: 'gives a failed refund back another way',
    prepare: failedRefund,
    run: ({ post }, id) => post(`/refunds/${id}/otherwise`, inCash),
  },
  'DELETE /refunds/{refund_id}/otherwise': {
    act: 'takes back that a refund was given back another way',
    prepare: async (team) => {
      const id = await failedRefund(team)
      await team.owner.post(team.path(`/refunds/${id}/otherwise`), inCash)
      return id
    },
    run: ({ remove }, id) => remove(`/refunds/${id}/otherwise`),
  },
}

const adjustment = checkoutCells({
  ...{ 'Action ID': 'adj_1', 'Action Type': 'Adjustment', 'Breakdown Type': 'Fee', 'Holding Currency Amount': '-1' },
})

/** Acts that are judged at the door alone, and why. */
const judged_at_the_door: Record<string, string> = {
  'POST /saved-filters': "is judged again, and writes no line: it is the person's own",
  'POST /connections/{connection_id}/check': 'writes nothing',
  'POST /webhooks/endpoints/{endpoint_id}/test': 'writes nothing',
  'POST /payouts/pieces': 'keeps for an hour what only the same person can have read',
  'POST /test-payments': 'makes a session of test mode',
  'POST /test-payments/{session_id}/pay': 'pays it',
  'POST /operations/{operation_id}/resolve': 'what an acquirer did does not depend on who says so',
}

test('every act of a member is here, or is named with a reason', () => {
  const named = [acts, judged_at_the_door].flatMap((table) => Object.keys(table))
  expect(named.sort()).toEqual(actsOf('member', '/dashboard/api/{merchant_id}'))
})

const rows = Object.values(acts).flat()

const linesOf = ({ admin }: Team) => sql<{ change: string }[]>`
  select change from journal where actor = ${`user ${admin.user_id}`}
  order by change`

const takeAway = ({ owner, admin, path }: Team) => owner.remove(path(`/team/${admin.user_id}`))

test.each(rows)('who is removed and then $act', async ({ prepare, run }) => {
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

test.each(rows)('who $act and is then removed', async ({ prepare, run }) => {
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
