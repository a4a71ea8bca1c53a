// Which texts count as holding a card number, and which common references must never count.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { candidates, looksLikeCardNumber } from './card-data.ts'
import { luhn } from './luhn.ts'

describe('looks like a card number', () => {
  test.each([
    ['contiguous', '4242424242424242'],
    ['spaces', '4242 4242 4242 4242'],
    ['hyphens', '4242-4242-4242-4242'],
    ['no-break spaces', '4242\u00a04242\u00a04242\u00a04242'],
    ['thin spaces', '4242\u20094242\u202f4242\u20094242'],
    ['dots', '4242.4242.4242.4242'],
    ['underscores', '4242_4242_4242_4242'],
    ['slashes', '4242/4242/4242/4242'],
    ['en dashes with spaces lost', '4242–4242–4242–4242'],
    ['minus signs', '4242−4242−4242−4242'],
    ['two separators', '4242 -4242- 4242--4242'],
    ['mixed separators', '4242-4242 4242.4242'],
    ['single digits', '4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2'],
    ['single digits after another', '7 4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2'],
    ['full-width digits', '４２４２４２４２４２４２４２４２'],
    ['Arabic-Indic digits', '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢'],
    ['mathematical digits', '𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐𝟒𝟐'],
    ['digits of two scripts side by side', '\u{116de}\u{116dc}'.repeat(8)],
    ['circled digits', '④②④②④②④②④②④②④②④②'],
    ['zero-width spaces', '4242\u200b4242\u200d4242\ufeff4242'],
    ['soft hyphens', '4242\u00ad4242\u00ad4242\u00ad4242'],
    ['glued to letters', 'A4242424242424242B'],
    ['in a sentence', 'paid with 4242424242424242, thanks'],
    ['an extra leading group', '12 4242 4242 4242 4242'],
    ['an extra trailing group', '4242 4242 4242 4242 12/27'],
    ['after a long number', '12345678 4242 4242 4242 4242'],
    ['after a group with a letter', 'A1 4242 4242 4242 4242'],
    ['behind a sign', '#4242-4242-4242-4242'],
    ['Amex in its groups', '3782 822463 10005'],
    ['Amex', '378282246310005'],
    ['Mastercard, 2-series', '2223003122003222'],
    ['Discover', '6011111111111117'],
    ['JCB', '3566002020360505'],
    ['Diners Club', '3056 930902 0004'],
    ['UnionPay', '6200000000000005'],
    ['Maestro of 13 digits', '5018000000007'],
    ['Visa of 19 digits', '4000000000000000006'],
    ['Mir', '2200000000000004'],
  ])('%s', (_, text) => {
    expect(looksLikeCardNumber(text)).toBe(true)
  })
})

describe('looks like something else', () => {
  test.each([
    ['empty', ''],
    ['words', 'Order for Ada Lovelace'],
    ['short number', 'order 10042'],
    ['twelve digits', '424242424242'],
    ['a failed check digit', '4242424242424241'],
    ['counting', '1234567890123'],
    ['UUID', '3f2504e0-4f89-41d3-9a0c-0305e82c3301'],
    ['UUID with a card in its last groups', 'f4242424-4242-4242-4242-42424242a242'],
    ['ULID', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    ['ULID of many digits', '01HZ4242424242X42424242424'],
    ['epoch milliseconds', '1788264000000'],
    ['epoch microseconds', '1788264000000000'],
    ['epoch nanoseconds', '1788264000000000000'],
    ['EAN-13', '9780306406157'],
    ['date and time', '20260901123045'],
    ['ISO date and time', '2026-09-01T12:00:00.0000000+00:00'],
    ['date, time and a counter', '2026-09-01-120000-0007'],
    ['two telephone numbers', '+44 20 7946 0018, +44 20 7946 0123'],
    ['IBAN', 'GB82 WEST 1234 5698 7654 32'],
    ['order id, 3-7-7', '114-3941689-8772232'],
    ['snowflake', '1541815603606036480'],
    ['payment intent', 'pi_3MtwBwLkdIwHu7ix28a3tqPa'],
    ['Mongo id', '507f1f77bcf86cd799439011'],
    ['twenty digits around a card', '42424242424242424242'],
    ['three separators', '4242 - 4242 - 4242 - 4242'],
    ['a comma between', '4242,4242,4242,4242'],
    ['groups glued to letters', 'x4242 4242 4242 4242y'],
    ['a group of one among groups of four', '4242 4242 4242 424 2'],
    ['groups of eight', '42424242 42424242'],
    ['a number of no scheme', '9000000000000001'],
    ['an address', '4000 Main Street, Suite 200, 94105-1234'],
    ['emoji', '4️⃣ 🎉 order'],
  ])('%s', (_, text) => {
    expect(looksLikeCardNumber(text)).toBe(false)
  })

  test('no epoch millisecond, EAN-13 of books or UUID without a run', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_600_000_000_000, max: 1_999_999_999_999 }), (at) => {
        expect(looksLikeCardNumber(`${at}`)).toBe(false)
        expect(looksLikeCardNumber(`order-${at}-eu`)).toBe(false)
        expect(looksLikeCardNumber(`978${`${at}`.slice(3)}`)).toBe(false)
      }),
    )
  })
})

describe('cost', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('4', '2', '0', '44', ' ', '-', '.', 'a', 'é', '٤', '\u200b', ',', '𝟒'),
    maxLength: 2000,
  })

  test('each digit begins at most seven candidates, and one run', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const numbers = [...candidates(text)]
        const digits = [...text.matchAll(/\p{Nd}/gu)].length
        expect(numbers.length).toBeLessThanOrEqual(7 * digits + 1)
        for (const candidate of numbers) expect(candidate).toMatch(/^[0-9]{13,19}$/)
      }),
    )
  })

  // A pattern that backtracks would not end within a test's time limit.
  test.each([
    ['digits', '4'],
    ['single digits', '4 '],
    ['groups', '44 '],
    ['groups and letters', '4444-a'],
    ['separators', '- '],
    ['letters', 'x'],
    ['another script', '٤'],
  ])('half a million characters: %s', (_, unit) => {
    expect(looksLikeCardNumber(unit.repeat(500_000 / unit.length) + '1'.repeat(12))).toBe(false)
  })

  test('a card that any separators cut into groups of 2 to 6 is found', () => {
    const separators = fc.constantFrom(' ', '-', '--', '. ', '\u2009', '–', '_', '/')
    const cut = fc.record({
      sizes: fc.array(fc.integer({ min: 2, max: 6 }), { minLength: 8, maxLength: 8 }),
      separators: fc.array(separators, { minLength: 8, maxLength: 8 }),
      number: fc.stringMatching(/^4[0-9]{15}$/),
    })
    fc.assert(
      fc.property(cut, ({ sizes, separators, number }) => {
        let text = ''
        let total = 0
        for (const [index, size] of sizes.entries()) {
          if (total >= 16) break
          const rest = 16 - total
          const length = rest - size < 2 ? Math.min(rest, 6) : size
          if (rest - length === 1) return
          text += (text && separators[index]) + number.slice(total, total + length)
          total += length
        }
        if (luhn(number)) expect(looksLikeCardNumber(text)).toBe(true)
        else expect([...candidates(text)]).toContain(number)
      }),
    )
  })
})
