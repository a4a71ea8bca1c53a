// Marks the one row, of all on a screen, that the address names, and brings it into sight.

import { useSearch } from 'wouter'

type Mark = { 'aria-current'?: 'true'; ref?: (row: HTMLElement | null) => void }

/** What the element of a row has besides, by the row's ids. */
export function useRowMark(): (...ids: (string | null | undefined)[]) => Mark {
  const row_id = new URLSearchParams(useSearch()).get('row')
  return (...ids) => (row_id !== null && ids.includes(row_id) ? { 'aria-current': 'true', ref: bringIntoSight } : {})
}

/** One function for all rows: React calls it when the mark comes to a row, and not whenever that is drawn. */
function bringIntoSight(row: HTMLElement | null): void {
  row?.scrollIntoView({ block: 'center' })
}
