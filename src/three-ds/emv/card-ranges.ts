// A Directory Server's card ranges: the numbers it knows, found by binary search, changed by deltas.

import type { CardRange } from '../three-ds.ts'
import type { JsonObject } from './json.ts'
import type { Message } from './messages.ts'
import { higher, lower } from './versions.ts'

/** Ranges in order, without overlaps. */
export type CardRangeTable = readonly CardRange[]

type RangeChange = { action: 'A' | 'M' | 'D'; range: CardRange }

/** The range that contains a number; null if the card is not enrolled. */
export function findRange(table: CardRangeTable, number: string): CardRange | null {
  const padded_number = number.padEnd(19, '0')
  let low = 0
  let high = table.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const range = table[middle]!
    if (padded_number < startOf(range)) high = middle - 1
    else if (padded_number > endOf(range)) low = middle + 1
    else return range
  }
  return null
}

/** The table after a PRes, or null if ranges would overlap. */
export function applyChanges(table: CardRangeTable, changes: readonly RangeChange[]): CardRangeTable | null {
  const byEnds = new Map(table.map((range) => [endsOf(range), range]))
  for (const { action, range } of changes) {
    if (action === 'D') byEnds.delete(endsOf(range))
    else byEnds.set(endsOf(range), range)
  }
  const sortedRanges = [...byEnds.values()].sort((a, b) => (startOf(a) < startOf(b) ? -1 : 1))
  const overlaps = sortedRanges.some((range, at) => at > 0 && startOf(range) <= endOf(sortedRanges[at - 1]!))
  return overlaps ? null : sortedRanges
}

/** The changes in a PRes with valid fields. A range keeps only the versions that its DS supports, too. */
export function changesIn(pres: Message): RangeChange[] {
  const rows = (pres.cardRangeData ?? []) as JsonObject[]
  return rows.map((row) => ({
    action: (row.actionInd as RangeChange['action'] | undefined) ?? 'A',
    range: {
      start: row.startRange as string,
      end: row.endRange as string,
      acs_start_version: higher(row.acsStartProtocolVersion as string, pres.dsStartProtocolVersion as string),
      acs_end_version: lower(row.acsEndProtocolVersion as string, pres.dsEndProtocolVersion as string),
      method_url: (row.threeDSMethodURL as string | undefined) ?? null,
    },
  }))
}

function startOf(range: CardRange): string {
  return range.start.padEnd(19, '0')
}

function endOf(range: CardRange): string {
  return range.end.padEnd(19, '9')
}

function endsOf(range: CardRange): string {
  return `${startOf(range)}-${endOf(range)}`
}
