// A table of one kind of things. On a phone each row becomes a card by the style sheet alone, in the same markup.

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useRowMark } from './row-mark.ts'

export type Column<Row> = {
  name: string
  /**
   * `figure` is aligned at the end; `first` and `second` lead and close a phone's card, in which `named` and `wide` say their
   * column's name, too, and `line` begins the second line; `widest` is shown only where there is much room.
   */
  kind?: 'figure' | 'first' | 'second' | 'named' | 'line' | 'wide' | 'widest' | 'acts'
  cell: (row: Row) => ReactNode
}

export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  otherIdOf,
  hrefOf,
  is_even = false,
}: {
  label: string
  columns: Column<Row>[]
  rows: Row[]
  keyOf: (row: Row) => string
  /** By which an address may name the row, too. */
  otherIdOf?: (row: Row) => string | null
  /** Makes the content of the first column a link, which covers the whole row. */
  hrefOf?: (row: Row) => string
  /** Every row has one line, on a phone one height: what is too long ends in dots. Its title has the whole of it. */
  is_even?: boolean
}) {
  const markOf = useRowMark()
  return (
    <div className="table-place">
      <table
        aria-label={label}
        className={[hrefOf && 'linked', is_even && 'even'].filter(Boolean).join(' ') || undefined}
      >
        <thead>
          <tr>
            {columns.map(({ name, kind }) => (
              <th key={name} scope="col" className={kind}>
                <span className={kind === 'acts' ? 'unseen' : undefined}>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} {...markOf(keyOf(row), otherIdOf?.(row))}>
              {columns.map(({ name, kind, cell }, index) => (
                <td key={name} className={kind} data-name={name}>
                  {hrefOf && index === 0 ? (
                    <Link className="row-link" href={hrefOf(row)}>
                      {cell(row)}
                    </Link>
                  ) : (
                    cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
