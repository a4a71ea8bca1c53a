import { expect, test } from 'vitest'
import { languageFor } from './words.ts'

test.each([
  [null, null, 'en', 'ltr'],
  [null, 'de', 'de', 'ltr'],
  [null, 'de-CH,de;q=0.9,en;q=0.8', 'de-CH', 'ltr'],
  [null, 'ru;q=1, ja;q=0.8, en;q=0.9', 'en', 'ltr'],
  [null, 'en;q=0, fr;q=0.1', 'fr', 'ltr'],
  [null, 'xx, *;q=0.5', 'en', 'ltr'],
  ['ar', 'de', 'ar', 'rtl'],
  ['pt-BR', null, 'pt-BR', 'ltr'],
  ['auto', 'pl', 'pl', 'ltr'],
  ['zh', 'de', 'de', 'ltr'],
  ['zh', null, 'en', 'ltr'],
  ['zh', 'ko, ru', 'en', 'ltr'],
  ['de"><script>', 'fr', 'fr', 'ltr'],
  ['en-a', 'fr', 'fr', 'ltr'],
  ['de-1', null, 'en', 'ltr'],
  [null, 'en-a, de-1;q=0.9, pl;q=0.8', 'pl', 'ltr'],
  ['de_AT', null, 'en', 'ltr'],
  ['jam', null, 'en', 'ltr'],
  ['', 'es', 'es', 'ltr'],
  ['DE-ch', null, 'de-CH', 'ltr'],
  ['pt-Latn-BR', null, 'pt-Latn-BR', 'ltr'],
  ['ar-EG-u-nu-latn', null, 'ar-EG', 'rtl'],
])('asked %s with Accept-Language %s is %s', (wished_tag, header, locale, direction) => {
  expect(languageFor(wished_tag, header)).toMatchObject({ locale, direction })
})

test.each(['en-a', 'de-1', 'fr-x', 'de-CH-1996', 'en-u', 'it-IT-IT'])(
  'amounts can be written by what becomes of %s',
  (tag) => {
    for (const { locale } of [languageFor(tag, null), languageFor(null, tag)]) {
      const numberFormat = new Intl.NumberFormat(locale, { style: 'currency', currency: 'GBP' })
      expect(numberFormat.format(8.5)).toMatch(/8[.,]50/)
    }
  },
)

test('the words are those of the language', () => {
  expect(languageFor('en', null).words.complete).toBe('Payment complete')
  expect(languageFor('de-AT', null).words).toBe(languageFor('de', null).words)
})
