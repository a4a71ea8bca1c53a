// No body, header or address costs many times what a harmless one of the same length does.

import { expect, test } from 'vitest'
import type { z } from 'zod'
import {
  costRatio,
  harmless,
  hostileBodies,
  hostileEverywhere,
  type JudgedRoute,
  judgeBody,
} from '../../proofs/fuzz/costs.ts'
import { namesTag } from '../../src/http/caching.ts'
import { networkOf } from '../../src/http/gateway-limit.ts'
import { type Route, routeName } from '../../src/http/route.ts'
import { languageFor } from '../../src/kernel/words.ts'
import { serverWords } from '../../src/outgoing/mail/smtp.ts'
import { routes } from '../../src/routes.ts'

/** Bodies of other kinds cost a few times as much as the harmless one; what is not linear costs hundreds of times. */
const ratio_max = 12

const judged = routes
  .filter((route): route is (typeof routes)[number] & JudgedRoute => !!route.body && !route.alias_of)
  .map((route) => [routeName(route as Route<never>), route] as const)

test.each(judged)('%s judges every body for about the same', { timeout: 60_000 }, (_, route) => {
  const takes_forms = !!route.form
  const ofFields = pathsOf(route.body).flatMap((path) => [...hostileBodies(path, { takes_forms })])
  const costly = [...hostileEverywhere, ...ofFields].flatMap(([name, text]) => {
    const ratio = costRatio(
      { hostile: () => judgeBody(route, text), harmless: () => judgeBody(route, harmless) },
      { enough: ratio_max },
    )
    return ratio > ratio_max ? [`${name}: ${ratio.toFixed(0)} times`] : []
  })
  expect(costly).toEqual([])
})

/** The fields of a body, those of its customer and its lines among them. */
function pathsOf(body: z.ZodType): string[] {
  const { shape } = body as unknown as { shape?: Record<string, unknown> }
  const inner: Record<string, string[]> = {
    customer: ['email', 'name', 'account_id', 'account_created'],
    items: ['0.sku', '0.name', '0.type'],
  }
  return Object.keys(shape ?? {}).flatMap((name) => [name, ...(inner[name] ?? []).map((below) => `${name}.${below}`)])
}

const head_bytes = 16_000
const texts = [' ', ',', '"', '1,', '::', ';q=', '4 ', '1.', 'en-', 'a@'].map((piece) =>
  piece.repeat(head_bytes / piece.length),
)

test.each<[string, (text: string) => unknown]>([
  ['an entity tag of a header', (text) => namesTag(text, '"x"')],
  ['languages of a header', (text) => languageFor(null, text)],
  ['an address of a header', networkOf],
  ['what a mail server says', serverWords],
])('%s: read in linear time', (_, read) => {
  for (const text of texts) {
    // The same text four times as long may cost four times as much, and some more.
    const often = (each: string) => () => {
      for (let index = 0; index < 20; index++) read(each)
    }
    const short = text.slice(0, head_bytes / 4)
    expect(
      costRatio({ hostile: often(text), harmless: often(short) }, { enough: 10 }),
      JSON.stringify(text.slice(0, 6)),
    ).toBeLessThanOrEqual(10)
  }
})

test('the measure finds what is not linear', () => {
  const work = (length: number) => () => `a${'\u0316\u0301'.repeat(length)}`.normalize('NFKC')
  const ratio = costRatio({ hostile: work(8_000), harmless: work(1_000) }, { enough: 10, tries: 3 })
  expect(ratio).toBeGreaterThan(10)
})
