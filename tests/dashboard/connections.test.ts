// Connections at the dashboard: credentials go in, are sealed, and never come out; a mode each; who may.

import { expect, test } from 'vitest'
import { credentialsThatCount, findConnection } from '../../src/connections/connection-store.ts'
import { routingsIn } from '../../src/kernel/ids.ts'
import type { Json } from '../support/client.ts'
import { newMember, refusalIn } from '../support/person.ts'
import { useService } from '../support/use-service.ts'

const asked: string[] = []
const service = await useService({
  vendor_http: {
    async send({ url, headers }) {
      asked.push(url)
      const status = JSON.stringify(headers).includes('Lapsang') ? 401 : 500
      return { status, headers: {}, body: '{}' } as never
    },
  },
})
const { account, context, sql } = service
const at = `/${account.merchant_id}/connections`
const [owner, developer, support] = [
  await newMember(service, { role: 'owner' }),
  await newMember(service, { role: 'developer' }),
  await newMember(service, { role: 'support' }),
]
const live = { secret_key: 'sk_Lapsang', signature_key: 'sig_Lapsang' }
const sandbox = { secret_key: 'sk_sbox_Lapsang', signature_key: 'sig_Lapsang' }
const listed = async (mode: string) => (await owner.get(`${at}?mode=${mode}`)).body

async function countingOf(connection_id: string) {
  const row = await findConnection(sql, connection_id, routingsIn(connection_id, context.keyring))
  return credentialsThatCount(context.keyring, row!, context.world.clock.now())
}

test('a connection is made, checked, rotated and disabled, and its credentials are never shown', async () => {
  const body = { connector: 'checkout', label: 'main', mode: 'live', credentials: live }
  const made = await owner.post(at, body)
  const { connection_id } = made.body
  expect(made.body, made.text).toMatchObject({
    kind: 'acquirer',
    connector: 'checkout',
    label: 'main',
    mode: 'live',
    state: 'active',
    notice_url: `${service.base_url}/acquirers/${connection_id}/notices`,
    doubt: null,
  })
  expect((await listed('live')).connections).toMatchObject([{ connection_id, rotated_at: null }])
  expect((await listed('test')).connections).toEqual([])
  expect(await countingOf(connection_id)).toEqual([live])

  const checked = await owner.post(`${at}/${connection_id}/check`)
  expect(checked.body).toMatchObject({ works: false, reason: expect.any(String), notes: [] })
  expect(asked).not.toEqual([])

  const next = { ...live, secret_key: 'sk_Oolong' }
  const rotated = await owner.post(`${at}/${connection_id}/credentials`, { credentials: next })
  expect(rotated.body.rotated_at, rotated.text).not.toBeNull()
  expect(await countingOf(connection_id)).toEqual([next, live])

  const disabled = await owner.post(`${at}/${connection_id}/disable`)
  expect(disabled.body).toMatchObject({ connection_id, state: 'disabled' })
  const lines = await sql<{ change: string; actor: string }[]>`
    select change, actor from journal where subject = ${connection_id} order by entry_id`
  expect(lines).toEqual(
    ['created', 'rotated', 'disabled'].map((act) => ({
      change: `connection.${act}`,
      actor: `user ${owner.user_id}`,
    })),
  )
  const texts = [made, checked, rotated, disabled, await owner.get(`${at}?mode=live`)]
  expect(texts.map(({ text }) => text).join()).not.toMatch(/Lapsang|Oolong/)
})

test('what a connector wants is listed as its schema has it', async () => {
  const { connectors } = await listed('test')
  expect(connectors.find(({ connector }: Json) => connector === 'stripe')).toEqual({
    connector: 'stripe',
    kind: 'acquirer',
    required: ['secret_key', 'webhook_secret'],
    optional: ['api_url'],
  })
})

test.each<[string, object, RegExp]>([
  ['a connector that there is not', { connector: 'bank' }, /^connector /],
  ['a label with a space', { label: 'my bank' }, /^label /],
  ['an unknown member', { credentials: { ...live, pin: '1' } }, /^Credentials: pin/],
  ['a member too few', { credentials: { secret_key: 'sk_Lapsang' } }, /signature_key/],
  ['a key of the other environment', { credentials: sandbox }, /vendor's sandbox/],
  ['an address of this machine', { credentials: { ...live, api_url: 'http://127.0.0.1:1' } }, /api_url/],
])('%s is refused, and no credential repeated', async (_, change, words) => {
  const body = { connector: 'checkout', label: 'other', mode: 'live', credentials: live, ...change }
  const answer = await owner.post(at, body)
  expect(refusalIn(answer)).toBe('400 invalid_request')
  expect(answer.body.message).toMatch(words)
  expect(answer.text).not.toContain('Lapsang')
})

test('a developer connects sandboxes alone, and sees no other', async () => {
  const body = { connector: 'checkout', label: 'trial', mode: 'sandbox', credentials: sandbox }
  const made = await developer.post(at, body)
  expect(made.status, made.text).toBe(201)
  const live_one = { ...body, label: 'x', mode: 'live', credentials: live }
  expect(refusalIn(await developer.post(at, live_one))).toBe('403 permission_denied')
  expect(refusalIn(await developer.get(`${at}?mode=live`))).toBe('403 permission_denied')
  const { connections } = await listed('live')
  for (const act of ['check', 'disable']) {
    const answer = await developer.post(`${at}/${connections[0].connection_id}/${act}`)
    expect(refusalIn(answer)).toBe('403 permission_denied')
  }
  expect(refusalIn(await support.get(`${at}?mode=test`))).toBe('403 permission_denied')
})
