import { describe, expect, test } from 'vitest'
import { loopback, type Trick, tricks } from '../../tests/support/address-tricks.ts'
import { checkUrl, isSameAddress, openAddressRule } from './safe-address.ts'

const closed = openAddressRule([])
const local = openAddressRule(loopback)

describe('a URL that an endpoint is to have', () => {
  const cases = tricks.map((trick): [string, Trick] => [JSON.stringify(trick.url), trick])

  test.each(cases)('%s is refused', (_name, { url, refused }) => {
    const fault = checkUrl(withPort(url), closed)
    expect(fault?.code).toBe(refused)
    expect(fault?.reason).toMatch(/^must /)
  })

  test.each(cases)('%s where loopback is allowed', (_name, { url, refused, allowed }) => {
    // A name is judged when it is looked up, which is not a matter of the URL.
    const later = allowed !== undefined || url.includes('metadata.google.internal')
    expect(checkUrl(withPort(url), local)?.code).toBe(later ? undefined : refused)
  })

  test('there are at least 60 tricks', () => {
    expect(new Set(tricks.map(({ url }) => url)).size).toBeGreaterThan(60)
  })

  test.each([
    'https://shop.example/hook?a=1',
    'https://shop.example',
    'https://shop.example:/',
    'https://shop.example:443/',
    'https://shop.example:1024/',
    'https://shop.example:65535/',
    'https://shop.example./',
    'HTTPS://SHOP.EXAMPLE/',
    'https://bücher.example/é',
    'https://a_b.example/%23%40',
    'https://shop.test/a@b',
    'https://notlocalhost.example/',
    'https://internal.example/',
    'https://corp.example/',
    'https://my.atlan.example.ltdcorp/',
    'https://8.8.8.8/',
    'https://134744072/',
    'https://[2606:4700::1111]:8443/',
    `https://shop.example/${'a'.repeat(2027)}`,
  ])('%s is taken', (url) => {
    expect(checkUrl(url, closed)).toBeNull()
    expect(checkUrl(url, local)).toBeNull()
  })

  test.each([
    ['https://127.0.0.1:/', [], 'blocked_address'],
    ['https://127.0.0.1:/', ['127.0.0.1'], null],
    ['http://10.1.2.3/', ['10.0.0.0/8'], null],
    ['https://10.1.2.3:22/', ['10.0.0.0/8'], null],
    ['http://11.1.2.3/', ['10.0.0.0/8'], 'invalid_url'],
    ['https://11.1.2.3/', ['10.0.0.0/8'], null],
    ['http://[::ffff:10.1.2.3]/', ['10.0.0.0/8'], null],
    ['http://[::ffff:10.1.2.3]/', ['::/0'], 'blocked_address'],
    ['http://10.1.2.3/', ['::/0'], 'blocked_address'],
    ['http://[fd12::1]:81/', ['fd00::/8'], null],
    ['http://localhost/', ['10.0.0.0/8'], 'blocked_address'],
    ['http://localhost/', ['::1'], null],
    ['http://receiver:3000/', ['10.0.0.0/8'], null],
    ['https://receiver.internal:22/', ['10.0.0.0/8'], null],
    ['http://receiver.example:3000/', ['10.0.0.0/8'], 'invalid_url'],
    ['https://receiver.example:8022/', [], null],
    ['https://receiver.example:22/', ['10.0.0.0/8'], null],
    ['http://8.8.8.8:81/', ['8.8.8.8'], null],
    ['http://8.8.4.4/', ['8.8.8.8'], 'invalid_url'],
  ])('%s where %j is allowed', (url, networks, code) => {
    expect(checkUrl(url, openAddressRule(networks))?.code ?? null).toBe(code)
  })
})

