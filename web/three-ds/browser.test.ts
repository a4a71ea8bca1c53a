// What we tell of a browser is what the service takes, whatever browsers say.

import { afterEach, expect, test, vi } from 'vitest'
import { browserFacts, windowSize } from './browser.ts'

// By a name that the compiler does not follow: the service's types are not those of a browser.
const service = '../../src/payments/authentication/authenticate-body.ts'
const { authenticateBody } = (await import(service)) as {
  authenticateBody: { safeParse(body: object): { error?: object } }
}

afterEach(() => vi.unstubAllGlobals())

function inBrowser(language: string, screen: object) {
  vi.stubGlobal('navigator', { language })
  vi.stubGlobal('screen', screen)
}

test.each([
  ['a desktop', 'en-GB', { colorDepth: 24, height: 900, width: 1440 }],
  ['a colour depth of 30', 'de', { colorDepth: 30, height: 1080, width: 1920 }],
  ['a zoomed page', 'fr-CA', { colorDepth: 24, height: 823.6667, width: 411.4286 }],
  ['a long language tag', 'zh-Hant-TW-u-nu-hanidec', { colorDepth: 24, height: 1, width: 1 }],
])('%s', (_, language, screen) => {
  inBrowser(language, screen)
  const browser = browserFacts()
  const body = { card_reference: 'card_1', browser, challenge_window_size: '05' }
  expect(authenticateBody.safeParse(body).error).toBeUndefined()
  expect(browser).toMatchObject({ language, color_depth: (screen as Screen).colorDepth })
})

test.each([
  ['no language', undefined, {}],
  ['an empty language', '', {}],
  ['null for a language', null, {}],
  ['no colour depth', 'en', { colorDepth: undefined }],
  ['null for a colour depth', 'en', { colorDepth: null }],
  ['a colour depth that is text', 'en', { colorDepth: '24' }],
  ['no width', 'en', { width: undefined }],
  ['a width that is no number', 'en', { width: Number.NaN }],
  ['null for a height', 'en', { height: null }],
  ['a negative width', 'en', { width: -1 }],
  ['a screen of kilometres', 'en', { width: 2_000_000, height: Number.POSITIVE_INFINITY }],
  ['a negative colour depth', 'en', { colorDepth: -24 }],
  ['a language of a hundred letters and one', 'x'.repeat(101), {}],
  ['a language that is no text', 7, {}],
  ['no screen at all', 'en', { colorDepth: undefined, height: undefined, width: undefined }],
])('what a browser leaves out is replaced: %s', (_, language, screen) => {
  inBrowser(language as string, { colorDepth: 24, height: 900, width: 1440, ...screen })
  const body = { card_reference: 'card_1', browser: browserFacts(), challenge_window_size: '05' }
  expect(authenticateBody.safeParse(body).error).toBeUndefined()
})

test.each([Number.NaN, undefined, -1440, 1001, Number.NEGATIVE_INFINITY])(
  'a time zone of %s is replaced',
  (minutes) => {
    inBrowser('en', { colorDepth: 24, height: 1, width: 1 })
    vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValueOnce(minutes as number)
    expect(browserFacts().time_zone_offset).toBe(0)
  },
)

test('the time zone is UTC less the local time, in minutes', () => {
  inBrowser('en', { colorDepth: 24, height: 1, width: 1 })
  vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValueOnce(-330)
  expect(browserFacts().time_zone_offset).toBe(-330)
})

test.each([
  [390, 844, '05'],
  [599, 900, '05'],
  [600, 640, '03'],
  [1280, 900, '03'],
  [1280, 639, '05'],
  [844, 390, '05'],
])('%i x %i px asks for window size %s', (width, height, size) => {
  vi.stubGlobal('innerWidth', width)
  vi.stubGlobal('innerHeight', height)
  expect(windowSize()).toBe(size)
})
