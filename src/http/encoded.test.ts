import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { encodedOnce, lasting } from './encoded.ts'

test.each([100, 200_000])('%i bytes: each encoding is made once and says the same', (length) => {
  const plain = Buffer.alloc(length, 'ripper ')
  const encoded = encodedOnce(plain)
  expect(brotliDecompressSync(encoded.br)).toEqual(plain)
  expect(gunzipSync(encoded.gzip)).toEqual(plain)
  expect(encoded.br).toBe(encoded.br)
  expect(encoded.gzip).toBe(encoded.gzip)
})

test('an answer that lasts keeps what it was', () => {
  const answer = { status: 200, body: 'ä', headers: { a: 'b' } }
  const lastingAnswer = lasting(answer)
  expect(lastingAnswer).toMatchObject(answer)
  expect(lastingAnswer.encoded!.plain.toString()).toBe('ä')
})
