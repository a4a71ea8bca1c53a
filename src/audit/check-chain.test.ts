import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { genesis, nextHash, type WrittenLine } from './chain.ts'
import { type ChainFault, type ChainRow, type Head, openCheck } from './check-chain.ts'

type Chain = { rows: ChainRow[]; head: Head | null }

function lineOf(number: number): WrittenLine {
  return {
    merchant_id: 'm_1',
    entry_id: `e${number}`,
    session_id: null,
    subject: `s${number}`,
    change: 'key.created',
    detail: '{}',
    actor: 'operator',
    request_id: null,
    at: '1.5',
  }
}

/** A whole chain; a second call makes the same with other objects. */
function chainOf(length: number): Chain {
  const rows: ChainRow[] = []
  let hash: Buffer = genesis
  for (let position = 1; position <= length; position += 1) {
    const line = lineOf(position)
    hash = nextHash(hash, line)
    rows.push({ position, entry_id: line.entry_id, hash, line })
  }
  return { rows, head: length === 0 ? null : { position: length, hash } }
}

function faultsOf({ rows, head }: Chain): ChainFault[] {
  const faults: ChainFault[] = []
  const check = openCheck(head, (fault) => faults.push(fault))
  for (const row of rows) check.take(row)
  check.end()
  return faults
}

/** As tests write them: `line_changed 3 e3`. */
function told(chain: Chain): string[] {
  return faultsOf(chain).map(({ kind, position, until_position, entry_id }) =>
    [kind, position, until_position, entry_id].filter((part) => part !== null).join(' '),
  )
}

const other = Buffer.alloc(32, 7)
const at = ({ rows }: Chain, position: number) => rows[position - 1]!
const changeLine = (chain: Chain, position: number) => {
  const row = at(chain, position)
  row.line = { ...row.line!, detail: '{"x":1}' }
}
const forged = (position: number, from: Buffer): ChainRow => {
  const line = lineOf(99)
  return { position, entry_id: 'e99', line, hash: nextHash(from, line) }
}
/** Puts a row at its position; the others make room. */
const insert = (chain: Chain, row: ChainRow) => {
  for (const later of chain.rows) if (later.position >= row.position) later.position += 1
  chain.rows.splice(row.position - 1, 0, row)
}

type Row = [name: string, tamper: (chain: Chain) => void, ...told: string[]]

const rows: Row[] = [
  ['nothing', () => {}],
  ['a line changed: the first', (c) => changeLine(c, 1), 'line_changed 1 e1'],
  ['in the middle', (c) => changeLine(c, 3), 'line_changed 3 e3'],
  ['the last', (c) => changeLine(c, 5), 'line_changed 5 e5'],
  [
    'two next to each other',
    (c) => [2, 3].map((position) => changeLine(c, position)),
    'line_changed 2 e2',
    'line_changed 3 e3',
  ],
  [
    'a line removed',
    (c) => {
      at(c, 2).line = null
    },
    'line_removed 2 e2',
  ],
  [
    'the last',
    (c) => {
      at(c, 5).line = null
    },
    'line_removed 5 e5',
  ],
  [
    "a row's hash changed: the first",
    (c) => {
      at(c, 1).hash = other
    },
    'row_changed 1 e1',
  ],
  [
    'in the middle',
    (c) => {
      at(c, 3).hash = other
    },
    'row_changed 3 e3',
  ],
  [
    'the last',
    (c) => {
      at(c, 5).hash = other
    },
    'row_changed 5 e5',
  ],
  [
    'a row that names another line',
    (c) => {
      at(c, 3).line = lineOf(77)
      at(c, 3).entry_id = 'e77'
    },
    'line_changed 3 e77',
  ],
  ['a row removed: the first', (c) => c.rows.splice(0, 1), 'row_removed 1 1'],
  ['in the middle', (c) => c.rows.splice(2, 2), 'row_removed 3 4'],
  ['the last', (c) => c.rows.splice(3, 2), 'row_removed 4 5'],
  ['all', (c) => c.rows.splice(0), 'row_removed 1 5'],
  [
    'a row taken out, the others moved up',
    (c) => {
      c.rows.splice(2, 1)
      for (const row of c.rows.slice(2)) row.position -= 1
    },
    'line_changed 3 e4',
    'head_changed 5',
  ],
  [
    'a row after a gap whose line is gone',
    (c) => {
      c.rows.splice(2, 1)
      at(c, 3).line = null
    },
    'row_removed 3 3',
    'line_removed 4 e4',
  ],
  ['a row before the first', (c) => c.rows.unshift(forged(0, genesis)), 'row_inserted 0 e99'],
  ['after the last', (c) => c.rows.push(forged(6, c.head!.hash)), 'row_inserted 6 e99'],
  [
    'between two, its hash right, the head moved',
    (c) => {
      insert(c, forged(3, at(c, 2).hash))
      c.head!.position = 6
    },
    'row_inserted 3 e99',
  ],
  [
    'its hash wrong',
    (c) => {
      insert(c, { ...forged(3, genesis), line: null })
      c.head!.position = 6
    },
    'row_inserted 3 e99',
  ],
  [
    "the head's hash changed",
    (c) => {
      c.head!.hash = other
    },
    'head_changed 5',
  ],
  [
    'set back',
    (c) => {
      c.head!.position = 4
    },
    'head_changed 4',
  ],
  [
    'set forward',
    (c) => {
      c.head!.position = 6
    },
    'head_changed 6',
  ],
  [
    'set back with its hash',
    (c) => {
      c.head = at(c, 4)
    },
    'row_inserted 5 e5',
  ],
  [
    'removed',
    (c) => {
      c.head = null
    },
    'head_removed 5',
  ],
]

describe('each tampering is named', () => {
  test.each(rows)('%s', (_, tamper, ...faults) => {
    const chain = chainOf(5)
    tamper(chain)
    expect(told(chain)).toEqual(faults)
  })
})

test('a chain without any row is whole', () => {
  expect(told(chainOf(0))).toEqual([])
})

test('whatever is changed somewhere is found', () => {
  const change = fc.constantFrom<(chain: Chain, position: number) => void>(
    changeLine,
    (c, position) => {
      at(c, position).line = null
    },
    (c, position) => {
      at(c, position).hash = other
    },
    (c, position) => {
      c.rows.splice(position - 1, 1)
    },
    (c, position) => insert(c, forged(position, at(c, position).hash)),
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.nat(), change, (length, seed, tamper) => {
      const chain = chainOf(length)
      expect(faultsOf(chain)).toEqual([])
      tamper(chain, (seed % length) + 1)
      expect(faultsOf(chain)).not.toEqual([])
    }),
  )
})
