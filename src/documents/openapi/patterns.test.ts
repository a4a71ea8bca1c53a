import { expect, test } from 'vitest'
import { noControls } from '../../kernel/values.ts'
import { events, routes, streams } from '../../routes.ts'
import { openApiDocument } from './openapi.ts'

test('each pattern is one that Go, Python and PHP read as JavaScript does', () => {
  const text = JSON.stringify(openApiDocument(routes, events, streams))
  const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, pattern]) => JSON.parse(pattern!))
  expect(patterns.length).toBeGreaterThan(5)
  expect(patterns.filter((each) => /\\[pPu]|\(\?[=!<]/.test(each))).toEqual([])
})

test('the same characters control text as in Unicode', () => {
  const characters = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code))
  expect(characters.filter((each) => noControls.test(each) !== /^\P{Cc}$/u.test(each))).toEqual([])
  expect(noControls.test('𝄞 é\u2028')).toBe(true)
})
