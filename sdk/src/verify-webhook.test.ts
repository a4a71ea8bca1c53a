import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { SignatureError, type SignatureFault } from './errors.ts'
import type { SigningSecrets } from './signing-secret.ts'
import { generateTestHeader, verifyWebhook } from './verify-webhook.ts'

const secret = `rip_whsec_${'ab'.repeat(32)}`
const other = `rip_whsec_${'cd'.repeat(32)}`
const now = new Date('2026-09-01T12:00:00Z')
const t = now.getTime() / 1000
const event = { id: 'evt_1', type: 'payment.captured', data: { metadata: { note: 'thé ☕' } } }
const body = JSON.stringify(event)
const header = generateTestHeader({ body, secret, at: now })
const headers = { 'rip-signature': header }

function at(seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000)
}

function faultOf(...[rawBody, sent, secrets, options]: unknown[]): SignatureError {
  try {
    verifyWebhook(rawBody as string, sent as string, secrets as string, (options ?? { now }) as object)
  } catch (error) {
    if (error instanceof SignatureError) return error
    throw error
  }
  throw new Error('it was verified')
}

test('a header is what the specification says', () => {
  const hex = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
  expect(header).toBe(`t=${t},v1=${hex}`)
})

describe('verified is', () => {
  const bytes = Buffer.from(body)
  const inside = new Uint8Array([0, ...bytes, 0]).subarray(1, -1)
  test.each<[string, Parameters<typeof verifyWebhook>[0]]>([
    ['a text', body],
    ['a Buffer', bytes],
    ['a Uint8Array', new Uint8Array(bytes)],
    ['a part of a larger one', inside],
    ['an ArrayBuffer', new Uint8Array(bytes).buffer],
  ])('%s', (_, rawBody) => {
    expect(verifyWebhook(rawBody, headers, secret, { now })).toEqual(event)
  })

  test.each<[string, Parameters<typeof verifyWebhook>[1]]>([
    ['headers of Node', headers],
    ['another spelling', { 'Rip-Signature': header, host: 'x' }],
    ['a list of one', { 'rip-signature': [header] }],
    ['copies that are the same', { 'rip-signature': [header, header] }],
    ['Headers', new Headers(headers)],
    ['a Map', new Map([['Rip-Signature', header]])],
    ['a Map of lists', new Map([['rip-signature', [header]]])],
    ['the value alone', header],
    ['space after commas', header.replace(',', ', ')],
    ['a scheme of the future', `${header},v2=xyz`],
  ])('with %s', (_, sent) => {
    expect(verifyWebhook(body, sent, secret, { now })).toEqual(event)
  })

  test.each<[string, SigningSecrets, SigningSecrets]>([
    ['the one that is set', secret, [secret, undefined]],
    ['one of two secrets', secret, [other, secret]],
    ['one of two signatures', [other, secret], secret],
    ['two of two', [secret, other], [other, secret]],
  ])('by %s', (_, signing, known) => {
    const sent = generateTestHeader({ body, secret: signing, at: now })
    expect(verifyWebhook(body, sent, known, { now })).toEqual(event)
  })

  test.each([
    ['as old as may be', 300],
    ['as new as may be', -300],
  ])('%s', (_, seconds) => {
    expect(verifyWebhook(body, headers, secret, { now: at(seconds) })).toEqual(event)
  })

  test('by the clock, without more said', () => {
    expect(verifyWebhook(body, generateTestHeader({ body, secret }), secret)).toEqual(event)
  })
})

