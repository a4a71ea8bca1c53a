// What the service says of a form that is filled in wrongly: the field, the rule by its name, and that the page has words for it. What
// the page does with these words is in tests/browser/dashboard/form-refusals.test.ts.

import { beforeAll, expect, test, vi } from 'vitest'
import { Refused } from '../../web/dashboard/client/refused.ts'
import english from '../../web/words/dashboard/en.json' with { type: 'json' }
import { linkFor, newMember, newPerson } from '../support/person.ts'
import { useService } from '../support/use-service.ts'

// The page reads its language from its document.
vi.stubGlobal('document', { getElementById: () => null })
const module = '../../web/dashboard/parts/refusal-words.ts'
const { knownWords }: { knownWords(refused: Refused): string | null } = await import(module)

const service = await useService({})
const { merchant_id } = service.account
const owner = await newMember(service, { is_operator: true })
const at = `/${merchant_id}`
const paid: { payment_id: string } = { payment_id: '' }
let link = ''

beforeAll(async () => {
  const { body } = await service.client.pay()
  paid.payment_id = body.payment_id
  link = await linkFor(service)
  expect((await owner.post('/me/password', { password: 'kettle and 42 spoons' })).status).toBe(204)
  const connection = { ...stripe, label: 'main' }
  expect((await owner.post(`${at}/connections`, connection)).status).toBe(201)
  const integration = { name: 'shop', is_hosted_page: true, handle: 'the-shop' }
  expect((await owner.post(`${at}/integrations`, integration)).status).toBe(201)
})

const hidden = 'a\u202eb'
const integration = { name: 'another' }
const line = { sku: 'a', name: 'A', unit_amount: 100, currency: 'GBP' }
const key = { name: 'shop', permissions: ['create_payments'], mode: 'test_only' }
const stripe = {
  connector: 'stripe',
  label: 'other',
  mode: 'sandbox',
  credentials: {
    secret_key: `sk_test_${'a'.repeat(24)}`,
    webhook_secret: `whsec_${'a'.repeat(24)}`,
  },
}
const credentials = (part: object) => ({
  ...stripe,
  credentials: { ...stripe.credentials, ...part },
})
const way = { email: 'new@shop.example', name: 'New', password: 'kettle and 43 spoons' }

