// Every language says everything that English says: the same keys, the same placeholders, in words of its own.

import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

/** Of pages, and of receipts, whose keys are told apart here by a prefix. */
const folders: [string, string][] = [
  ['', resolve(import.meta.dirname, '../../web/words')],
  ['receipt: ', resolve(import.meta.dirname, '../../src/payments/receipts/words')],
]
const languages = ['ar', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt']

/** Keys whose English text is also the right one in the language. */
const same: Record<string, string[]> = {
  ar: ['expiry_hint'],
  de: ['optional'],
  es: ['total'],
  fr: ['date', 'total'],
  pt: ['total'],
}

const textOf = (folder: string, language: string) => readFileSync(resolve(folder, `${language}.json`), 'utf8')
const wordsOf = (language: string): Record<string, string> =>
  Object.fromEntries(
    folders.flatMap(([prefix, folder]) =>
      Object.entries<string>(JSON.parse(textOf(folder, language))).map(([key, text]) => [prefix + key, text]),
    ),
  )
const english = wordsOf('en')

test('each language has a file, and each file is a language', () => {
  for (const [, folder] of folders) {
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
    expect(files.sort()).toEqual([...languages, 'en'].map((language) => `${language}.json`).sort())
  }
})

// A key that stands twice in a file is lost in the reading; only the text shows it.
test.each([...languages, 'en'])('%s is JSON with two spaces, each key once', (language) => {
  for (const [, folder] of folders) {
    const text = textOf(folder, language)
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)
  }
})

test.each([...languages, 'en'])('%s has no text that is empty or padded', (language) => {
  expect(keysWhere(language, (text) => text === '' || text !== text.trim())).toEqual([])
})

describe.each(languages)('%s', (language) => {
  test('has the keys of English in its order', () => {
    expect(Object.keys(wordsOf(language))).toEqual(Object.keys(english))
  })

  test('has the placeholders of English', () => {
    const wrong = keysWhere(
      language,
      (text, key) => placeholders(text).join() !== placeholders(english[key] ?? '').join(),
    )
    expect(wrong).toEqual([])
  })

  test('is English only where the word is the same', () => {
    const untranslated = keysWhere(language, (text, key) => text === english[key])
    expect(untranslated.sort()).toEqual((same[language] ?? []).sort())
  })

  test('writes an ellipsis, not three dots', () => {
    expect(keysWhere(language, (text) => text.includes('...'))).toEqual([])
  })
})

test('French keeps its high punctuation on the line of the word before', () => {
  const loose = /[^\u00a0][:;!?»]|«[^\u00a0]/
  expect(keysWhere('fr', (text) => loose.test(text))).toEqual([])
})

test('Spanish opens its questions and exclamations', () => {
  const unopened = (text: string) => count(text, '?') !== count(text, '¿') || count(text, '!') !== count(text, '¡')
  expect(keysWhere('es', unopened)).toEqual([])
})

// What fills a placeholder may be of the other direction and would else pull its neighbours along.
test('Arabic isolates what is filled in', () => {
  const bare = /(?<!\u2068)\{\w+\}|\{\w+\}(?!\u2069)/
  expect(keysWhere('ar', (text) => bare.test(text))).toEqual([])
})

function keysWhere(language: string, wrong: (text: string, key: string) => boolean): string[] {
  return Object.entries(wordsOf(language))
    .filter(([key, text]) => wrong(text, key))
    .map(([key]) => key)
}

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{\w+\}/g)].map(([placeholder]) => placeholder).sort()
}

function count(text: string, mark: string): number {
  return text.split(mark).length - 1
}
