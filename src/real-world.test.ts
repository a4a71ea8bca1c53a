import { expect, test } from 'vitest'
import { pooledBytes } from './real-world.ts'

/** A source whose every byte pair is new, so that what is given twice shows. */
function counting() {
  const blocks: Buffer[] = []
  let next = 0
  const fill = (block: Buffer) => {
    for (let at = 0; at < block.length; at += 2) block.writeUInt16BE(next++, at)
    blocks.push(block)
    return block
  }
  return { fill, blocks }
}

test('no byte is handed out twice, across blocks and beside long draws', () => {
  const bytes = pooledBytes(counting().fill)
  const lengths = [12, 56, 8192, 12, 10_000, ...Array<number>(600).fill(24)]
  const drawn = lengths.map((length) => bytes(length))
  expect(drawn.map((each) => each.length)).toEqual(lengths)
  const pairs = drawn.flatMap((each) =>
    Array.from({ length: each.length / 2 }, (_, at) => each.readUInt16BE(2 * at)),
  )
  expect(new Set(pairs).size).toBe(pairs.length)
})

test('what was handed out is a copy, and is wiped from the block', () => {
  const { fill, blocks } = counting()
  const bytes = pooledBytes(fill)
  bytes(2)
  const drawn = bytes(4)
  expect(drawn.toString('hex')).toBe('00010002')
  expect(blocks[0]!.subarray(0, 6).toString('hex')).toBe('000000000000')
  expect(blocks[0]!.subarray(6, 8).toString('hex')).toBe('0003')
})

test('the machine is asked by default', () => {
  const bytes = pooledBytes()
  expect(bytes(16).equals(bytes(16))).toBe(false)
})
