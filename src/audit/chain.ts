// The chain of hashes: which bytes of a line are hashed, and how each hash follows from the previous one.

import { hash } from 'node:crypto'

/** A line of the table, with each column as text: `detail` byte for byte, `at` in seconds with six decimals. */
export type WrittenLine = {
  merchant_id: string
  entry_id: string
  session_id: string | null
  subject: string
  change: string
  detail: string
  actor: string
  request_id: string | null
  at: string
}

/** What precedes the first hash of every chain. */
export const genesis = Buffer.alloc(32)

/** SHA-256 of the hash before and the line's canonical bytes. */
export function nextHash(previous: Buffer, line: WrittenLine): Buffer {
  return hash('sha256', Buffer.concat([previous, canonicalBytes(line)]), 'buffer')
}

/** A JSON array of its columns, in this order and without white space: no two lines have the same bytes. */
export function canonicalBytes(line: WrittenLine): Buffer {
  const { merchant_id, entry_id, session_id, subject, change, detail, actor, request_id, at } = line
  const columns = [...[merchant_id, entry_id, session_id, subject, change], ...[detail, actor, request_id, at]]
  return Buffer.from(JSON.stringify(columns))
}

/**
 * A line with its place in the chain and the previous hash. The place is null if the line has none yet, the hash if it
 * is missing.
 */
export type PlacedLine = {
  line: WrittenLine
  position: number | null
  hash: Buffer | null
  previous_hash: Buffer | null
}

/** What one line alone shows: whether its hash follows from the previous one. */
export type Seal = 'right' | 'wrong' | 'not_yet'

export function sealOf({ line, position, hash, previous_hash }: PlacedLine): Seal {
  if (hash === null) return 'not_yet'
  const previous = position === 1 ? genesis : previous_hash
  return previous && nextHash(previous, line).equals(hash) ? 'right' : 'wrong'
}
