// The compatible create: parameters in both encodings, what they become, and how each wrong one is refused by name.

import { beforeAll, describe, expect, test } from 'vitest'
import { visa } from '../support/client.ts'
import { addresses, fault, formOf, openCompatible, tea } from '../support/compatible.ts'
import { useService } from '../support/use-service.ts'

const service = await useService()
const compatible = openCompatible(service.client, service.account)

const ok = formOf({ amount: '4200', currency: 'gbp' })
const sessionOf = async (id: string) => (await service.client.readSession(id)).body

/** What an unmodified server of the other platform may read, and what there is nothing for. */
const absent = [
  ...['allowed_payment_method_types', 'application', 'application_fee_amount', 'automatic_payment_methods'],
  ...['customer', 'customer_account', 'excluded_payment_method_types', 'managed_payments', 'on_behalf_of'],
  ...['payment_method', 'payment_method_configuration_details', 'payment_method_options', 'processing', 'review'],
  ...['setup_future_usage', 'shipping', 'statement_descriptor', 'transfer_data', 'transfer_group'],
]

test('the answer has every member, and the session is as by the API’s own create', async () => {
  const answer = await compatible.create({
    ...tea,
    metadata: { order_id: 'A 1' },
    description: 'Tea',
    statement_descriptor_suffix: 'TEA',
    capture_method: 'automatic',
  })
  const { body } = answer
  expect(answer.status).toBe(200)
  expect(body).toEqual({
    id: expect.stringMatching(/^cs_[0-9a-f]{24}$/),
    object: 'payment_intent',
    amount: 4200,
    amount_capturable: 0,
    amount_received: 0,
    currency: 'gbp',
    status: 'requires_payment_method',
    client_secret: expect.stringMatching(/^cs_[0-9a-f]{24}_secret_[0-9a-f]{64}$/),
    created: expect.any(Number),
    livemode: false,
    metadata: { order_id: 'A 1', description: 'Tea' },
    description: 'Tea',
    statement_descriptor_suffix: 'TEA',
    receipt_email: 'ada@example.com',
    capture_method: 'automatic',
    last_payment_error: null,
    next_action: null,
    ripper: { checkout_session_id: body.id, amount_verified: true, hold: null },
    canceled_at: null,
    cancellation_reason: null,
    confirmation_method: 'automatic',
    payment_method_types: ['card'],
    latest_charge: null,
    amount_details: { tip: {} },
    ...Object.fromEntries(absent.map((name) => [name, null])),
  })
  const read = await compatible.read(body.id)
  expect(read.body).toEqual({ ...body, client_secret: null })
  expect(await sessionOf(body.id)).toMatchObject({
    status: 'requires_payment',
    mode: 'test',
    amount: 4200,
    currency: 'GBP',
    items: null,
    minted_by: 'server',
    amount_verified: true,
    integration: 'default',
    amount_verification_source: 'server_minted',
    metadata: body.metadata,
    expires_in_seconds: expect.any(Number),
    customer: { email: 'ada@example.com' },
  })
  const lines = await service.sql`select change, actor from journal where session_id = ${body.id}`
  expect(lines).toEqual([{ change: 'session.created', actor: `key ${service.account.key_id}` }])
})

test.each(addresses)('at %s, in both encodings, and read there', async (at) => {
  const json = await compatible.create(tea, { at })
  const form = await compatible.createForm(ok, { at })
  expect([json.status, form.status]).toEqual([200, 200])
  const read = await compatible.read(json.body.id, { at })
  expect(read.body).toEqual({ ...json.body, client_secret: null })
})

test.each([
  ['metadata[a[b]]=x&metadata[c]=', { metadata: { 'a[b]': 'x' } }],
  ['metadata[__proto__]=x', { metadata: JSON.parse('{"__proto__":"x"}') }],
  ['description=', { metadata: {} }],
  ['receipt_email=', { receipt_email: null }],
  ['statement_descriptor_suffix=', { statement_descriptor_suffix: null }],
  ['capture_method=', { capture_method: 'automatic' }],
  [`statement_descriptor_suffix=${'😀'.repeat(22)}`, { statement_descriptor_suffix: '😀'.repeat(22) }],
  ['metadata=', { metadata: {} }],
  ['description=Tea&metadata[description]=Tea', { metadata: { description: 'Tea' } }],
])('%s', async (more, members) => {
  const { body } = await compatible.createForm(`${ok}&${more}`)
  expect(JSON.stringify(body)).toContain(JSON.stringify(members).slice(1, -1))
})

