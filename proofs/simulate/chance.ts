// Randomness that a seed decides, and nothing else: every draw of a simulation comes from here.

import { createHash } from 'node:crypto'

export type Chance = {
  /** From 0 up to 1. */
  next(): number
  /** A whole number below `count`. */
  below(count: number): number
  /** True that often. */
  often(share: number): boolean
  pick<T>(from: readonly T[]): T
  bytes(length: number): Buffer
  /** Another stream of draws, which the name decides and this one's draws so far do not. */
  fork(name: string): Chance
}

/** sfc32, begun from a hash of the seed's text. */
export function openChance(seed: string): Chance {
  const begin = createHash('sha256').update(seed).digest()
  let a = begin.readInt32LE(0)
  let b = begin.readInt32LE(4)
  let c = begin.readInt32LE(8)
  let count = begin.readInt32LE(12)

  function word(): number {
    const drawn = (((a + b) | 0) + count) | 0
    count = (count + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + drawn) | 0
    return drawn >>> 0
  }

  const next = () => word() / 2 ** 32
  const below = (most: number) => Math.floor(next() * most)
  return {
    next,
    below,
    often: (share) => next() < share,
    pick: (from) => from[below(from.length)]!,
    bytes(length) {
      const drawn = Buffer.alloc(length)
      for (let at = 0; at < length; at += 4) {
        const left = Math.min(4, length - at)
        drawn.writeUIntLE(word() >>> (32 - 8 * left), at, left)
      }
      return drawn
    },
    fork: (name) => openChance(`${seed}/${name}`),
  }
}
