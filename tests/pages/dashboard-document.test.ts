// The dashboard's document: the language and the colours that were chosen in a browser, else what the browser asks for.

import { expect, test } from 'vitest'
import { dashboardDocument } from '../../src/pages/dashboard.ts'

const asset = { path: '/assets/x', integrity: 'sha384-x' }

function written(wanted: Partial<Record<'language' | 'theme' | 'accept_language', string>>) {
  const none = { language: null, theme: null, accept_language: null }
  const html = dashboardDocument({ script: asset, style: asset }, { ...none, ...wanted })
  const context = /id="context">(.*?)<\/script>/.exec(html)![1]!
  return { root: /<html[^>]*>/.exec(html)![0], context: JSON.parse(context), html }
}

test.each([
  ['nothing', {}, 'auto'],
  ['dark', { theme: 'dark' }, 'dark'],
  ['light', { theme: 'light' }, 'light'],
  ['something else', { theme: '"><script>' }, 'auto'],
])('colours are in the first byte: %s', (_title, wanted, theme) => {
  expect(written(wanted).root).toContain(` data-theme="${theme}"`)
})

test.each([
  ['the browser’s language and region', { accept_language: 'de-CH,de;q=0.9' }, 'de-CH', 'ltr'],
  ['the chosen one', { language: 'ar', accept_language: 'de-CH' }, 'ar', 'rtl'],
  ['the chosen one, with the region', { language: 'de', accept_language: 'de-CH' }, 'de-CH', 'ltr'],
  ['English, if it was chosen', { language: 'en', accept_language: 'de' }, 'en', 'ltr'],
  ['the browser’s, if none is known by that name', { language: 'xx', accept_language: 'ja' }, 'ja', 'ltr'],
  ['English, if we speak none', { accept_language: 'sv' }, 'en', 'ltr'],
])('language: %s', (_title, wanted, locale, direction) => {
  const { root, context } = written(wanted)
  expect(root).toContain(`<html lang="${locale}" dir="${direction}"`)
  expect(context.locale).toBe(locale)
})

test('words are handed over, except for English, which the script has', () => {
  expect(written({ accept_language: 'en-GB' }).context).toEqual({ locale: 'en-GB', words: null })
  const { words } = written({ language: 'de' }).context
  expect(words.nav_payments).toBe('Zahlungen')
  expect(written({ language: 'de' }).html).toContain('<noscript>Das Dashboard benötigt JavaScript.')
})
