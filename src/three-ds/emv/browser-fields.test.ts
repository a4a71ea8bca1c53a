import fc from 'fast-check'
import { expect, test } from 'vitest'
import { browser, identity, purchase } from '../../../tests/adapters/three-ds-fixtures.ts'
import type { BrowserFacts } from '../three-ds.ts'
import { buildAReq } from './areq.ts'
import { browserFields } from './browser-fields.ts'
import { messageFault } from './messages.ts'
import { versions } from './versions.ts'

const rows: [string, Partial<BrowserFacts>, Record<string, unknown>][] = [
  ['colour depth 30', { color_depth: 30 }, { browserColorDepth: '24' }],
  ['colour depth 48', { color_depth: 48 }, { browserColorDepth: '48' }],
  ['colour depth 15.5', { color_depth: 15.5 }, { browserColorDepth: '15' }],
  ['no colour depth', { color_depth: 0 }, { browserColorDepth: '24' }],
  ['half a pixel', { screen_height: 767.5 }, { browserScreenHeight: '767' }],
  ['a screen that cannot be', { screen_width: -1 }, { browserScreenWidth: '0' }],
  ['an endless screen', { screen_width: Number.POSITIVE_INFINITY }, { browserScreenWidth: '0' }],
  ['a long language', { language: 'zh-Hant-TW' }, { browserLanguage: 'zh-Hant' }],
  ['a language of one long part', { language: 'abcdefghij' }, { browserLanguage: 'abcdefgh' }],
  ['a POSIX language', { language: 'en_GB.UTF-8' }, { browserLanguage: 'enGBUTF' }],
  ['no language', { language: '' }, { browserLanguage: 'en' }],
  ['west of Greenwich', { time_zone_offset: 300 }, { browserTZ: '300' }],
  ['east of Greenwich', { time_zone_offset: -345 }, { browserTZ: '-345' }],
  ['minus nothing', { time_zone_offset: -0 }, { browserTZ: '0' }],
  ['a fraction of a minute', { time_zone_offset: 0.25 }, { browserTZ: '0' }],
  ['a long user agent', { user_agent: 'x'.repeat(3000) }, { browserUserAgent: 'x'.repeat(2048) }],
  ['no user agent', { user_agent: '' }, { browserUserAgent: 'unknown' }],
  ['no accept header', { accept_header: '' }, { browserAcceptHeader: '*/*' }],
  ['an IPv6 address', { ip: '2001:db8::1' }, { browserIP: '2001:db8::1' }],
  ['IPv4 inside IPv6', { ip: '::ffff:192.0.2.7' }, { browserIP: '192.0.2.7' }],
  ['an unknown address', { ip: null }, { browserIP: undefined }],
  ['an address that is none', { ip: 'localhost' }, { browserIP: undefined }],
]

test.each(rows)('%s', (_, facts, expected) => {
  const fields = browserFields({ ...browser, ...facts }, '2.2.0')
  for (const [name, value] of Object.entries(expected)) expect(fields[name]).toBe(value)
})

test('a browser without script says nothing that only a script can know', () => {
  const fields = browserFields({ ...browser, javascript_enabled: false }, '2.2.0')
  expect(Object.keys(fields).sort()).toEqual([
    'browserAcceptHeader',
    'browserIP',
    'browserJavascriptEnabled',
    'browserLanguage',
    'browserUserAgent',
  ])
})

test('whatever a browser says, the AReq is valid', () => {
  const facts: fc.Arbitrary<BrowserFacts> = fc.record({
    accept_header: fc.string({ unit: 'binary', maxLength: 3000 }),
    user_agent: fc.string({ unit: 'grapheme', maxLength: 3000 }),
    ip: fc.option(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string())),
    language: fc.oneof(fc.string(), fc.constantFrom('zh-Hant-TW', 'de-CH-1996', 'C')),
    color_depth: fc.oneof(fc.double(), fc.integer()),
    screen_height: fc.oneof(fc.double(), fc.integer()),
    screen_width: fc.oneof(fc.double(), fc.integer()),
    time_zone_offset: fc.oneof(fc.double(), fc.integer()),
    java_enabled: fc.boolean(),
    javascript_enabled: fc.boolean(),
  })
  fc.assert(
    fc.property(facts, fc.constantFrom(...versions), (browser, version) => {
      const areq = buildAReq(purchase({ browser, version }), { mode: 'test', identity })
      expect(messageFault(areq)).toBeNull()
    }),
    { numRuns: 500 },
  )
})