/** The form, the route without what all begin with, what is typed, and the field, the rule and the key of the words of the refusal. */
const rows: [string, string, object, string, string | null, string][] = [
  ['password', '/me/password', { password: 'tea' }, 'password', 'too_short', 'fault_too_short'],
  [
    'password',
    '/me/password',
    { password: 'tea and biscuits' },
    'password',
    'letters_and_digits',
    'fault_letters_and_digits',
  ],
  ['password', '/me/password', { password: 'password12345' }, 'password', 'common', 'fault_common'],
  ['password', '/me/password', { password: 'person12345678' }, 'password', 'own_name', 'fault_own_name'],
  ['password', '/me/password', { password: 'kettle and 42 spoons' }, 'password', 'used_before', 'fault_used_before'],
  ['one-time codes', '/me/one-time-codes/confirm', { code: '123456' }, 'code', 'no_secret', 'fault_no_secret'],
  ['link', '/links/redeem', { ...way, email: 'new' }, 'email', null, 'fault_at_email'],
  ['link', '/links/redeem', { ...way, name: hidden }, 'name', null, 'fault_at_name'],
  [
    'link',
    '/links/redeem',
    { ...way, password: 'tea and biscuits' },
    'password',
    'letters_and_digits',
    'fault_letters_and_digits',
  ],
  ['proof', '/proof', {}, 'passkey', 'required', 'fault_required'],
  ['merchant', '/system/merchants', { name: hidden }, 'name', null, 'fault_at_name'],
  ['merchant', '/system/merchants', { name: ' ' }, 'name', 'required', 'fault_required'],
  ['endpoint', `${at}/webhooks/endpoints`, { url: 'shop.example' }, 'url', null, 'refusal_invalid_url'],
  ['endpoint', `${at}/webhooks/endpoints`, { url: 'https://10.0.0.1/' }, 'url', null, 'refusal_invalid_url'],
  ['key', `${at}/keys`, { ...key, name: hidden }, 'name', null, 'fault_at_name'],
  ['key', `${at}/keys`, { ...key, permissions: [] }, 'permissions', 'required', 'fault_required'],
  ['key', `${at}/keys`, { ...key, mode: 'every' }, 'mode', 'not_offered', 'fault_not_offered'],
  ['connection', `${at}/connections`, { ...stripe, label: 'a b' }, 'label', null, 'fault_at_label'],
  ['connection', `${at}/connections`, { ...stripe, label: 'main' }, 'label', 'taken', 'fault_taken'],
  ['connection', `${at}/connections`, { ...stripe, connector: 'x' }, 'connector', 'not_offered', 'fault_not_offered'],
  [
    'connection',
    `${at}/connections`,
    credentials({ secret_key: 'x y' }),
    'credentials.secret_key',
    null,
    'fault_at_credentials',
  ],
  ['connection', `${at}/connections`, credentials({ more: 'x' }), 'credentials.more', null, 'fault_at_credentials'],
  [
    'connection',
    `${at}/connections`,
    credentials({ api_url: 'x' }),
    'credentials.api_url',
    'web_address',
    'fault_web_address',
  ],
  ['integration', `${at}/integrations`, { name: 'shop' }, 'name', 'taken', 'fault_taken'],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, allowed_origins: ['https://a.example', 'b'] },
    'allowed_origins[1]',
    null,
    'fault_at_allowed_origins',
  ],
  ['integration', `${at}/integrations`, { ...integration, handle: 'docs' }, 'handle', 'reserved', 'fault_reserved'],
  ['integration', `${at}/integrations`, { ...integration, handle: 'A' }, 'handle', null, 'fault_at_handle'],
  ['integration', `${at}/integrations`, { ...integration, handle: 'the-shop' }, 'handle', 'taken', 'fault_taken'],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, is_hosted_page: true },
    'handle',
    'needs_handle',
    'fault_needs_handle',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, default_amount: 5 },
    'default_currency',
    'needs_currency',
    'fault_needs_currency',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, default_currency: 'XXX' },
    'default_currency',
    'currency',
    'fault_currency',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, confirmation_url: 'x' },
    'confirmation_url',
    null,
    'fault_at_confirmation_url',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, confirmation_url: 'https://a.example/' },
    'confirmation_url',
    'other_origin',
    'fault_other_origin',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, back_url: 'x' },
    'back_url',
    'web_address',
    'fault_web_address',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, review_window_seconds: 0 },
    'review_window_seconds',
    'too_small',
    'fault_at_review_window_seconds',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, escalate_after_seconds: 600_000 },
    'escalate_after_seconds',
    'after_the_window',
    'fault_after_the_window',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, capture_below: 0 },
    'capture_below',
    'too_small',
    'fault_too_small',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, price_list: [line, line] },
    'price_list[1].sku',
    'taken',
    'fault_taken',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, price_list: [{ ...line, currency: 'X' }] },
    'price_list[0].currency',
    'currency',
    'fault_currency',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, price_list: [{ ...line, tax_rate: 10_001 }] },
    'price_list[0].tax_rate',
    'too_big',
    'fault_too_big',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, price_list: [{ ...line, image_url: 'x' }] },
    'price_list[0].image_url',
    null,
    'fault_at_price_list_image_url',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, test_connections: ['a', 'b', 'c'] },
    'test_connections',
    'too_many',
    'fault_too_many',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, appearance: { variables: { fontFamily: 'a'.repeat(301) } } },
    'appearance.variables.fontFamily',
    'too_long',
    'fault_too_long',
  ],
  ['refund', `${at}/payments/PAY/refunds`, { amount: 0 }, 'amount', 'too_small', 'fault_too_small'],
  ['refund', `${at}/payments/PAY/refunds`, { amount: 999_999 }, 'amount', null, 'refusal_refund_exceeds_captured'],
  ['refund', `${at}/payments/PAY/refunds`, { reason: 'a'.repeat(256) }, 'reason', 'too_long', 'fault_too_long'],
  [
    'limit of refunds',
    `${at}/team/refund-limits`,
    { currency: 'XXX', amount: 5 },
    'currency',
    'currency',
    'fault_currency',
  ],
  [
    'limit of refunds',
    `${at}/team/refund-limits`,
    { currency: 'GBP', amount: 0 },
    'amount',
    'too_small',
    'fault_too_small',
  ],
  ['invitation', `${at}/team/invitations`, { email: 'sam', role: 'viewer' }, 'email', null, 'fault_at_email'],
  [
    'invitation',
    `${at}/team/invitations`,
    { email: owner.email, role: 'viewer' },
    'email',
    'is_member',
    'fault_is_member',
  ],
  [
    'invitation',
    `${at}/team/invitations`,
    { email: 'sam@shop.example', role: 'king' },
    'role',
    'not_offered',
    'fault_not_offered',
  ],
  [
    'settling',
    `${at}/operations/op_${'0'.repeat(24)}/resolve`,
    { outcome: 'approved', reason: '' },
    'reason',
    'required',
    'fault_required',
  ],
  [
    'settling',
    `${at}/operations/op_${'0'.repeat(24)}/resolve`,
    { outcome: 'approved', reason: 'a', acquirer_transaction_id: 'a b' },
    'acquirer_transaction_id',
    null,
    'fault_at_acquirer_transaction_id',
  ],
  ['brake', '/system/brake/pull', { acquirer: null, reason: 'a\nb' }, 'reason', null, 'fault_at_reason'],
  [
    'orphan',
    '/system/orphans/leave',
    { references: ['0'.repeat(32)], reason: 'a'.repeat(201) },
    'reason',
    'too_long',
    'fault_too_long',
  ],
]

const named = rows.map(([form, ...row]) => [`${form}: ${row[2]} ${row[3]}`, form, ...row] as const)

test.each(named)('%s', async (_, form, path, body, field, fault, key) => {
  await owner.prove()
  const person = form === 'link' ? newPerson(service) : owner
  const sent = form === 'link' ? { secret: link, ...body } : body
  const headers = { 'rip-idempotency-key': crypto.randomUUID() }
  const answer = await person.post(path.replace('PAY', paid.payment_id), sent, { headers })
  expect(answer.body).toMatchObject({ field, fault })
  const words = english[key as keyof typeof english].replace('{bound}', answer.body.bound)
  expect(knownWords(new Refused(answer.status, answer.body))).toBe(words)
})

test('a member that no form has breaks no rule with a name', async () => {
  await owner.prove()
  const { body } = await owner.post('/system/merchants', { name: 'shop', more: 1 })
  expect(body).toMatchObject({ error: 'invalid_request', field: 'more', fault: null })
})
