// What the service says of a form that is filled in wrongly: the field, the rule by its name, and that the page has words for it. What
// the page does with these words is in tests/browser/dashboard/form-refusals.test.ts.

import { beforeAll, expect, test, vi } from 'vitest'
import { Refused } from '../../web/dashboard/client/refused.ts'
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
  ...{ connector: 'stripe', label: 'other', mode: 'sandbox' },
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

/** The form, the route without what all begin with, what is typed, and the field, rule and words of the refusal. */
const rows: [string, string, object, string, string | null, string][] = [
  [
    'password',
    '/me/password',
    { password: 'tea' },
    'password',
    'too_short',
    'At least 12 characters.',
  ],
  [
    'password',
    '/me/password',
    { password: 'tea and biscuits' },
    'password',
    'letters_and_digits',
    'Use both letters and digits.',
  ],
  ['password', '/me/password', { password: 'password12345' }, 'password', 'common', 'tried first'],
  [
    'password',
    '/me/password',
    { password: 'person12345678' },
    'password',
    'own_name',
    'name or address',
  ],
  [
    'password',
    '/me/password',
    { password: 'kettle and 42 spoons' },
    'password',
    'used_before',
    'used this password before',
  ],
  [
    'one-time codes',
    '/me/one-time-codes/confirm',
    { code: '123456' },
    'code',
    'no_secret',
    'Ask for a new secret',
  ],
  ['link', '/links/redeem', { ...way, email: 'new' }, 'email', null, 'Enter a whole email address'],
  ['link', '/links/redeem', { ...way, name: hidden }, 'name', null, '1 to 100 characters'],
  [
    'link',
    '/links/redeem',
    { ...way, password: 'tea and biscuits' },
    'password',
    'letters_and_digits',
    'Use both',
  ],
  ['proof', '/proof', {}, 'passkey', 'required', 'This is needed.'],
  ['merchant', '/system/merchants', { name: hidden }, 'name', null, '1 to 100 characters'],
  ['merchant', '/system/merchants', { name: ' ' }, 'name', 'required', 'This is needed.'],
  [
    'endpoint',
    `${at}/webhooks/endpoints`,
    { url: 'shop.example' },
    'url',
    null,
    'Enter a whole address',
  ],
  [
    'endpoint',
    `${at}/webhooks/endpoints`,
    { url: 'https://10.0.0.1/' },
    'url',
    null,
    'Enter a whole address',
  ],
  ['key', `${at}/keys`, { ...key, name: hidden }, 'name', null, '1 to 100 characters'],
  ['key', `${at}/keys`, { ...key, permissions: [] }, 'permissions', 'required', 'This is needed.'],
  [
    'key',
    `${at}/keys`,
    { ...key, mode: 'every' },
    'mode',
    'not_offered',
    'Choose one of those offered.',
  ],
  [
    'connection',
    `${at}/connections`,
    { ...stripe, label: 'a b' },
    'label',
    null,
    '1 to 64 letters',
  ],
  [
    'connection',
    `${at}/connections`,
    { ...stripe, label: 'main' },
    'label',
    'taken',
    'taken already',
  ],
  [
    'connection',
    `${at}/connections`,
    { ...stripe, connector: 'x' },
    'connector',
    'not_offered',
    'Choose one',
  ],
  [
    'connection',
    `${at}/connections`,
    credentials({ secret_key: 'x y' }),
    'credentials.secret_key',
    null,
    'The vendor does not write it so.',
  ],
  [
    'connection',
    `${at}/connections`,
    credentials({ more: 'x' }),
    'credentials.more',
    null,
    'The vendor does not write it so.',
  ],
  [
    'connection',
    `${at}/connections`,
    credentials({ api_url: 'x' }),
    'credentials.api_url',
    'web_address',
    'whole',
  ],
  ['integration', `${at}/integrations`, { name: 'shop' }, 'name', 'taken', 'taken already'],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, allowed_origins: ['https://a.example', 'b'] },
    'allowed_origins[1]',
    null,
    'Each line: https://',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, handle: 'docs' },
    'handle',
    'taken',
    'taken already',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, handle: 'A' },
    'handle',
    null,
    '3 to 64 characters',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, handle: 'the-shop' },
    'handle',
    'taken',
    'taken already',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, is_hosted_page: true },
    'handle',
    'needs_handle',
    'needs a handle',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, default_amount: 5 },
    'default_currency',
    'needs_currency',
    'needs its currency',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, default_currency: 'XXX' },
    'default_currency',
    'currency',
    'such as EUR',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, confirmation_url: 'x' },
    'confirmation_url',
    null,
    'A whole https address',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, confirmation_url: 'https://a.example/' },
    'confirmation_url',
    'other_origin',
    'allowed origins',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, back_url: 'x' },
    'back_url',
    'web_address',
    'Enter a whole address',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, review_window_seconds: 0 },
    'review_window_seconds',
    'too_small',
    'at most 30 days',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, escalate_after_seconds: 600_000 },
    'escalate_after_seconds',
    'after_the_window',
    'before the hold ends',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, capture_below: 0 },
    'capture_below',
    'too_small',
    'too little',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, price_list: [line, line] },
    'price_list[1].sku',
    'taken',
    'taken already',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, price_list: [{ ...line, currency: 'X' }] },
    'price_list[0].currency',
    'currency',
    'such as EUR',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, price_list: [{ ...line, tax_rate: 10_001 }] },
    'price_list[0].tax_rate',
    'too_big',
    'too much',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, price_list: [{ ...line, image_url: 'x' }] },
    'price_list[0].image_url',
    null,
    'picture',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, test_connections: ['a', 'b', 'c'] },
    'test_connections',
    'too_many',
    'At most 2 entries.',
  ],
  [
    'integration',
    `${at}/integrations`,
    { ...integration, appearance: { variables: { fontFamily: 'a'.repeat(301) } } },
    'appearance.variables.fontFamily',
    'too_long',
    'At most 300 characters.',
  ],
  ['refund', `${at}/payments/PAY/refunds`, { amount: 0 }, 'amount', 'too_small', 'too little'],
  [
    'refund',
    `${at}/payments/PAY/refunds`,
    { amount: 999_999 },
    'amount',
    null,
    'more than is left',
  ],
  [
    'refund',
    `${at}/payments/PAY/refunds`,
    { reason: 'a'.repeat(256) },
    'reason',
    'too_long',
    'At most 255 characters.',
  ],
  [
    'limit of refunds',
    `${at}/team/refund-limits`,
    { currency: 'XXX', amount: 5 },
    'currency',
    'currency',
    'such as EUR',
  ],
  [
    'limit of refunds',
    `${at}/team/refund-limits`,
    { currency: 'GBP', amount: 0 },
    'amount',
    'too_small',
    'too little',
  ],
  [
    'invitation',
    `${at}/team/invitations`,
    { email: 'sam', role: 'viewer' },
    'email',
    null,
    'Enter a whole email address',
  ],
  [
    'invitation',
    `${at}/team/invitations`,
    { email: owner.email, role: 'viewer' },
    'email',
    'is_member',
    'on the team already',
  ],
  [
    'invitation',
    `${at}/team/invitations`,
    { email: 'sam@shop.example', role: 'king' },
    'role',
    'not_offered',
    'Choose one',
  ],
  [
    'settling',
    `${at}/operations/op_${'0'.repeat(24)}/resolve`,
    { outcome: 'approved', reason: '' },
    'reason',
    'required',
    'This is needed.',
  ],
  [
    'settling',
    `${at}/operations/op_${'0'.repeat(24)}/resolve`,
    { outcome: 'approved', reason: 'a', acquirer_transaction_id: 'a b' },
    'acquirer_transaction_id',
    null,
    'As the acquirer writes it',
  ],
  [
    'brake',
    '/system/brake/pull',
    { acquirer: null, reason: 'a\nb' },
    'reason',
    null,
    'on one line',
  ],
  [
    'orphan',
    '/system/orphans/leave',
    { references: ['0'.repeat(32)], reason: 'a'.repeat(201) },
    'reason',
    'too_long',
    'At most 200 characters.',
  ],
]

const named = rows.map(([form, ...row]) => [`${form}: ${row[2]} ${row[3]}`, form, ...row] as const)

test.each(named)('%s', async (_, form, path, body, field, fault, words) => {
  await owner.prove()
  const person = form === 'link' ? newPerson(service) : owner
  const sent = form === 'link' ? { secret: link, ...body } : body
  const headers = { 'rip-idempotency-key': crypto.randomUUID() }
  const answer = await person.post(path.replace('PAY', paid.payment_id), sent, { headers })
  expect(answer.body).toMatchObject({ field, fault })
  expect(knownWords(new Refused(answer.status, answer.body))).toContain(words)
})
