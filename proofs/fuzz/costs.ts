// What a body costs to judge, compared with a harmless one of the same length: a ratio, since a time depends on the machine.

import type { z } from 'zod'
import { bodyKindOf, bodyLimits } from '../../src/http/body-limits.ts'
import { canonicalJson } from '../../src/http/canonical.ts'
import { type FormRules, readForm, refuseMorePairs } from '../../src/http/form.ts'
import { readJson } from '../../src/http/json.ts'
import type { Route } from '../../src/http/route.ts'
import { validate } from '../../src/http/validate.ts'

/** Takes a body as a route does before its handler: read, told from others, judged. */
export function judgeBody(route: JudgedRoute, text: string): void {
  const { body, form, explain } = route
  const limits = bodyLimits[bodyKindOf(route)]
  const bytes = Buffer.from(text)
  try {
    const value = form && !/^[{[]/.test(text) ? readPairs(bytes, form) : readJson(bytes, limits)
    canonicalJson(value)
    validate(body, value, explain)
  } catch {
    // Nearly all of these are refused.
  }
}

function readPairs(bytes: Buffer, form: FormRules): object {
  refuseMorePairs(bytes, bodyLimits.basket.pairs)
  return readForm(bytes, form)
}

export type JudgedRoute = { body: z.ZodType } & Pick<Route<never>, 'form' | 'explain' | 'body_kind'>

/** A quarter of the largest: what is not linear shows, and all of them are tried in seconds. */
const full_bytes = bodyLimits.basket.bytes / 4

/** As many copies of a text as fit into a body. */
function filled(piece: string): string {
  return piece.repeat(Math.floor(full_bytes / Buffer.byteLength(piece)))
}

/** A basket of long names: what an honest client's largest body is like. */
export const harmless = `{"items":[${`{"sku":"tea","name":"${'tea '.repeat(75)}","quantity":1},`.repeat(90)}0]}`

/** Texts that some pattern, table or normal form might take long over. */
const texts: Record<string, string> = {
  'one letter': filled('x'),
  spaces: filled(' '),
  digits: filled('4'),
  'digits by themselves': filled('4 '),
  'groups of digits': filled('44-'),
  'Arabic digits': filled('٤'),
  'digits with nothing between': filled('4\u200b'),
  'marks out of order': `a${filled('\u0316\u0301')}`,
  'one character that stands for eighteen': filled('\ufdfa'),
  'dots behind an at': `a@${filled('.')} `,
  'ats and dots': filled('a@a.'),
  slashes: `https:${filled('/')} `,
  escapes: filled('%41'),
  brackets: filled('[a]'),
}

function members(name: (index: number) => string): string {
  let text = ''
  for (let index = 0; text.length < full_bytes - 40; index++) text += `"${name(index)}":0,`
  return `{${text}"last":0}`
}

/** Values that are no text. */
const values: Record<string, string> = {
  'a list of numbers': `[${filled('0,')}0]`,
  'a list of objects': `[${filled('{},')}0]`,
  'a list of lines': `[${filled('{"sku":"a","x":1},')}0]`,
  'many members': members((index) => `k${index}`),
  'a long number': filled('9'),
}

/** Every hostile body for a field, by what it is. `path` names where the field stands, such as `customer.email` or `items.0.sku`. */
export function* hostileBodies(
  path: string,
  { takes_forms }: { takes_forms: boolean },
): Generator<[name: string, text: string]> {
  const within = (value: string) =>
    path.split('.').reduceRight((inner, name) => (name === '0' ? `[${inner}]` : `{"${name}":${inner}}`), value)
  for (const [name, text] of Object.entries(texts)) {
    yield [`${path}: ${name}`, within(JSON.stringify(text))]
    if (takes_forms) yield [`${path} in a form: ${name}`, `${path}=${text}`]
  }
  for (const [name, value] of Object.entries(values)) yield [`${path}: ${name}`, within(value)]
}

/** Bodies that are hostile whatever the route. */
export const hostileEverywhere: [name: string, text: string][] = [
  ['members that nobody knows', members((index) => `k${index}`)],
  ['members that are numbers', members(String)],
  ['members far apart', members((index) => String((index * 1_048_576) % 4_294_967_290))],
  ['a name of many digits', `{"${filled('\\u0034')}":1}`],
  ['long paths', `{"${'k'.repeat(15_000)}":${members((index) => `k${index}`).slice(0, 15_000)}`],
  ['lists in lists', filled('[')],
  ['objects in objects', filled('{"a":')],
  ['a text without end', `{"a":"${filled('\\u0041')}`],
  ['white space', `${filled(' \t')}{}`],
  ['a form of ands', filled('&')],
  ['a form of many parameters', filled('a=&')],
  ['a form of brackets', `${filled('[')}=1`],
  ['a form of keys', Array.from({ length: 2_200 }, (_, at) => `metadata[${at}]=`).join('&')],
]

/**
 * How much more hostile work takes than harmless work: the least ratio of a few tries, over as soon as one is at most
 * `enough`. Each try repeats the work twice as often as the last, since a clock that counts in steps says little about one
 * short piece of work.
 */
export function costRatio(
  work: { hostile: () => void; harmless: () => void },
  { enough, tries = 6 }: { enough: number; tries?: number },
): number {
  let least = Number.POSITIVE_INFINITY
  for (let index = 0; index < tries && least > enough; index++) {
    const times = 2 ** index
    least = Math.min(least, cpuOf(work.hostile, times) / cpuOf(work.harmless, times))
  }
  return least
}

/** Microseconds of this process, one at least. */
function cpuOf(work: () => void, times: number): number {
  const from = process.cpuUsage()
  for (let index = 0; index < times; index++) work()
  const { user, system } = process.cpuUsage(from)
  return Math.max(user + system, 1)
}
