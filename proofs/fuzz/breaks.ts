// What is done to a good body so that it is one no more: to its values, and to its bytes.

import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { luhn } from '../../src/cards/luhn.ts'
import { changeNode, isMembers, jsonText, Raw, type Value } from './value.ts'

/** A change of a body's value. */
export type ValueBreak =
  | { how: 'replace'; at: number; by: Value }
  | { how: 'remove'; at: number; nth: number }
  | { how: 'add' | 'rename' | 'duplicate'; at: number; nth: number; name: string; by: Value }
  | { how: 'wrap'; at: number; in: 'array' | 'object' }

/** A change of a body's bytes. */
export type ByteBreak = { how: keyof typeof byteBreaks; at: number }

/** Texts that no refusal may repeat: long enough that nothing says them by chance. */
export const marker = fc
  .string({ minLength: 8, maxLength: 8, unit: fc.constantFrom(...'bcdfghjk') })
  .map((tail) => `zq${tail}`)
export const marker_pattern = /zq[b-k]{8}/g

/** A number that could be a card's, and is no test card's, in one of the ways that people write it. */
export const canary = fc
  .tuple(
    fc.string({ minLength: 9, maxLength: 9, unit: fc.constantFrom(...'123456789') }),
    fc.constantFrom('', '', ' ', '-', 'full-width', 'inside', 'arabic'),
  )
  .map(([digits, way]) => written(withCheckDigit(`453211${digits}`), way))

function withCheckDigit(number: string): string {
  return [...'0123456789'].map((digit) => number + digit).find(luhn)!
}

function written(number: string, way: string): string {
  const shifted = (zero: number) => number.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)))
  if (way === 'full-width') return shifted(0xff10)
  if (way === 'arabic') return shifted(0x0660)
  if (way === 'inside') return `card ${number}, please`
  return number.replace(/(\d{4})(?=\d)/g, `$1${way}`)
}

const deep = (levels: number) => new Raw('['.repeat(levels) + ']'.repeat(levels))
const nasty = fc.constantFrom<Value>(
  ...[null, true, false, 0, -1, 1.5, 2 ** 53 - 1, -(2 ** 31), 1e21, 100_000_000_000],
  ...['-0', '1e400', '9007199254740993', '1E2', '1.0', '01', 'NaN', '0x10', '-', '1.'].map(raw),
  ...['"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\\x"', '"a\nb"', "'a'", 'undefined'].map(raw),
  ...['', ' ', '\t', '\u202e', '\ufeff', '👩‍👩‍👧', 'é', '\u0301', '%00', '../../..', '\u007f', '\u0085'],
  ...['__proto__', 'constructor', 'null', 'true', '1', "';--", '{{7*7}}', '<script>', '=1+1'],
  ...['http://127.0.0.1/', 'https://[::1]/', 'https://u:p@shop.example/', 'https://shop.example/#a'],
  ...['https://shop.example/?payment_id=1', 'javascript:alert(1)', 'https://2130706433/', '//a', 'https://'],
  ...['x'.repeat(65), 'x'.repeat(255), 'x'.repeat(5_000), '字'.repeat(30_000)],
  ...[[], {}, [[]], [null], { a: { b: {} } }, deep(30), deep(33), deep(20_000)],
  ...['{"__proto__":{"amount":1}}', '{"a":1,"a":2}', '{"constructor":{"prototype":{}}}'].map(raw),
  ...['XXX', 'gb', 'GBPP', 'ＧＢＰ', 'webhook.payment.captured', 'payment.succeeded', 'card_0', 'cs_0'],
  Array(101).fill({ sku: 'tea', quantity: 1 }),
  Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, 'v'])),
)

function raw(text: string): Raw {
  return new Raw(text)
}

const wrongValue: fc.Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: nasty },
  { weight: 2, arbitrary: marker },
  { weight: 2, arbitrary: canary },
  { weight: 1, arbitrary: fc.double() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
)

const memberName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', '', ' ', 'Amount', 'amount ', 'a.b', 'a[0]'),
  fc.constantFrom('\u202e', 'x'.repeat(3_000), '\u007f', 'hasOwnProperty', 'offset', 'line\nbreak'),
  canary,
)

/** A place from 0 to 1, each as likely: by itself a small one is drawn more often. */
export const place = fc.noBias(fc.nat(99_999)).map((nth) => nth / 100_000)
const nth = fc.nat(20)

