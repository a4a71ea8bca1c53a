// Which session is paid: given, kept over a reload, or new.

import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import type { State } from './wire.ts'

vi.stubGlobal('document', { currentScript: { src: 'https://pay.example/checkout.js', nonce: '' } })
afterAll(() => vi.unstubAllGlobals())
const { sessionOpener } = await import('./session.ts')

const options = { amount: 4200, currency: 'GBP', redirect: 'never', locale: 'de' } as const
const storage = new Map<string, string>()
let created: { key: string | null; body: unknown }[]
let statuses: Record<string, State['session']['status']>

beforeEach(() => {
  storage.clear()
  created = []
  statuses = {}
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
    removeItem: (key: string) => storage.delete(key),
  })
  vi.stubGlobal('fetch', async (address: string, { headers, body }: RequestInit) => {
    if (address.endsWith('/public/sessions')) {
      const key = new Headers(headers).get('rip-idempotency-key')
      const before = created.findIndex((each) => each.key === key)
      if (before < 0) created.push({ key, body: JSON.parse(String(body)) })
      const number = before < 0 ? created.length : before + 1
      statuses[`cs_${number}`] ??= 'requires_payment'
      return Response.json({ client_secret: `cs_${number}_secret_x` }, { status: 201 })
    }
    const id = address.split('/').at(-2)!
    const status = statuses[id]
    if (!status) return Response.json({ error: 'unauthorized' }, { status: 401 })
    return Response.json({ session: { id, status }, three_ds: null, result: null })
  })
})

/** As a page does that was loaded anew. */
const open = () => sessionOpener('rip_pk_1', options)()

test('a session is asked for with what is to be paid, and nothing else', async () => {
  const { session, state } = await open()
  expect(session.id).toBe('cs_1')
  expect(state.session.status).toBe('requires_payment')
  expect(created[0]?.body).toEqual({ public_key: 'rip_pk_1', amount: 4200, currency: 'GBP' })
  expect(created[0]?.key).toMatch(/^[\d-]{20,}$/)
})

test('a reload goes on with the same session', async () => {
  await open()
  expect((await open()).session.id).toBe('cs_1')
  expect(created).toHaveLength(1)
})

test.each([
  ['other goods', { amount: 4300, currency: 'GBP' }],
  ['another customer', { amount: 4200, currency: 'GBP', customer: { email: 'a@b' } }],
])('%s are another session', async (_, other) => {
  await open()
  expect((await sessionOpener('rip_pk_1', other)()).session.id).toBe('cs_2')
})

test.each(['expired', 'declined'] as const)('a kept session that is %s makes place', async (status) => {
  await open()
  statuses.cs_1 = status
  expect((await open()).session.id).toBe('cs_2')
})

test.each(['succeeded', 'processing'] as const)(
  'a payment that is %s is shown again, not taken again',
  async (status) => {
    await open()
    statuses.cs_1 = status
    expect((await open()).session.id).toBe('cs_1')
  },
)

test('a kept session that is unknown by now is replaced', async () => {
  await open()
  delete statuses.cs_1
  expect((await open()).session.id).toBe('cs_2')
})

test('mounted again after it is over it is another session', async () => {
  const opener = sessionOpener('rip_pk_1', options)
  await opener()
  statuses.cs_1 = 'declined'
  storage.clear()
  expect((await opener()).session.id).toBe('cs_2')
})

test('what the tab keeps does not show what the page says of the shopper', async () => {
  const customer = { email: 'ann@example.com' }
  await sessionOpener('rip_pk_1', { ...options, customer, metadata: { note: 'a gift' } })()
  const kept = JSON.stringify([...storage])
  expect(kept).toContain('cs_1_secret_x')
  expect(kept).not.toMatch(/ann|gift|4200/)
})

test('opened again after a failure it is the same session', async () => {
  const opener = sessionOpener('rip_pk_1', options)
  await opener()
  storage.clear()
  expect((await opener()).session.id).toBe('cs_1')
})

test('a page that forbids storage does without', async () => {
  vi.stubGlobal('sessionStorage', {
    getItem() {
      throw new DOMException('denied', 'SecurityError')
    },
    setItem() {
      throw new DOMException('denied', 'SecurityError')
    },
  })
  expect((await open()).session.id).toBe('cs_1')
})

test('a given secret is used as it is', async () => {
  statuses.cs_9 = 'succeeded'
  const { session } = await sessionOpener('rip_pk_1', { clientSecret: 'cs_9_secret_y' })()
  expect(session).toMatchObject({ id: 'cs_9', client_secret: 'cs_9_secret_y' })
  expect(created).toEqual([])
})

test('what is no client secret is refused before anything is sent', async () => {
  const opening = sessionOpener('rip_pk_1', { clientSecret: 'rip_sk_1' })()
  await expect(opening).rejects.toMatchObject({ code: 'client_secret_malformed' })
})