describe('an IP address that a name has', () => {
  test.each([
    ['8.8.8.8', true],
    ['1.0.0.1', true],
    ['9.255.255.255', true],
    ['11.0.0.0', true],
    ['100.63.255.255', true],
    ['100.128.0.0', true],
    ['172.15.255.255', true],
    ['172.32.0.0', true],
    ['192.0.1.1', true],
    ['198.17.255.255', true],
    ['198.20.0.0', true],
    ['223.255.255.255', true],
    ['168.63.129.15', true],
    ['2606:4700::1111', true],
    ['2a00:1450:4001::1', true],
    ['2001:200::1', true],
    ['2003::1', true],
    ['3ffe:ffff::1', true],
    ['127.0.0.1', false],
    ['0.0.0.0', false],
    ['168.63.129.16', false],
    ['::1', false],
    ['::', false],
    ['::ffff:8.8.8.8', false],
    ['::ffff:0808:0808', false],
    ['64:ff9b::808:808', false],
    ['2001:1ff::1', false],
    ['2002:808:808::1', false],
    ['2606:4700:1:2:0:5efe:8.8.8.8', true],
    ['2606:4700:1:2:200:5efe:808:808', true],
    ['2606:4700:1:2:0:5efe:10.0.0.1', false],
    ['2606:4700:1:2:0:5efe:7f00:1', false],
    ['2606:4700::200:5efe:169.254.169.254', false],
    ['2606:4700::5efe:192.168.1.1', false],
    ['2606:4700:1:2:400:5efe:10.0.0.1', true],
    ['2606:4700:1:2:0:5eff:10.0.0.1', true],
    ['fe80::5efe:8.8.8.8', false],
    ['fd00:ec2::254', false],
    ['fe80::1%eth0', false],
    ['2606:4700::1111%eth0', false],
    ['127.1', false],
    ['shop.example', false],
    ['', false],
  ])('%s: %s', (ip, public_) => {
    expect(closed.allows(ip)).toBe(public_)
    expect(closed.inAllowedNetwork(ip)).toBe(false)
  })

  test.each([
    ['127.0.0.1', loopback, true],
    ['127.255.255.255', loopback, true],
    ['::1', loopback, true],
    ['::ffff:127.0.0.1', loopback, true],
    ['::ffff:7f00:1', loopback, true],
    ['::2', loopback, false],
    ['0.0.0.0', loopback, false],
    ['128.0.0.1', loopback, false],
    ['::ffff:8.8.8.8', loopback, false],
    ['::ffff:10.0.0.1', loopback, false],
    ['64:ff9b::7f00:1', loopback, false],
    ['::127.0.0.1', loopback, false],
    ['10.0.0.1', ['10.0.0.1'], true],
    ['10.0.0.2', ['10.0.0.1'], false],
    ['fe80::1%eth0', ['fe80::/10'], false],
    // An allowed network does not include the addresses that a cloud reserves in it.
    ['169.254.0.1', ['169.254.0.0/16'], true],
    ['169.254.169.254', ['169.254.0.0/16'], false],
    ['169.254.169.254', ['0.0.0.0/0'], false],
    ['169.254.169.254', ['169.254.169.254'], true],
    ['169.254.169.254', ['169.254.169.254/32'], true],
    ['100.100.100.200', ['100.64.0.0/10'], false],
    ['::ffff:100.100.100.200', ['100.64.0.0/10'], false],
    ['fd00:ec2::254', ['fc00::/7'], false],
    ['fd00:ec2::254', ['fd00:ec2::254/128'], true],
    ['fd00:ec2::253', ['fc00::/7'], true],
    ['fd12::5efe:10.0.0.1', ['fd00::/8', '10.0.0.0/8'], true],
    ['fd12::5efe:10.0.0.1', ['fd00::/8'], false],
    ['fd12::5efe:10.0.0.1', ['10.0.0.0/8'], false],
    ['fd12::5efe:169.254.169.254', ['fd00::/8', '0.0.0.0/0'], false],
  ])('%s where %j is allowed: %s', (ip, networks, inside) => {
    expect(openAddressRule(networks).inAllowedNetwork(ip)).toBe(inside)
  })

  test('loopback being allowed, public addresses stay so', () => {
    expect(local.allows('8.8.8.8')).toBe(true)
    expect(local.allows('10.0.0.1')).toBe(false)
  })
})

test.each([
  ['127.0.0.1', '127.0.0.1', true],
  ['127.0.0.1', '::ffff:127.0.0.1', true],
  ['::ffff:7f00:1', '127.0.0.1', true],
  ['2606:4700:0:0::1111', '2606:4700::1111', true],
  ['127.0.0.1', '127.0.0.2', false],
  ['::1', '127.0.0.1', false],
  ['::7f00:1', '127.0.0.1', false],
])('%s and %s are one address: %s', (one, other, same) => {
  expect(isSameAddress([one, other])).toBe(same)
})

function withPort(url: string): string {
  return url.replaceAll('PORT', '40123')
}
