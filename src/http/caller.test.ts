import { expect, test } from 'vitest'
import { bareAddress, callerAddress, trusting } from './caller.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['203.0.113.7:4711', '203.0.113.7'],
  ['2001:db8::1', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['[::ffff:cb00:7107]:4711', '203.0.113.7'],
  ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
  ['0000:0000:0000:0000:0000:ffff:cb00:7107', '203.0.113.7'],
  ['::ffff:0:0', '0.0.0.0'],
  ['::ffff:0:cb00:7107', '::ffff:0:cb00:7107'],
  ['2001:0DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['203.0.113.7:', null],
  ['203.0.113.7:471100', null],
  ['[203.0.113.7', null],
  ['unknown', null],
  ['', null],
  [`[${'1'.repeat(16_000)}`, null],
])('%s is the address %s', (text, address) => {
  expect(bareAddress(text)).toBe(address)
})

test.each([
  ['one without a proxy', '203.0.113.7', undefined, '203.0.113.7'],
  ['one with a port', '203.0.113.7:1', ['127.0.0.1', '203.0.113.7:1'], '203.0.113.7'],
  ['none behind a proxy', 'unknown', ['127.0.0.1', '10.0.0.2:80', 'unknown'], '10.0.0.2'],
])('the caller is %s', (_, ip, ips, address) => {
  expect(callerAddress({ ip, ips })).toBe(address)
})

test('a proxy is trusted with a port behind its address, and nobody else is', () => {
  const isTrusted = trusting(['127.0.0.1', '10.0.0.0/8', '2001:db8::/32']) as (a: string) => boolean
  const trusted = ['127.0.0.1', '::ffff:10.1.2.3', '10.1.2.3:80', '[2001:db8::1]:80']
  expect(trusted.map(isTrusted)).toEqual([true, true, true, true])
  expect(['127.0.0.2', '2001:db9::1', 'unknown'].map(isTrusted)).toEqual([false, false, false])
  expect(trusting([])).toBe(false)
})