describe('what is wrong with', () => {
  const parsed = JSON.parse(body)
  type Row = [string, SignatureFault, RegExp, unknown[]]
  const table: Row[] = [
    ['a parsed body', 'body_parsed', /express\.raw/, [parsed, headers, secret]],
    ['an empty parsed one', 'body_parsed', /express\.raw/, [{}, headers, secret]],
    ['String of an object', 'body_parsed', /made into text/, [String(parsed), headers, secret]],
    ...[5, 5n, true, Symbol('x'), () => {}].map(
      (each): Row => ['no body at all', 'body_parsed', /it is a \w+\./, [each, headers, secret]],
    ),
    ['no body', 'body_missing', /express\.raw/, [undefined, headers, secret]],
    ['an empty body', 'body_missing', /no body/, ['', headers, secret]],
    ['an empty Buffer', 'body_missing', /no body/, [Buffer.alloc(0), headers, secret]],
    ['a promise', 'body_missing', /await/, [Promise.resolve(body), headers, secret]],
    [
      'a request',
      'body_missing',
      /request\.text/,
      [new Request('https://x.example', { method: 'POST', body }), headers, secret],
    ],
    ['indented JSON', 'body_changed', /as they came/, [JSON.stringify(parsed, null, 2), headers, secret]],
    ['a line break more', 'body_changed', /as they came/, [`${body}\n`, headers, secret]],
    ['another body', 'signature_mismatch', /byte for byte/, [`{"a":1}`, headers, secret]],
    ['a body that is no JSON', 'signature_mismatch', /byte for byte/, ['a=1', headers, secret]],
    ['another secret', 'signature_mismatch', /another endpoint/, [body, headers, other]],
    ['other secrets', 'signature_mismatch', /any of the 2/, [body, headers, [other, `${other}0`]]],
    ['no headers', 'header_missing', /undefined/, [body, undefined, secret]],
    ['null for headers', 'header_missing', /null/, [body, null, secret]],
    ['headers without it', 'header_missing', /req\.headers/, [body, { host: 'x' }, secret]],
    ['an empty value', 'header_missing', /req\.headers/, [body, { 'rip-signature': '' }, secret]],
    [
      'two values',
      'header_repeated',
      /more than one/,
      [body, { 'rip-signature': [header, generateTestHeader({ body, secret, at: at(1) })] }, secret],
    ],
    [
      'two spellings',
      'header_repeated',
      /more than one/,
      [body, { 'rip-signature': header, 'Rip-Signature': 't=1,v1=2' }, secret],
    ],
    ['joined values', 'header_repeated', /more than one/, [body, `${header}, ${header}`, secret]],
    ['no time', 'header_malformed', /t=<unix/, [body, header.replace(/^t=\d+,/, ''), secret]],
    ['no signature', 'header_malformed', /t=<unix/, [body, `t=${t}`, secret]],
    ['a short signature', 'header_malformed', /t=<unix/, [body, `t=${t},v1=abcd`, secret]],
    ['half a time', 'header_malformed', /t=<unix/, [body, header.replace('t=', 't=1e'), secret]],
    [
      'a time that is not signed',
      'signature_mismatch',
      /does not match/,
      [body, header.replace(String(t), String(t + 1)), secret],
    ],
    ['no secret', 'secret_malformed', /environment/, [body, headers, undefined]],
    ['an empty list', 'secret_malformed', /none/, [body, headers, []]],
    ['a list of nothing', 'secret_malformed', /none/, [body, headers, [undefined]]],
    ['null', 'secret_malformed', /none/, [body, headers, [secret, null]]],
    ['an API key', 'secret_malformed', /API key/, [body, headers, 'rip_sk_00']],
    ['no prefix', 'secret_malformed', /prefix/, [body, headers, secret.slice(10)]],
    ['a line break', 'secret_malformed', /white space/, [body, headers, `${secret}\n`]],
    ['one of several', 'secret_malformed', /prefix/, [body, headers, [secret, 'x']]],
    ['an old one', 'timestamp_too_old', /412 s ago/, [body, headers, secret, { now: at(412) }]],
    ['one of tomorrow', 'timestamp_in_future', /86400 s from now/, [body, headers, secret, { now: at(-86_400) }]],
    [
      'one just too old',
      'timestamp_too_old',
      /11 s ago; 10 s/,
      [body, headers, secret, { now: at(10.5), tolerance: 10 }],
    ],
    [
      'a signed text that is no JSON',
      'body_not_json',
      /not a JSON/,
      ['a=1', generateTestHeader({ body: 'a=1', secret, at: now }), secret],
    ],
    [
      'a signed list',
      'body_not_json',
      /not a JSON object/,
      ['[]', generateTestHeader({ body: '[]', secret, at: now }), secret],
    ],
  ]
  test.each(table)('%s: %s', (_, code, words, args) => {
    const fault = faultOf(...args)
    expect(fault).toMatchObject({ name: 'SignatureError', code, status: null })
    expect(fault.message).toMatch(words)
    for (const hidden of [secret.slice(10), other.slice(10), 'thé']) {
      expect(fault.message).not.toContain(hidden)
    }
  })

  test.each([
    ['no tolerance', { now, tolerance: 0 }],
    ['endless tolerance', { now, tolerance: Number.POSITIVE_INFINITY }],
    ['no number', { now, tolerance: Number.NaN }],
    ['another name', { now, tolerance_seconds: 600 } as object],
    ['no time', { now: new Date('x') }],
    ['null', null as never],
    ['seconds for a time', { now: t as never }],
  ])('%s is reported before anything else', (_, options) => {
    const verify = () => verifyWebhook(body, headers, other, options)
    expect(verify).toThrow(expect.objectContaining({ name: 'UsageError' }))
  })
})

test.each([
  ['nothing', undefined],
  ['no time', { body, secret, at: new Date('x') }],
  ['another name', { body, secret, now }],
])('no header is made of %s', (_, signed) => {
  const make = () => generateTestHeader(signed as never)
  expect(make).toThrow(expect.objectContaining({ name: 'UsageError' }))
})

test('a wrong signature is reported before a wrong time', () => {
  expect(faultOf(body, headers, other, { now: at(9_999) }).code).toBe('signature_mismatch')
})
