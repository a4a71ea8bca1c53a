import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { faultOfTarget } from './target.ts'

describe('a target that can be read in one way only is taken', () => {
  test.each([
    '/',
    '/metrics',
    '/v1/payments/pay_1~2.3-4',
    '/v1/a/%2F/%20/%ff/%zz',
    '/..a/a../...',
    '/metrics/',
    '/x?a=%61&b=/../&c=a//b',
    '/x?',
    'http://pay.example/metrics',
    'HTTPS://pay.example:8443/metrics?x=http://a/../b',
    '*',
  ])('%s', (target) => {
    expect(faultOfTarget(target)).toBeNull()
  })
})

describe('any other is not', () => {
  test.each([
    ['/simulator/three-ds/../../aaaaaaaaaaaaaaaaaa/ds', '. and ..'],
    ['/./metrics', '. and ..'],
    ['/metrics/.', '. and ..'],
    ['/..', '. and ..'],
    ['/..?x', '. and ..'],
    ['http://pay.example/a/../metrics', '. and ..'],
    ['//metrics', 'empty segments'],
    ['/v1//payments', 'empty segments'],
    ['/metrics//', 'empty segments'],
    ['http://pay.example//metrics?x', 'empty segments'],
    ['/%73imulator/three-ds/ds', 'percent-encoded'],
    ['/%6detrics', 'percent-encoded'],
    ['/a/%2e%2E/metrics', 'percent-encoded'],
    ['/metrics#x', 'fragment'],
    ['http://pay.example?x/metrics', 'path'],
    ['http:///metrics', 'path'],
    ['metrics', 'path'],
    ['', 'path'],
  ])('%s', (target, words) => {
    expect(faultOfTarget(target)).toContain(words)
  })

  test('every unreserved character, however its code is written', () => {
    const unreserved = fc
      .integer({ min: 0x21, max: 0x7e })
      .map((code) => String.fromCharCode(code))
      .filter((character) => /[\w.~-]/.test(character))
    fc.assert(
      fc.property(unreserved, fc.boolean(), (character, upper) => {
        const code = character.charCodeAt(0).toString(16)
        expect(faultOfTarget(`/a%${upper ? code.toUpperCase() : code}b`)).not.toBeNull()
      }),
    )
  })

  test('and no other character', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), (code) => {
        fc.pre(!/[\w.~-]/.test(String.fromCharCode(code)))
        expect(faultOfTarget(`/a%${code.toString(16).padStart(2, '0')}b`)).toBeNull()
      }),
    )
  })
})