export const valueBreak: fc.Arbitrary<ValueBreak> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ how: fc.constant('replace' as const), at: place, by: wrongValue }),
  },
  { weight: 2, arbitrary: fc.record({ how: fc.constant('remove' as const), at: place, nth }) },
  {
    weight: 3,
    arbitrary: fc.record({
      how: fc.constantFrom('add' as const, 'rename' as const, 'duplicate' as const),
      at: place,
      nth,
      name: memberName,
      by: wrongValue,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      how: fc.constant('wrap' as const),
      at: place,
      in: fc.constantFrom('array' as const, 'object' as const),
    }),
  },
)

const limit = 128 * 1024
const padded = (bytes: Buffer, size: number) =>
  Buffer.concat([bytes, Buffer.alloc(Math.max(0, size - bytes.length), ' ')])
const inserted = (bytes: Buffer, at: number, what: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), what, bytes.subarray(at)])

const byteBreaks = {
  bom: (bytes: Buffer) => Buffer.concat([Buffer.from('\ufeff'), bytes]),
  invalid_utf8: (bytes: Buffer, at: number) => inserted(bytes, at, Buffer.from([0xff])),
  overlong: (bytes: Buffer, at: number) => inserted(bytes, at, Buffer.from([0xc0, 0xaf])),
  surrogate_utf8: (bytes: Buffer, at: number) => inserted(bytes, at, Buffer.from([0xed, 0xa0, 0x80])),
  nul: (bytes: Buffer, at: number) => inserted(bytes, at, Buffer.from([0])),
  cut: (bytes: Buffer, at: number) => bytes.subarray(0, at),
  flip: (bytes: Buffer, at: number) => {
    const copy = Buffer.from(bytes)
    if (at < copy.length) copy[at] = copy[at]! ^ 0x14
    return copy
  },
  utf16: (bytes: Buffer) => Buffer.from(bytes.toString(), 'utf16le'),
  latin1: (bytes: Buffer) => Buffer.from(bytes.toString(), 'latin1'),
  gzip: (bytes: Buffer) => gzipSync(bytes),
  twice: (bytes: Buffer) => Buffer.concat([bytes, bytes]),
  trailing: (bytes: Buffer) => Buffer.concat([bytes, Buffer.from(' x')]),
  spaced: (bytes: Buffer) => Buffer.from(`\r\n\t ${bytes} \n`),
  at_limit: (bytes: Buffer) => padded(bytes, limit),
  over_limit: (bytes: Buffer) => padded(bytes, limit + 1),
  huge: (bytes: Buffer) => padded(bytes, 300_000),
  empty: () => Buffer.alloc(0),
  space: () => Buffer.from(' '),
  null: () => Buffer.from('null'),
  list: () => Buffer.from('[]'),
  text: () => Buffer.from('"text"'),
  number: () => Buffer.from('1'),
  form: () => Buffer.from('amount=1&currency=GBP&metadata[a]=b'),
}

export const byteBreak: fc.Arbitrary<ByteBreak> = fc.record({
  how: fc.constantFrom(...(Object.keys(byteBreaks) as ByteBreak['how'][])),
  at: place,
})

export function breakValue(value: Value, broken: ValueBreak): Value {
  return changeNode(value, broken.at, (node) => changed(node, broken))
}

function changed(node: Value, broken: ValueBreak): Value {
  if (broken.how === 'replace') return broken.by
  if (broken.how === 'wrap') return broken.in === 'array' ? [node] : { value: node }
  if (!isMembers(node)) return broken.how === 'remove' ? null : node
  const entries = Object.entries(node)
  const [name, value] = entries[broken.nth % Math.max(1, entries.length)] ?? ['', null]
  const without = entries.filter(([each]) => each !== name)
  if (broken.how === 'remove') return Object.fromEntries(without)
  if (broken.how === 'add') return Object.fromEntries([...entries, [broken.name, broken.by]])
  if (broken.how === 'rename') return Object.fromEntries([...without, [broken.name, value]])
  const text = jsonText(node, () => '')
  return raw(
    `${text.slice(0, -1)}${entries.length > 0 ? ',' : ''}${JSON.stringify(name)}:${jsonText(broken.by, () => '')}}`,
  )
}

export function breakBytes(bytes: Buffer, { how, at }: ByteBreak): Buffer {
  return byteBreaks[how](bytes, Math.floor(at * bytes.length))
}
