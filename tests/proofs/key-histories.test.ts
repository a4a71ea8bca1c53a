// The checker of keys' histories: one result, whoever asks for it, and however often.

import { describe, expect, test } from 'vitest'
import { type KeyCall, keyModel } from '../../proofs/histories/key.ts'
import { judge } from '../../proofs/histories/search.ts'

describe('the history of a key', () => {
  const first = { text: '{"id":"cs_1"}', replayed: false }
  const again = { ...first, replayed: true }
  const under = (rows: [number, number | null, KeyCall['told']][]): KeyCall[] =>
    rows.map(([begin_ms, end_ms, told]) => ({ client: 'a', begin_ms, end_ms, told }))
  const rightKeys: [string, KeyCall[]][] = [
    [
      'an answer and its replay',
      under([
        [0, 1, first],
        [2, 3, again],
      ]),
    ],
    [
      'a replay of what nobody was told',
      under([
        [0, null, null],
        [2, 3, again],
      ]),
    ],
    [
      'two at once',
      under([
        [0, 5, again],
        [1, 4, first],
      ]),
    ],
    [
      'refused, and then corrected',
      under([
        [0, 1, { refused: 'invalid_request' }],
        [2, 3, first],
      ]),
    ],
    [
      'still running',
      under([
        [0, 5, first],
        [1, 2, 'running'],
        [6, 7, again],
      ]),
    ],
    [
      'a first request that lost its connection once it was written down',
      under([
        [0, 1, 'running'],
        [2, 3, 'running'],
        [4, 5, again],
        [6, 7, again],
      ]),
    ],
  ]
  const wrongKeys: [string, KeyCall[]][] = [
    [
      'two sessions',
      under([
        [0, 1, first],
        [2, 3, { text: '{"id":"cs_2"}', replayed: false }],
      ]),
    ],
    [
      'two sessions at once',
      under([
        [0, 5, first],
        [0, 5, { text: '{"id":"cs_2"}', replayed: false }],
      ]),
    ],
    ['a replay of what nobody had asked for', under([[0, 1, again]])],
    [
      'two results of a request that ran',
      under([
        [0, 1, 'running'],
        [2, 3, again],
        [4, 5, { text: '{"id":"cs_2"}', replayed: true }],
      ]),
    ],
    [
      'a replay before the first',
      under([
        [0, 1, again],
        [2, 3, first],
      ]),
    ],
    [
      'refused after it was done',
      under([
        [0, 1, first],
        [2, 3, { refused: 'invalid_request' }],
      ]),
    ],
  ]

  test.each(rightKeys)('%s', (_name, history) => {
    expect(judge(keyModel, history)).toEqual({ verdict: 'right' })
  })

  test.each(wrongKeys)('not: %s', (_name, history) => {
    expect(judge(keyModel, history).verdict).toBe('wrong')
  })
})