test('JSON has the same: null and an empty text are nothing sent', async () => {
  const nothing = { metadata: null, receipt_email: '', description: null, capture_method: '' }
  const { body } = await compatible.create({ amount: 1, currency: 'Jpy', ...nothing })
  expect(body).toMatchObject({ currency: 'jpy', metadata: {}, receipt_email: null })
  expect((await sessionOf(body.id)).customer).toBeNull()
})

test.each([
  'automatic_payment_methods[enabled]=true',
  'automatic_payment_methods[enabled]=false',
  'automatic_payment_methods[enabled]=true&automatic_payment_methods[allow_redirects]=never',
  'payment_method_types[0]=card',
  'payment_method_types[]=card',
  'confirm=false',
  'confirmation_method=automatic',
  'expand[0]=latest_charge',
])('what is so may be asked for: %s', async (more) => {
  const plain = (await compatible.createForm(ok)).body
  const { id, client_secret, created, ripper } = (await compatible.createForm(`${ok}&${more}`)).body
  expect((await compatible.read(id)).body).toEqual({ ...plain, id, created, ripper, client_secret: null })
  expect(client_secret).toContain(id)
})

test('and in JSON', async () => {
  const asked = {
    automatic_payment_methods: { enabled: true },
    payment_method_types: ['card'],
    confirm: false,
    confirmation_method: 'automatic',
    expand: ['latest_charge'],
  }
  expect((await compatible.create({ ...tea, ...asked })).body).toMatchObject({ status: 'requires_payment_method' })
})

test('without an email the checkout asks for it', async () => {
  const { body } = await compatible.createForm(ok)
  const state = await service.client.state(body)
  expect(state.body.session.customer_email_required).toBe(true)
})

