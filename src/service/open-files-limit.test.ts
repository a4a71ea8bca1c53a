import { expect, test } from 'vitest'
import { connectionsThatFit, readOpenFilesMax } from './open-files-limit.ts'

test.each([
  ['there is room', 10_000, 524_288, 10_000],
  ['there is just room', 10_000, 11_024, 10_000],
  ['a thousand are kept for the rest', 10_000, 4_096, 3_072],
  ['of few, half', 10_000, 1_024, 512],
  ['nobody says', 10_000, Number.POSITIVE_INFINITY, 10_000],
])('where %s', (_, connections_asked, open_files_max, connections) => {
  expect(connectionsThatFit(connections_asked, open_files_max)).toBe(connections)
})

test('this machine says how many, another may not', () => {
  expect(readOpenFilesMax()).toBeGreaterThan(100)
  expect(readOpenFilesMax('/nowhere')).toBe(Number.POSITIVE_INFINITY)
})
