// Where a merchant's rows are. On one PostgreSQL that is the database itself. On a Citus cluster, each node's shards of
// one range of merchants are a cell: a schema of views with the tables' own names (make-cells.sql). A statement works
// there as on one PostgreSQL: in one place, with one commit, and without the coordinator.

import type { Sql } from '../driver/pool.ts'

export type Cell = {
  /** Its schema; `all` if the database is not spread. */
  name: string
  /** `host:port`; null for the database itself. */
  node: string | null
  sql: Sql
}

type Cells = {
  all: readonly Cell[]
  /** The cell of a merchant, which need not exist yet. */
  find(merchant_id: string): Promise<Cell>
  /**
   * Whether they are elsewhere than this process knows. From then on, it refuses work for the old places. Left out,
   * they never move.
   */
  haveMoved?(): Promise<boolean>
}

/** Cells by the pool that sees a whole database. A cell's own pool leads to that cell. */
const cellsOfWhole = new WeakMap<Sql, Cells>()
const wholes = new WeakMap<Sql, Sql>()
/** The pools of databases whose cells were moved while this process runs. */
const outdatedPools = new WeakSet<Sql>()

const moved_words = 'cells were moved or made while this process runs: start it again at once'

/** A merchant's cell is not where this process looks for it: `isStoreUnavailable`. */
export class CellMovedError extends Error {
  readonly code = 'CELL_MOVED'
}

/** From now on the pool's database is spread over these cells. */
export function spreadOver(whole: Sql, cells: Cells): void {
  cellsOfWhole.set(whole, cells)
  for (const { sql } of cells.all) wholes.set(sql, whole)
}

/** All cells; without a spread database, one that is the database itself. */
export function cellsOf(sql: Sql): readonly Cell[] {
  return cellsOfWhole.get(sql)?.all ?? [{ name: 'all', node: null, sql }]
}

/** The pool of the cell with a merchant's rows. It is the same pool if the database is not spread, or is a cell's. */
export function cellOf(sql: Sql, merchant_id: string): Sql | Promise<Sql> {
  const cells = cellsOfWhole.get(sql)
  return cells === undefined ? sql : cells.find(merchant_id).then((cell) => cell.sql)
}

/** The pool to search for rows of any merchant, or of a given one: then only its cell is asked. */
export function reachOf(sql: Sql, merchant_id: string | null): Sql | Promise<Sql> {
  return merchant_id === null ? sql : cellOf(sql, merchant_id)
}

/** A job: throws an Error for people where cells are elsewhere than this process knows. */
export async function watchCells({ sql }: { sql: Sql }): Promise<number> {
  if (!(await cellsOfWhole.get(sql)?.haveMoved?.())) return 0
  outdatedPools.add(sql)
  throw new Error(moved_words)
}

/** Why the process must be restarted; null if its cells are where they were. */
export function cellFault(sql: Sql): string | null {
  return outdatedPools.has(sql) ? moved_words : null
}

/** The context for work on one merchant's rows. */
export async function inCell<C extends { sql: Sql }>(context: C, merchant_id: string): Promise<C> {
  const sql = await cellOf(context.sql, merchant_id)
  return sql === context.sql ? context : { ...context, sql }
}

/** Nodes with their cells; none if the database is not spread. */
export function nodesOf(sql: Sql): { node: string; cells: Cell[] }[] {
  const nodes = new Map<string, Cell[]>()
  for (const cell of cellsOf(sql)) {
    if (cell.node !== null) nodes.set(cell.node, [...(nodes.get(cell.node) ?? []), cell])
  }
  return [...nodes].map(([node, cells]) => ({ node, cells }))
}

/** The rows from all cells: each cell's in their own order, one cell after the other. */
export async function fromCells<T>(sql: Sql, read: (sql: Sql) => PromiseLike<readonly T[]>): Promise<T[]> {
  const rowsByCell = await Promise.all(cellsOf(sql).map((cell) => read(cell.sql)))
  return rowsByCell.flat()
}

/** The first rows from all cells. Each cell was read in that order up to that limit. */
export async function firstFromCells<T>(
  sql: Sql,
  { compare, limit }: { compare: (one: T, other: T) => number; limit: number },
  read: (sql: Sql) => PromiseLike<readonly T[]>,
): Promise<T[]> {
  const rows = await fromCells(sql, read)
  return cellsOf(sql).length === 1 ? rows : rows.sort(compare).slice(0, limit)
}

/** Compares by each of these in turn. */
export function by<T>(...keys: ((row: T) => string | number | Date)[]): (one: T, other: T) => number {
  return (one, other) => {
    for (const key of keys) {
      const [a, b] = [key(one), key(other)]
      if (a < b) return -1
      if (a > b) return 1
    }
    return 0
  }
}

/** The pool that sees the whole database of a cell: rows that all merchants share are written there. */
export function wholeOf(sql: Sql): Sql {
  return wholes.get(sql) ?? sql
}
