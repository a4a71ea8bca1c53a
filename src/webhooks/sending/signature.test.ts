import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signatureOf } from './signature.ts'

const at = new Date('2026-09-01T12:00:00.999Z')
const secret = `rip_whsec_${'0'.repeat(64)}`
const older = `rip_whsec_${'1'.repeat(64)}`

/** What a receiver does: splits the header and computes the signature itself. */
function isSigned(header: string, body: string, key: string): boolean {
  const parts = header.split(',').map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')![1]
  const expected = createHmac('sha256', key).update(`${t}.${body}`).digest('hex')
  return parts.some(([name, value]) => name === 'v1' && value === expected)
}

test('a known body, secret and time', () => {
  // printf '1788264000.{"id":"evt_1"}' | openssl dgst -sha256 -hmac rip_whsec_0…0
  expect(signatureOf('{"id":"evt_1"}', [secret], at)).toBe(
    't=1788264000,v1=051dfc3128dfb4ed531683859cc858c6559740b2c6f6f347a2ab0e2dafa126a4',
  )
})

describe('while a rotation overlaps', () => {
  const header = signatureOf('body', [secret, older], at)

  test('both secrets sign, the current one first', () => {
    expect(header).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
    expect(header.startsWith(signatureOf('body', [secret], at))).toBe(true)
    expect([secret, older].map((key) => isSigned(header, 'body', key))).toEqual([true, true])
  })

  test('no other does', () => {
    expect(isSigned(header, 'body', secret.slice('rip_whsec_'.length))).toBe(false)
  })
})

test('the signature is over the bytes of the body, whatever they are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.date({ noInvalidDate: true }), (body, when) => {
      const header = signatureOf(body, [secret], when)
      expect(isSigned(header, body, secret)).toBe(true)
      expect(isSigned(header, `${body} `, secret)).toBe(false)
    }),
  )
})

test('the time is in whole seconds, and is signed', () => {
  const later = new Date(at.getTime() + 1)
  expect(signatureOf('body', [secret], at)).toMatch(/^t=1788264000,/)
  expect(signatureOf('body', [secret], later)).toMatch(/^t=1788264001,/)
  const moved = signatureOf('body', [secret], at).replace('t=1788264000', 't=1788264001')
  expect(isSigned(moved, 'body', secret)).toBe(false)
})
