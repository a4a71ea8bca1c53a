// What the pages say: the shopper's language, what merchants wrote as mere text, and no secret.

import { describe, expect, test } from 'vitest'
import { tagsOf } from '../support/markup.ts'
import { breakout, contextOf, useServedPages } from '../support/served-pages.ts'

const { account, client_secret, pages, read } = await useServedPages()

describe('the language', () => {
  test.each([
    ['none', '', undefined, 'en', 'ltr'],
    ["the browser's", '', 'xx, de-CH;q=0.8, fr;q=0.9', 'fr', 'ltr'],
    ['with its region', '', 'de-CH', 'de-CH', 'ltr'],
    ['asked for', 'locale=ja', 'de', 'ja', 'ltr'],
    ['asked for as auto', 'locale=auto', 'de', 'de', 'ltr'],
    ['one that is not there', 'locale=xx', 'de', 'de', 'ltr'],
    ['one that nobody has', 'locale=xx', 'ko', 'en', 'ltr'],
    ['one that is no tag', 'locale=de%22%3E%3Cscript%3E', undefined, 'en', 'ltr'],
    ['one that only looks like a tag', 'locale=en-a', 'fr', 'fr', 'ltr'],
    ['from right to left', 'locale=ar-EG', undefined, 'ar-EG', 'rtl'],
  ])('%s', async (_name, query, accepted, locale, direction) => {
    for (const page of [pages.fields, pages.pay]) {
      const headers: Record<string, string> = accepted ? { 'accept-language': accepted } : {}
      const got = await read(`${page}?${query}`, headers)
      expect(got.text).toContain(`<html lang="${locale}" dir="${direction}"`)
      const { locale: told, words } = contextOf(got)
      expect(told).toBe(locale)
      const english = words.card_details === 'Card details'
      expect(english).toBe(locale === 'en')
      expect(got.headers.vary).toContain('Accept-Language')
    }
  })

  test.each([
    ['challenge', 'ar', '<html lang="ar" dir="rtl">'],
    ['method', 'fr-CA', '<html lang="fr-CA" dir="ltr">'],
    ['result', 'de', '<html lang="en" dir="ltr">'],
  ] as const)('of the page around the bank: %s in %s', async (page, accepted, element) => {
    expect((await read(pages[page], { 'accept-language': accepted })).text).toContain(element)
  })
})

describe('what a merchant writes stays text', () => {
  test.each(['pay', 'fields', 'demo'] as const)('on %s', async (page) => {
    const got = await read(pages[page])
    const json = /<script type="application\/json" id="context">(.*?)<\/script>/s.exec(got.text)![1]!
    expect(json).toContain('\\u003c/script>')
    expect(got.text).not.toContain(breakout)
    expect(got.text).not.toContain('<script>alert')
    const scripts = tagsOf(got.text).filter((tag) => tag.name === 'script')
    expect(scripts).toHaveLength(page === 'fields' ? 2 : 3)
  })

  test('and comes to the scripts as it was written', async () => {
    const { config } = contextOf(await read(pages.pay))
    expect(config.merchant.name).toBe(breakout)
    expect(config.pricing.price_list[0].name).toBe(breakout)
    expect(config.appearance.variables.fontFamily).toBe(breakout)
    const { appearance } = contextOf(await read(pages.fields))
    expect(appearance.variables.fontFamily).toBe(breakout)
    const { goods } = contextOf(await read(pages.demo))
    expect(goods[0].name).toBe(breakout)
  })

  test('in the title too', async () => {
    const { text } = await read(pages.pay)
    expect(text).toContain('<title>&#60;/script&#62;&#60;script&#62;alert(1)</title>')
  })
})

test('no page says a secret', async () => {
  for (const path of Object.values(pages)) {
    const { text, headers } = await read(`${path}?client_secret=${client_secret}`)
    const said = `${text}${JSON.stringify(headers)}`
    expect(said).not.toContain(account.secret_key)
    expect(said).not.toContain(client_secret)
    expect(said).not.toMatch(/rip_sk_|_secret_/)
  }
})