describe('a parameter that is wrong', () => {
  const bad = (code: string, param: string, ripper = 'invalid_request') =>
    `400 invalid_request_error ${code} ${param} ${ripper}`

  test.each([
    ['', bad('parameter_missing', 'amount')],
    ['amount=4200', bad('parameter_missing', 'currency')],
    ['amount=&currency=gbp', bad('parameter_invalid_empty', 'amount')],
    ['amount=5&currency=', bad('parameter_invalid_empty', 'currency')],
    ['amount=abc&currency=gbp', bad('parameter_invalid_integer', 'amount')],
    ['amount=1e3&currency=gbp', bad('parameter_invalid_integer', 'amount')],
    ['amount=10.0&currency=gbp', bad('parameter_invalid_integer', 'amount')],
    ['amount=%2B5&currency=gbp', bad('parameter_invalid_integer', 'amount')],
    ['amount=%205&currency=gbp', bad('parameter_invalid_integer', 'amount')],
    ['amount=0&currency=gbp', bad('parameter_invalid_integer', 'amount')],
    ['amount[]=5&currency=gbp', bad('parameter_invalid_integer', 'amount')],
    ['amount=100000000000&currency=gbp', bad('amount_too_large', 'amount')],
    ['amount=5&currency=zzz', bad('invalid_request', 'currency')],
    [`${ok}&amount=6`, bad('invalid_request', 'amount')],
    [`${ok}&receipt_email=ada`, bad('email_invalid', 'receipt_email')],
    [`${ok}&metadata=foo`, bad('invalid_request', 'metadata')],
    [`${ok}&metadata[]=x`, bad('invalid_request', 'metadata')],
    [`${ok}&metadata[a]=1&metadata[a]=2`, bad('invalid_request', 'metadata[a]')],
    [`${ok}&metadata[a]=%00`, bad('invalid_request', 'metadata[a]')],
    [`${ok}&metadata[a]=%ff`, bad('invalid_request', 'metadata[a]')],
    [`${ok}&capture_method=manual`, bad('invalid_request', 'capture_method')],
    [`${ok}&description=a&metadata[description]=b`, bad('invalid_request', 'description')],
    [`${ok}&metadata[a]=${'x'.repeat(8192)}`, bad('metadata_too_large', 'metadata', 'metadata_too_large')],
    [
      `${ok}&statement_descriptor_suffix=${'😀'.repeat(23)}`,
      bad('metadata_too_large', 'statement_descriptor_suffix', 'metadata_too_large'),
    ],
    [
      `${ok}&description=y&metadata[a]=${'x'.repeat(8180)}`,
      bad('metadata_too_large', 'metadata', 'metadata_too_large'),
    ],
    [`${ok}&metadata[a=1`, bad('parameter_unknown', 'metadata[a')],
    [`${ok}&__proto__=1`, bad('parameter_unknown', '__proto__')],
    [`${ok}&__proto__[a]=1`, bad('parameter_unknown', '__proto__')],
    [`${ok}&constructor=1`, bad('parameter_unknown', 'constructor')],
    [`${ok}&${visa}=1`, bad('parameter_unknown', '(a name of digits)')],
  ])('%s', async (form, expected) => {
    expect(fault(await compatible.createForm(form))).toBe(expected)
  })

  test.each([
    [{ ...tea, amount: '4200' }, bad('parameter_invalid_integer', 'amount')],
    [{ ...tea, amount: null }, bad('parameter_invalid_empty', 'amount')],
    [{ ...tea, metadata: { a: 5 } }, bad('invalid_request', 'metadata[a]')],
    [{ ...tea, metadata: { a: null } }, bad('invalid_request', 'metadata[a]')],
    [{ ...tea, items: [] }, bad('parameter_unknown', 'items')],
    [{ ...tea, expand: ['customer'] }, bad('parameter_unknown', 'expand')],
    [{ ...tea, expand: 'latest_charge' }, bad('parameter_unknown', 'expand')],
    [{ ...tea, 'metadata[a]': 'b' }, bad('parameter_unknown', 'metadata[a]')],
    [{ ...tea, 'amount[0]': 1 }, bad('parameter_unknown', 'amount[0]')],
    [[], bad('invalid_request', 'body')],
  ])('JSON %j', async (body, expected) => {
    expect(fault(await compatible.create(body))).toBe(expected)
  })

  test.each([
    ['automatic_payment_methods=true', 'card is the only payment method'],
    ['automatic_payment_methods[enabled]=yes', 'card is the only payment method'],
    ['automatic_payment_methods[redirects]=never', 'card is the only payment method'],
    ['payment_method_types=card', 'card is the only payment method'],
    ['payment_method_types[0]=link', 'card is the only payment method'],
    ['payment_method_types[0]=card&payment_method_types[1]=link', 'card is the only payment method'],
    ['payment_method_types[]=link&payment_method_types[]=card', 'card is the only payment method'],
    ['payment_method_types[]=card&payment_method_types[]=link', 'card is the only payment method'],
    ['payment_method=pm_1', 'the checkout takes the card'],
    ['confirm=true', 'the checkout confirms the payment'],
    ['confirm=', 'the checkout confirms the payment'],
    ['customer=cus_1', 'receipt_email'],
    ['customer_account=acct_1', 'receipt_email'],
    ['payment_details[order_reference]=1', 'keep what you need of it in metadata'],
    ['return_url=https://x.example', 'set the confirmation address on the integration'],
    ['setup_future_usage=off_session', 'cards are not stored'],
    ['off_session=true', 'a shopper who is there'],
    ['shipping[address][line1]=x', 'keep what you need of it in metadata'],
    ['statement_descriptor=TEA', 'Send statement_descriptor_suffix'],
    ['application_fee_amount=1', 'money goes to the merchant alone'],
    ['transfer_data[destination]=acct_1', 'money goes to the merchant alone'],
    ['on_behalf_of=acct_1', 'money goes to the merchant alone'],
    ['confirmation_method=manual', 'the checkout confirms the payment'],
    ['error_on_requires_action=true', 'the checkout shows the bank’s page by itself'],
  ])('%s is to be deleted', async (more, reason) => {
    const param = /^\w+/.exec(more)![0]
    const answer = await compatible.createForm(`${ok}&${more}`)
    expect(fault(answer)).toBe(bad('parameter_unknown', param))
    const { message } = answer.body.error
    expect(message).toMatch(new RegExp(`^${param} is not supported: delete this line; `))
    expect(message).toContain(reason)
  })

  test('several are all named', async () => {
    const { body } = await compatible.create({ ...tea, confirm: true, hooks: {}, [visa]: 1 })
    expect(body.error.message).toMatch(/^confirm is not .* Nor are: hooks, \(a name of digits\)\.$/)
    expect(body.error.param).toBe('confirm')
  })

  test.each([
    ['metadata[a]', /^metadata\[a\] is not a parameter .*: in JSON metadata is an object, /],
    ['amount[0]', /^amount\[0\] is not a parameter of this request\.$/],
    ['expand[0]', /^expand is not supported: delete this line; /],
  ])('a JSON member %s', async (name, words) => {
    const { body } = await compatible.create({ ...tea, [name]: 'x' })
    expect(body.error.message).toMatch(words)
  })

  test('a search', async () => {
    const answer = await compatible.read(`search?query=${encodeURIComponent("status:'succeeded'")}`)
    expect(fault(answer)).toBe(bad('parameter_unknown', 'query'))
    expect(answer.body.error.message).toContain('payment intents are not searched')
  })

  test('in the query too', async () => {
    const answer = await compatible.create(tea, { at: `${addresses[0]}?expand[]=latest_charge` })
    expect(fault(answer)).toBe(bad('parameter_unknown', 'expand'))
  })
})

