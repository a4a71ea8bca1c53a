import fc from 'fast-check'
import { expect, test } from 'vitest'
import { longReference, shortReference } from './reference.ts'

test('every reference comes back from its short form, of 25 characters', () => {
  const references = fc.uint8Array({ minLength: 16, maxLength: 16 })
  fc.assert(
    fc.property(references, (bytes) => {
      const reference = Buffer.from(bytes).toString('hex')
      const short = shortReference(reference)
      expect(short).toMatch(/^[0-9a-z]{25}$/)
      expect(longReference(short)).toBe(reference)
    }),
  )
})

test.each(['', 'f'.repeat(32), 'z'.repeat(25), 'A'.repeat(25), `${'0'.repeat(24)}-`])(
  '%j stands for no reference of ours',
  (text) => expect(longReference(text)).toBeNull(),
)

test('short references are in the order of the long ones', () => {
  const pair = [`${'0'.repeat(31)}1`, 'f'.repeat(32)]
  expect(pair.map(shortReference).sort()).toEqual(pair.map(shortReference))
})
