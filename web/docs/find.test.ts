import { expect, test } from 'vitest'
import { find, found_max, type SearchEntry } from './find.ts'

const index: SearchEntry[] = [
  { title: 'Create a checkout session', href: '/a', place: 'POST /v1/sessions', words: 'amount' },
  { title: 'session_expired', href: '/b', place: 'Refusal 409' },
  { title: 'Retries', href: '/c', place: 'Webhooks' },
  { title: 'Webhooks', href: '/d', place: 'Guide' },
]
const hrefs = (asked: string) => find(index, asked).map(({ href }) => href)

test.each([
  ['', []],
  ['  ', []],
  ['session expired', ['/b']],
  ['SESSION_EXPIRED', ['/b']],
  ['sess', ['/a', '/b']],
  ['webhooks', ['/d', '/c']],
  ['session amount', ['/a']],
  ['amount nowhere', []],
  ['/v1/sessions', ['/a']],
])('%j', (asked, found) => {
  expect(hrefs(asked)).toEqual(found)
})

test('so many and no more', () => {
  const many = Array.from({ length: 40 }, (_, at) => ({ ...index[0]!, href: `/${at}` }))
  expect(find(many, 'session')).toHaveLength(found_max)
})
