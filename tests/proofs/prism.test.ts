// How `npm run prism` judges what the library read. The library itself is too large for `npm test`.

import { expect, test } from 'vitest'
import { differences } from '../../proofs/prism/differences.ts'
import { judge } from '../../proofs/prism/judge.ts'
import type { Read } from '../../proofs/prism/vendors.ts'

const expected = {
  approved: { status: 'AUTHORIZED' },
  captured: { status: 'CAPTURE_INITIATED' },
  lost_card: { status: 'FAILURE', code: '30041' },
}
const read = (status: string, code: string | null = null): Read => ({ status, code, id: 'x' })
const right = {
  approved: read('AUTHORIZED'),
  captured: read('CHARGED'),
  lost_card: read('FAILURE', '30041'),
}

test.each<[string, Record<string, Read>, string[], string[]]>([
  ['all is read right, and a listed difference is no fault', right, [], []],
  ['another status', { ...right, approved: read('FAILURE') }, [], ['approved: FAILURE, expected AUTHORIZED']],
  [
    'another code',
    { ...right, lost_card: read('FAILURE', '20051') },
    [],
    ['lost_card: FAILURE 20051, expected FAILURE 30041'],
  ],
  ['nothing', { ...right, approved: undefined! }, [], ['approved: nothing, expected AUTHORIZED']],
  [
    'a listed difference that is gone',
    { ...right, captured: read('CAPTURE_INITIATED') },
    [],
    ['captured: CAPTURE_INITIATED, which differences.ts denies'],
  ],
  [
    'a listed step with another difference',
    { ...right, captured: read('FAILURE') },
    [],
    ['captured: FAILURE, expected CAPTURE_INITIATED'],
  ],
  ['a request that the fake did not take', right, ['no key'], ['not taken: no key']],
])('%s', (_, given, wrong, faults) => {
  const judged = judge({ name: 'checkout', expected, wrong }, given)
  expect(judged.filter(({ is_fault }) => is_fault).map(({ words }) => words)).toEqual(faults)
})

test('each difference says why', () => {
  for (const { why } of differences) expect(why).toMatch(/^[A-Z].*\.$/)
})
