import { describe, expect, test } from 'vitest'
import { retryAfterSeconds, shownText } from './answer.ts'

const now = new Date('2026-09-01T12:00:00Z')

test.each([
  ['0', 0],
  ['120', 120],
  [' 7 ', 7],
  ['9999999999', 9_999_999_999],
  ['Tue, 01 Sep 2026 12:02:00 GMT', 120],
  ['Tuesday, 01-Sep-26 12:02:00 GMT', 120],
  ['Tue, 01 Sep 2026 11:00:00 GMT', 0],
  [undefined, null],
  ['', null],
  ['-1', null],
  ['1.5', null],
  ['1e3', null],
  ['9'.repeat(40), Number.MAX_SAFE_INTEGER],
  ['soon', null],
  ['2026-09-01T12:02:00Z', null],
  ['Tue, 41 Sep 2026 12:02:00 GMT', null],
  ['Tue, 01 Sep 2026 12:02:00', null],
  [['1', '2'], null],
])('Retry-After: %s is %s', (value, seconds) => {
  expect(retryAfterSeconds(value, now)).toBe(seconds)
})

test('a date counts from the time it is read at, in whole seconds, never too early', () => {
  const later = new Date('2026-09-01T12:00:00.500Z')
  expect(retryAfterSeconds('Tue, 01 Sep 2026 12:00:02 GMT', later)).toBe(2)
})

describe('the text that is shown', () => {
  const smile = '😀'

  test.each([
    ['nothing', '', ''],
    ['1,024 characters', 'a'.repeat(1024), 'a'.repeat(1024)],
    ['one more', 'a'.repeat(1025), 'a'.repeat(1024)],
    ['a pair at the end', `${'a'.repeat(1023)}${smile}b`, `${'a'.repeat(1023)}${smile}`],
    ['pairs alone', smile.repeat(1024), smile.repeat(1024)],
    ['U+0000', '\0a\0b\0', 'ab'],
    ['other controls', 'a\x01\x7f\tb', 'a\x01\x7f\tb'],
  ])('%s', (_name, text, expected) => {
    expect(shownText(Buffer.from(text), false)).toBe(expected)
  })

  test.each([
    ['a byte that begins nothing', [0x61, 0xff, 0x62], 'a\ufffdb'],
    ['a surrogate spelt as UTF-8', [0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
    ['an over-long U+0000', [0xc0, 0x80], '\ufffd\ufffd'],
    ['a character without its end', [0x61, 0xf0, 0x9f], 'a\ufffd'],
  ])('%s', (_name, bytes, expected) => {
    expect(shownText(Buffer.from(bytes), false)).toBe(expected)
  })

  test('a character that the cut went through is left out', () => {
    const bytes = Buffer.from(`${'\0'.repeat(3001)}${smile.repeat(300)}`).subarray(0, 4096)
    expect(shownText(bytes, true)).toBe(smile.repeat(273))
  })
})
