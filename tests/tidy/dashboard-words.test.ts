// The dashboard's words: none that nobody says, and in each language the keys and placeholders of English.

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { faults } from '../../src/kernel/field-rules.ts'

const root = resolve(import.meta.dirname, '../..')
const folder = resolve(root, 'web/words/dashboard')
const textOf = (file: string) => readFileSync(resolve(folder, file), 'utf8')
const english = JSON.parse(textOf('en.json')) as Record<string, string>
const files = readdirSync(folder)

const page = readdirSync(resolve(root, 'web/dashboard'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('.test.'))
  .map((file) => `web/dashboard/${file}`)
const sources = [...page, 'src/pages/dashboard.ts'].map((file) => readFileSync(resolve(root, file), 'utf8')).join('\n')

test('every word is said somewhere', () => {
  const prefixes = [...sources.matchAll(/say(?:Code|Known)\(\s*(?:'([a-z_]+)'|.*? \? '([a-z]+)' : '([a-z]+)')/g)]
    .flatMap(([, ...found]) => found)
    .filter((prefix) => prefix !== undefined)
  const parts = [...sources.matchAll(/`(\w*_)?\$\{\w+\}(_\w+)?`/g)].map(
    ([, before = '', after = '']) => new RegExp(`^${before}\\w+${after}$`),
  )
  const unsaid = Object.keys(english).filter(
    (key) =>
      !sources.includes(`'${key}'`) &&
      !sources.includes(`.words.${key}!`) &&
      !prefixes.some((prefix) => key.startsWith(`${prefix}_`)) &&
      !parts.some((part) => part.source !== '^\\w+$' && part.test(key)),
  )
  expect(unsaid).toEqual([])
})

test('each change that the service journals has its word, and no other', () => {
  const service = readdirSync(resolve(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(resolve(root, 'src', file), 'utf8'))
    .join('\n')
  const written = [...service.matchAll(/\bchange: '([a-z_]+(?:\.[a-z_]+)+)'/g)].map(([, name]) => name!)
  const wordless = written.filter((name) => !(`change_${name.replaceAll('.', '_')}` in english))
  expect([...new Set(wordless)]).toEqual([])
  const names = [...service.matchAll(/'([a-z_]+(?:\.[a-z_]+)+)'/g)].map(([, name]) => name!)
  // Those of an operation are put together: `void.begun`.
  const known = [
    ...names,
    'capture.begun',
    'void.begun',
    'charge.under_way',
    'orphan.reversed',
    'orphan.nothing_to_reverse',
  ]
  const keys = new Set(known.map((name) => `change_${name.replaceAll('.', '_')}`))
  const stray = Object.keys(english).filter((key) => key.startsWith('change_') && !keys.has(key))
  expect(stray).toEqual(['change_password'])
})

test('each rule that the service names has its word, and no other', () => {
  const words = Object.keys(english).flatMap((key) => /^fault_(?!at_)(\w+)$/.exec(key)?.[1] ?? [])
  // What the page itself refuses to send.
  expect(words.sort()).toEqual([...faults, 'amount'].sort())
})

test('each decline code that the service itself gives has its word', () => {
  const service = readdirSync(resolve(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^(acquirers|payments)\/.*\.ts$/.test(file) && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(resolve(root, 'src', file), 'utf8'))
    .join('\n')
  const category = "'(?:soft|hard|fraud|network|provider_error)'"
  const forms = [
    `\\['([a-z_]+)', ${category}, `,
    `code: '([a-z_]+)',\\s+category: (?:${category}|fraud)`,
    "soft\\('([a-z_]+)', ",
  ]
  const codes = forms.map((form) => [...service.matchAll(new RegExp(form, 'g'))].map(([, code]) => code!))
  // Each form is one in which they stand somewhere.
  expect(codes.map((each) => each.length > 0)).toEqual(forms.map(() => true))
  const wordless = codes.flat().filter((code) => !(`decline_${code}` in english))
  expect([...new Set(wordless)]).toEqual([])
})

test('each language of the hosted page has a file', () => {
  const hosted = readdirSync(resolve(folder, '..')).filter((file) => file.endsWith('.json'))
  expect(files.sort()).toEqual(hosted.sort())
})

/** Keys whose English text is also the right one: names, and words that the language has taken over. */
const same: Record<string, string> = {
  ar: 'product nav_webhooks webhook_health',
  de: `product details nav_webhooks nav_team nav_system name column_status column_code three_ds
    passkey role_support passkeys check_problem version acquirer webhook_health live test
    milliseconds price_name handle`,
  es: 'product no nav_webhooks three_ds webhook_health milliseconds handle',
  fr: `product nav_sessions session nav_webhooks nav_audit nav_group_administration column_acts column_code mode three_ds
      version webhook_health actor_page actor_service operation_capture test milliseconds handle net`,
  it: `product no nav_team nav_audit email password column_email filter_customer_email three_ds
    passkey database acquirer live test milliseconds kind_acquirer handle report_file`,
  ja: 'product',
  nl: `product details nav_webhooks nav_team nav_audit column_status column_deadline column_event
    column_events column_code filters three_ds event_made endpoints passkey passkeys database
    acquirer webhook_health status_requires_payment actor_operator live test milliseconds
    kind_acquirer connection_label handle help`,
  pl: `product nav_system column_status three_ds check_problem actor_operator test milliseconds handle`,
  pt: 'product nav_webhooks three_ds endpoints webhook_health milliseconds handle',
}

/** Behind a key of English a language may have further plural forms of it, such as `declines_few`. */
function isForm(key: string, language: string): boolean {
  const [, base = '', form = ''] = /^(\w+)_([a-z]+)$/.exec(key) ?? []
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  return pluralCategories.some((each) => each === form) && /\{count\}/.test(english[base] ?? '')
}

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()

describe.each(files)('%s', (file) => {
  const language = file.slice(0, -5)
  const words = JSON.parse(textOf(file)) as Record<string, string>
  const keysWhere = (wrong: (text: string, key: string) => boolean) =>
    Object.keys(words).filter((key) => wrong(words[key]!, key))

  test('is JSON with two spaces, each key once, in the order of English', () => {
    expect(textOf(file)).toBe(`${JSON.stringify(words, null, 2)}\n`)
    const keys = Object.keys(words).filter((key) => key in english || !isForm(key, language))
    expect(keys).toEqual(Object.keys(english))
  })

  test('has the placeholders of English, and no text that is empty or padded', () => {
    const wrong = keysWhere((text, key) => {
      // A form for zero, one or two may say its number in a word.
      const of_english = placeholders(english[key] ?? english[key.replace(/_[a-z]+$/, '')] ?? '')
      const lacks = (each: string) => !(text.includes(each) || (!(key in english) && each === '{count}'))
      const has_more = placeholders(text).some((each) => !of_english.includes(each))
      return has_more || of_english.some(lacks) || text === '' || text !== text.trim()
    })
    expect(wrong).toEqual([])
  })

  test.skipIf(language === 'en')('is English only where the word is the same', () => {
    const untranslated = keysWhere((text, key) => text === english[key])
    expect(untranslated.sort()).toEqual(same[language]!.split(/\s+/).sort())
  })

  // Arabic forms its words from within, so none begins another.
  test.skipIf(language === 'ar')('has one word for each state of a payment', () => {
    const begin = language === 'ja' ? 2 : 4
    for (const state of ['captured', 'held', 'voided', 'declined']) {
      const stem = words[`status_${state}`]!.slice(0, begin).toLowerCase()
      for (const key of ['change', 'event', 'story'].map((form) => `${form}_payment_${state}`)) {
        expect.soft(words[key]!.toLowerCase(), key).toContain(stem)
      }
    }
  })
})

test('French keeps its high punctuation on the line of the word before', () => {
  const words = Object.entries<string>(JSON.parse(textOf('fr.json')))
  const loose = /[^\u00a0][;!?»]|[^\u00a0]:(?!\/\/)|«[^\u00a0]/
  expect(words.filter(([, text]) => loose.test(text))).toEqual([])
})

// What fills a placeholder may be of the other direction and would else pull its neighbours along.
test('Arabic isolates what is filled in', () => {
  const words = Object.entries<string>(JSON.parse(textOf('ar.json')))
  const bare = /(?<!\u2068)\{\w+\}|\{\w+\}(?!\u2069)/
  expect(words.filter(([, text]) => bare.test(text))).toEqual([])
})
