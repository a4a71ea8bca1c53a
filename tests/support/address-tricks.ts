// Spellings that have led senders of webhooks to where they must not go, and what is to become of each.

import type { GuardedFailureCode } from '../../src/kernel/world.ts'

export type Trick = {
  /** With the port of a listener on loopback wherever PORT stands. */
  url: string
  /** Without allowed networks. */
  refused: GuardedFailureCode
  /** With loopback as the allowed network; the same where nothing is said. */
  allowed?: 'arrives' | GuardedFailureCode
}

export const loopback = ['127.0.0.0/8', '::1/128']

const loopbackHosts = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0X7F.0x0.0x0.0x1',
  '0177.0.0.1',
  '0177.0.0.01',
  '017700000001',
  '00000000000000000000177.0.0.1',
  '①②⑦.⓪.⓪.①',
  '１２７.０.０.１',
  '127。0。0。1',
  '127．0．0．1',
  '127｡0｡0｡1',
  '%31%32%37.0.0.1',
  '127.0.0.1%2e',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::FFFF:7F00:0001]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ⓛocalhost',
  'ｌｏｃａｌｈｏｓｔ',
  'loc\u00adalhost',
  'hooks.localhost',
]

const otherHosts = [
  // This machine and its networks.
  ...['0', '0.0.0.0', '0x0', '[::]', '[0:0:0:0:0:0:0:0]'],
  ...['10.0.0.1', '012.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '3232235777'],
  ...['169.254.0.1', '100.64.0.1', '100.127.255.254'],
  // Where clouds hand out credentials.
  ...['169.254.169.254', '2852039166', '0xA9FEA9FE', '0251.0376.0251.0376', '169.254.170.2'],
  ...['100.100.100.200', '192.0.0.192', '168.63.129.16', '[fd00:ec2::254]', '[fd20:ce::254]'],
  ...['[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', 'metadata.google.internal'],
  // Benchmarking, documentation, relays, multicast, reserved, broadcast.
  ...['198.18.0.1', '198.19.255.255', '192.0.2.1', '198.51.100.1', '203.0.113.9'],
  ...['192.31.196.1', '192.52.193.1', '192.88.99.1', '192.175.48.1'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  // IPv6 that holds an IPv4 address: compatible, SIIT, ISATAP, NAT64, 6to4, Teredo, mapped.
  ...['[::127.0.0.1]', '[::7f00:1]', '[::ffff:0:127.0.0.1]', '[::5efe:127.0.0.1]'],
  ...['[2606:4700::5efe:10.0.0.1]', '[2606:4700:1:2:200:5efe:a9fe:a9fe]'],
  ...['[fe80::5efe:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::1]'],
  ...['[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001:0:4136:e378:8000:63bf:807f:fffe]'],
  ...['[::ffff:8.8.8.8]', '[::ffff:808:808]'],
  // IPv6 of one machine, link, site or organisation; reserved; not given out.
  ...['[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd12:3456::1]', '[ff02::1]', '[ff0e::1]'],
  ...['[100::1]', '[2001:2::1]', '[2001:10::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]'],
  ...['[2620:4f:8000::1]', '[4000::1]', '[8000::1]', '[200::1]'],
]

/** Names that are refused where no network is allowed, and looked up where one is. */
const localNames = [
  ...['intranet', 'printer.local', 'api.internal', 'db.localdomain', 'nas.home.arpa'],
  ...['router.lan', 'mail.corp', 'wiki.intranet', 'WIKI.Corp', 'a.b.lan'],
]

const spellings = [
  // Whose host is not what it looks like.
  'https://shop.example@127.0.0.1:PORT/',
  'https://127.0.0.1:PORT@shop.example/',
  'https://shop.example:443@127.0.0.1:PORT/',
  'https://user:secret@shop.example/',
  'https://@shop.example/',
  'https://:@shop.example/',
  'https://shop.example%2f@127.0.0.1:PORT/',
  'https://127.0.0.1:PORT#@shop.example/',
  'https://shop.example#@127.0.0.1:PORT/',
  'https://127.0.0.1:PORT\\@shop.example/',
  'https://shop.example\\@127.0.0.1:PORT/',
  'https:\\\\127.0.0.1:PORT\\',
  'https://shop.example/#',
  // Slashes and white space that parsers forgive.
  'https:127.0.0.1:PORT',
  'https:/127.0.0.1:PORT/',
  'https:///127.0.0.1:PORT/',
  'https://\\127.0.0.1:PORT/',
  ' https://127.0.0.1:PORT/',
  'https://127.0.0.1:PORT/\n',
  'ht\ntps://127.0.0.1:PORT/',
  'https://127.0.\t0.1:PORT/',
  'https://127.0.0.1\u3000:PORT/',
  '\u0000https://127.0.0.1:PORT/',
  // No absolute https URL.
  '',
  '/hook',
  '//127.0.0.1:PORT/',
  '127.0.0.1:PORT',
  'shop.example',
  'https://',
  'https://:443/',
  'https://./',
  'http://shop.example/',
  'http://8.8.8.8/',
  'http://[2606:4700::1111]/',
  'http://[::ffff:8.8.8.8]:PORT:1/',
  'ftp://127.0.0.1:PORT/',
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'gopher://127.0.0.1:PORT/_x',
  'dict://127.0.0.1:PORT/',
  'javascript:alert(1)',
  'data:text/plain,x',
  'ws://127.0.0.1:PORT/',
  'wss://127.0.0.1:PORT/',
  'blob:https://127.0.0.1:PORT/x',
  'unix:/run/docker.sock',
  'http+unix://%2frun%2fdocker.sock/',
  // Hosts that are none.
  'https://256.1.1.1/',
  'https://1.2.3.4.5/',
  'https://0x1ffffffff/',
  'https://127.0.0.1%00.shop.example/',
  'https://[::1',
  'https://[::1%25lo]:PORT/',
  'https://[fe80::1%25eth0]/',
  'https://[fe80::1%eth0]/',
  'https://[127.0.0.1]/',
  'https://shop..example/',
  "https://shop'.example/",
  'https://shop example/',
  `https://${'a'.repeat(64)}.example/`,
  `https://${'a.'.repeat(127)}example/`,
  `https://shop.example/${'a'.repeat(2028)}`,
  // No port.
  'https://shop.example:65536/',
]

export const tricks: Trick[] = [
  ...loopbackHosts.flatMap((host): Trick[] => [
    { url: `http://${host}:PORT/hook`, refused: 'blocked_address', allowed: 'arrives' },
    // The listener speaks no TLS, but is asked to.
    { url: `https://${host}:PORT/hook`, refused: 'blocked_address', allowed: 'tls' },
  ]),
  ...otherHosts.flatMap((host): Trick[] => [
    { url: `http://${host}:PORT/hook`, refused: 'blocked_address' },
    { url: `https://${host}/hook`, refused: 'blocked_address' },
  ]),
  ...localNames.flatMap((name): Trick[] => [
    { url: `http://${name}:PORT/`, refused: 'blocked_address', allowed: 'arrives' },
    { url: `https://${name}.:PORT/`, refused: 'blocked_address', allowed: 'tls' },
  ]),
  ...spellings.map((url): Trick => ({ url, refused: 'invalid_url' })),
]
