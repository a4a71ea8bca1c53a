import { expect, test } from 'vitest'
import { shownPath, shownUnknownPath } from './shown-path.ts'

const hex = (length: number) => '0123456789abcdef'.repeat(4).slice(0, length)
const visa = '4242424242424242'

test.each([
  ['/v1/webhooks/endpoints', {}, '/v1/webhooks/endpoints'],
  ['/v1/payments/:payment_id', { payment_id: `pay_${hex(24)}` }, `/v1/payments/pay_${hex(24)}`],
  [
    '/v1/checkout/sessions/:session_id/state',
    { session_id: `cs_${hex(24)}` },
    `/v1/checkout/sessions/cs_${hex(24)}/state`,
  ],
  [
    '/v1/checkout/sessions/:session_id',
    { session_id: `cs_test_${hex(56)}` },
    `/v1/checkout/sessions/cs_test_${hex(56)}`,
  ],
  ['/v1/refunds/:refund_id', { refund_id: `ref_${hex(24)}` }, `/v1/refunds/ref_${hex(24)}`],
  ['/v1/charges/:charge_id', { charge_id: `ch_${hex(24)}` }, `/v1/charges/ch_${hex(24)}`],
  ['/v1/endpoints/:endpoint_id', { endpoint_id: `whep_${hex(24)}` }, `/v1/endpoints/whep_${hex(24)}`],
  ['/v1/deliveries/:delivery_id', { delivery_id: hex(32) }, `/v1/deliveries/${hex(32)}`],
  ['/v1/config/:public_key', { public_key: `rip_pk_${hex(48)}` }, `/v1/config/rip_pk_${hex(48)}`],
  ['/v1/handles/:handle', { handle: 'tea-shop' }, '/v1/handles/tea-shop'],
])('%s with %j is shown whole', (route, params, expected) => {
  expect(shownPath(route, params)).toBe(expected)
})

test.each([
  ['a card number', 'payment_id', visa],
  ['a card number as an id', 'payment_id', `pay_${visa}`],
  ['a card number as a handle', 'handle', visa],
  ['one in groups', 'handle', '4242-4242-4242-4242'],
  ['a client secret', 'session_id', `cs_${hex(24)}_secret_${hex(64)}`],
  ['a card number as the id of a Checkout Session', 'session_id', `cs_live_${visa}`],
  ['a page’s secret', 'session_id', `cs_live_${hex(56)}#page_secret_${hex(64)}`],
  ['a secret key', 'public_key', `rip_sk_${hex(48)}`],
  ['a signing secret', 'handle', `rip_whsec_${hex(64)}`],
  ['a handle where an id belongs', 'session_id', 'tea-shop'],
  ['a line break', 'payment_id', `pay_${hex(24)}\n`],
  ['nothing', 'payment_id', ''],
])('%s is not', (_, name, value) => {
  expect(shownPath(`/v1/:${name}/x`, { [name]: value })).toBe('/v1/…/x')
})

test('what a wildcard took is not', () => {
  expect(shownPath('/_demo/*', { '*': visa })).toBe('/_demo/…')
})

test.each([
  ['/', '/'],
  ['/v1/payment_intent', '/v1/payment_intent'],
  ['/v1//payments/?id=1#x', '/v1//payments/'],
  [`/v1/payment/pay_${hex(24)}`, `/v1/payment/pay_${hex(24)}`],
  [`/v1/${visa}/x`, '/v1/…/x'],
  ['/v1/4242-4242-4242-4242', '/v1/…'],
  [`/rip_sk_${hex(48)}`, '/…'],
  ['/v1/%70ayments', '/v1/…'],
  [`/${'a'.repeat(41)}`, '/…'],
  ['/a/b/c/d/e/f/g/h/i/j', '/a/b/c/d/e/f/g/h/…'],
  ['*', '/'],
])('the unknown path %s is shown as %s', (url, expected) => {
  expect(shownUnknownPath(url)).toBe(expected)
})
