// Goes through a chain row by row and reports each manipulation: of a line, of a row of the chain, or of its head. If a
// hash does not follow, there are several possible causes. The next hash tells them apart: it follows from the stored
// hash, from the expected one, or from the one before both.

import { genesis, nextHash, type WrittenLine } from './chain.ts'

/** A row of a chain with its line; null if the line is missing. */
export type ChainRow = {
  position: number
  entry_id: string
  hash: Buffer
  line: WrittenLine | null
}

export type Head = { position: number; hash: Buffer }

/** `line_changed` may also mean that a row before it was removed and the others moved up. */
export type FaultKind =
  | 'line_changed'
  | 'line_removed'
  | 'line_not_sealed'
  | 'row_changed'
  | 'row_removed'
  | 'row_inserted'
  | 'head_changed'
  | 'head_removed'

export type ChainFault = {
  kind: FaultKind
  /** The place in the chain; null for a line outside every chain. */
  position: number | null
  /** The last one of several consecutive rows that were removed. */
  until_position: number | null
  /** The line of the fault, or the line that the row names. */
  entry_id: string | null
}

/** Why a hash does not follow, unless the next row shows another cause, and the hash that was expected. */
type PendingFault = { fault: ChainFault; expected: Buffer | null }

export type ChainCheck = {
  /** Checks the next row, in the order of positions. */
  take(row: ChainRow): void
  /** Called after the last row. */
  end(): void
}

/**
 * `head` is the recorded end of the chain, read at the same moment as its rows. `tell` is called for each fault once it
 * is certain.
 */
export function openCheck(head: Head | null, tell: (fault: ChainFault) => void): ChainCheck {
  let doubt: PendingFault | null = null
  let last: Head & { entry_id: string } = { position: 0, hash: genesis, entry_id: '' }
  // The last hash and the one before it; null after missing rows.
  let previous: Buffer | null = genesis
  let before_previous: Buffer | null = null
  let head_fits = false

  function settle(kind?: FaultKind): void {
    if (doubt) tell({ ...doubt.fault, ...(kind && { kind }) })
    doubt = null
  }

  function take(row: ChainRow): void {
    const { position, entry_id, hash } = row
    if (position < 1 || (head_fits && position > head!.position)) {
      tell(faultOf('row_inserted', { position, entry_id }))
      return
    }
    if (position > last.position + 1) {
      settle()
      tell(missingRows(last.position + 1, position - 1))
      previous = null
    }
    judge(row)
    before_previous = previous
    previous = hash
    last = { position, hash, entry_id }
    if (position === head?.position) head_fits = hash.equals(head.hash)
  }

  function judge({ position, entry_id, line, hash }: ChainRow): void {
    const follows = (from: Buffer | null | undefined) => line !== null && from && nextHash(from, line).equals(hash)
    // After missing rows the first row cannot be checked.
    if (follows(previous) || (previous === null && line !== null)) settle()
    else if (follows(doubt?.expected)) settle('row_changed')
    else if (follows(before_previous)) {
      doubt ??= { fault: faultOf('row_inserted', last), expected: null }
      settle('row_inserted')
    } else {
      settle()
      const kind = line === null ? 'line_removed' : 'line_changed'
      const expected = line && previous && nextHash(previous, line)
      doubt = { fault: faultOf(kind, { position, entry_id }), expected }
    }
  }

  function end(): void {
    const is_row_changed = !head_fits && doubt?.expected?.equals(head?.hash ?? genesis)
    settle(is_row_changed ? 'row_changed' : undefined)
    const fault = head_fits || is_row_changed ? null : faultOfHead(head, last)
    if (fault) tell(fault)
  }
  return { take, end }
}

/** Why a head is not the end of its chain, or null. */
function faultOfHead(head: Head | null, last: Head): ChainFault | null {
  const { position } = last
  if (head === null) return position === 0 ? null : faultOf('head_removed', { position })
  const rows_are_missing = head.position > position && !head.hash.equals(last.hash)
  return rows_are_missing
    ? missingRows(position + 1, head.position)
    : faultOf('head_changed', { position: head.position })
}

function missingRows(position: number, until_position: number): ChainFault {
  return { ...faultOf('row_removed', { position }), until_position }
}

function faultOf(
  kind: FaultKind,
  { position, entry_id = null }: { position: number; entry_id?: string | null },
): ChainFault {
  return { kind, position, until_position: null, entry_id }
}
