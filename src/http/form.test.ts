import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readForm } from './form.ts'

const rules = { integers: ['amount'], maps: ['metadata'] }
const read = (text: string | Buffer) => readForm(Buffer.from(text as string), rules)
const asJson = (text: string) => JSON.stringify(read(text))

test.each([
  ['', '{}'],
  ['&&', '{}'],
  ['amount=1999&currency=GBP', '{"amount":1999,"currency":"GBP"}'],
  ['amount=007', '{"amount":7}'],
  ['other=1999', '{"other":"1999"}'],
  ['description=', '{"description":null}'],
  ['description', '{"description":null}'],
  ['amount=', '{"amount":null}'],
  ['a=b=c', '{"a":"b=c"}'],
  ['a=b+c%20d%2Be', '{"a":"b c d+e"}'],
  ['a=%E2%82%AC', '{"a":"€"}'],
  ['a=€', '{"a":"€"}'],
  ['metadata[order]=1', '{"metadata":{"order":"1"}}'],
  ['metadata%5Border%5D=1', '{"metadata":{"order":"1"}}'],
  ['metadata[a[b]]=x', '{"metadata":{"a[b]":"x"}}'],
  ['metadata[lines[0][sku]]=x', '{"metadata":{"lines[0][sku]":"x"}}'],
  ['metadata[]]=x', '{"metadata":{"]":"x"}}'],
  ['metadata[a]=x&metadata[b]=&metadata[c]=z', '{"metadata":{"a":"x","c":"z"}}'],
  ['metadata[a]=', '{"metadata":{}}'],
  ['metadata=', '{"metadata":null}'],
  ['metadata=foo', '{"metadata":"foo"}'],
  ['metadata[__proto__]=x', '{"metadata":{"__proto__":"x"}}'],
  ['metadata[constructor]=x', '{"metadata":{"constructor":"x"}}'],
  ['__proto__=x&toString=y', '{"__proto__":"x","toString":"y"}'],
  ['__proto__[a]=x', '{"__proto__":{"a":"x"}}'],
  ['types[0]=card&types[1]=link', '{"types":{"0":"card","1":"link"}}'],
  ['types[]=card&types[]=link', '{"types":{"":["card","link"]}}'],
  ['deep[a][b][c]=1', '{"deep":{"a][b][c":"1"}}'],
  ['metadata[a=1', '{"metadata[a":"1"}'],
  ['[a]=1', null],
  ['a]=1', '{"a]":"1"}'],
])('%s', (text, json) => {
  if (json === null) expect(() => read(text)).toThrow('looks like JSON')
  else expect(asJson(text)).toBe(json)
})

test.each(['1e3', '10.0', '+5', '-5', '0x10', '5', '9007199254740993', '9'.repeat(400)])(
  'amount=%s is no whole number, and stays text',
  (text) => {
    const value = text === '5' ? ' 5' : text
    expect(read(`amount=${encodeURIComponent(value)}`)).toEqual({ amount: value })
  },
)

describe('is refused by name', () => {
  test.each([
    ['amount=5&amount=6', 'amount', 'amount is sent twice.'],
    ['amount=5&amount=5', 'amount', 'amount is sent twice.'],
    ['metadata[a]=1&metadata[b]=1&metadata[a]=2', 'metadata[a]', 'metadata[a] is sent twice.'],
    ['metadata[a]=&metadata[a]=2', 'metadata[a]', 'metadata[a] is sent twice.'],
    ['metadata=&metadata[a]=1', 'metadata[a]', 'metadata[a] is sent twice.'],
    ['metadata[a]=1&metadata=', 'metadata', 'metadata is sent twice.'],
    ['amount=1&amount[]=1', 'amount[]', 'amount[] is sent twice.'],
    ['__proto__=1&__proto__=2', '__proto__', '__proto__ is sent twice.'],
    ['metadata[]=x', 'metadata', 'metadata is an object: send metadata[key]=value.'],
    ['metadata[a][b]=1', 'metadata[a][b]', 'metadata[a][b] is nested: a value of metadata is text.'],
    ['metadata[a][]=1', 'metadata[a][]', 'metadata[a][] is nested: a value of metadata is text.'],
    ['a=100%', 'a', 'a has a percent escape that is not valid UTF-8.'],
    ['a=%ff', 'a', 'a has a percent escape that is not valid UTF-8.'],
    ['a=%ed%a0%80', 'a', 'a has a percent escape that is not valid UTF-8.'],
    ['a=%c0%af', 'a', 'a has a percent escape that is not valid UTF-8.'],
    ['%ff=1', 'body', 'body has a percent escape that is not valid UTF-8.'],
    ['a=%00', 'a', 'a contains the character U+0000.'],
    ['metadata[%00]=a', 'body', 'body contains the character U+0000.'],
    ['=5', 'body', 'body has a parameter without a name.'],
    ['4242424242424242=1&4242424242424242=2', '(a name of digits)', '(a name of digits) is sent'],
  ])('%s', (text, field, words) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'invalid_request', field, status: 400 }))
    expect(() => read(text)).toThrow(words)
  })

  test('bytes that are not UTF-8', () => {
    expect(() => read(Buffer.from([0x61, 0x3d, 0xff]))).toThrow('The body is not valid UTF-8.')
  })

  test.each(['{"amount":5}', ' \n{"amount":5}', '[1]'])('JSON: %s', (text) => {
    expect(() => read(text)).toThrow('looks like JSON')
  })
})

test('metadata comes through whatever its keys and values are', () => {
  const texts = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/\0|^[^[\]]*\]\[/.test(text))
  fc.assert(
    fc.property(fc.dictionary(texts, texts, { noNullPrototype: true }), (metadata) => {
      const pairs = Object.entries(metadata).map(
        ([key, value]) => `metadata[${encodeURIComponent(key)}]=${encodeURIComponent(value)}`,
      )
      const expected = pairs.length === 0 ? {} : { metadata }
      expect(JSON.stringify(read(pairs.join('&')))).toBe(JSON.stringify(expected))
    }),
  )
})

test.each([
  ['10,000 brackets', `a${'['.repeat(10_000)}=1`],
  ['10,000 pairs of brackets', `a${'[b]'.repeat(10_000)}=1`],
  ['10,000 parameters', Array.from({ length: 10_000 }, (_, at) => `a[${at}]=1`).join('&')],
])('%s cost no time', (_name, text) => {
  const started = process.cpuUsage()
  read(text)
  const { user, system } = process.cpuUsage(started)
  expect((user + system) / 1000).toBeLessThan(500)
})
