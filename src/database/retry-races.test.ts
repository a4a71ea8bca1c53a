// What is tried again, how often, and what is not.

import { expect, test } from 'vitest'
import { retryRaces } from './retry-races.ts'

const deadlock = Object.assign(new Error('deadlock'), { code: '40P01' })
test.each<[string, (null | Error | string)[], string]>([
  ['a race that was lost', [null, 'won'], 'won'],
  ['a deadlock', [deadlock, 'won'], 'won'],
  ['four of both', [null, deadlock, null, deadlock, 'won'], 'won'],
  ['five', [null, deadlock, null, deadlock, null, 'won'], 'the row changed under every try to act on it'],
  ['another error', [new Error('refused'), 'won'], 'refused'],
])('after %s', async (_, ends, expected) => {
  const next = async () => {
    const end = ends.shift()!
    if (end instanceof Error) throw end
    return end
  }
  expect(await retryRaces('the row', next).catch((error: Error) => error.message)).toBe(expected)
})