describe('the integration’s order reference', () => {
  const integration = { order_reference_metadata_key: 'order[id]' }
  let ordering: ReturnType<typeof openCompatible>
  beforeAll(async () => {
    const account = await service.newAccount({ integration })
    ordering = openCompatible(account.client, account)
  })

  test('comes from the metadata', async () => {
    const { body } = await ordering.createForm(`${ok}&metadata[order[id]]=A-1`)
    expect(body.metadata).toEqual({ 'order[id]': 'A-1' })
    const [row] = await service.sql`
      select order_reference from sessions where session_id = ${body.id}`
    expect(row).toEqual({ order_reference: 'A-1' })
  })

  test('is none where its key is not sent, whatever its name', async () => {
    const integration = { order_reference_metadata_key: 'constructor' }
    const account = await service.newAccount({ integration })
    const { body } = await openCompatible(account.client, account).createForm(ok)
    const [row] = await service.sql`
      select order_reference from sessions where session_id = ${body.id}`
    expect(row).toEqual({ order_reference: null })
  })

  test.each([
    ['x'.repeat(65), 'invalid_request'],
    ['a%07b', 'invalid_request'],
    [visa, 'card_data_rejected'],
  ])('%s is refused', async (value, code) => {
    const answer = await ordering.createForm(`${ok}&metadata[order[id]]=${value}`)
    expect(fault(answer)).toBe(`400 invalid_request_error ${code} metadata[order[id]] ${code}`)
    expect(answer.text).not.toContain(value)
  })
})

describe('which encoding', () => {
  const json = JSON.stringify(tea)

  test.each([
    [json, 'application/json'],
    [json, 'application/vnd.api+json; charset=utf-8'],
    [json, 'text/plain;charset=UTF-8'],
    [` \n${json}`, 'text/plain'],
    [ok, 'application/x-www-form-urlencoded; charset=utf-8'],
    [ok, 'text/plain;charset=UTF-8'],
  ])('%s as %s', async (raw, type) => {
    const headers = { 'content-type': type }
    expect((await compatible.createForm(raw, { headers })).status).toBe(200)
  })

  test.each([json, ok])('%s without a type', async (text) => {
    const headers = compatible.bearer
    const raw = Buffer.from(text)
    const answer = await service.client.send('POST', addresses[0]!, { headers, raw })
    expect(answer.status).toBe(200)
  })

  test.each([
    [json, 'application/x-www-form-urlencoded', 400, 'Send JSON as application/json'],
    [ok, 'application/json', 400, 'not valid JSON'],
    [ok, 'multipart/form-data; boundary=x', 415, 'application/x-www-form-urlencoded'],
    ['%%%', 'garbage', 415, 'application/json or application/x-www-form-urlencoded'],
  ])('%s as %s is refused', async (raw, type, status, words) => {
    const answer = await compatible.createForm(raw, { headers: { 'content-type': type } })
    expect(answer.status).toBe(status)
    expect(answer.body.error).toMatchObject({ type: 'invalid_request_error' })
    expect(answer.body.error.message).toContain(words)
  })

  test('the API’s own routes take no form', async () => {
    const headers = {
      ...service.client.withKey,
      'content-type': 'application/x-www-form-urlencoded',
    }
    const answer = await service.client.send('POST', '/v1/checkout/sessions', {
      headers: { ...headers, 'rip-idempotency-key': 'form' },
      raw: ok,
    })
    expect([answer.status, answer.body.error]).toEqual([415, 'invalid_request'])
  })
})
