// Where a merchant's rows are. On one PostgreSQL that is the database itself. On a Citus cluster each node's shards of one range of
// merchants are a cell: a schema of views with the tables' own names (make-cells.sql), on which a statement does what it does on one
// PostgreSQL, in one place, with one commit, and without the coordinator.

import { connect } from '../driver/driver.ts'
import type { Rename } from '../driver/driver-query.ts'
import type { Sql } from '../driver/pool.ts'

export type Cell = {
  /** Its schema; `all` where the database is not spread. */
  name: string
  /** `host:port`; null where it is the database itself. */
  node: string | null
  sql: Sql
}

type Cells = {
  all: readonly Cell[]
  find(merchant_id: string): Promise<Cell>
}

/** By the pool that sees all of a database. Those of cells lead to theirs. */
const cellsOfWhole = new WeakMap<Sql, Cells>()
const wholes = new WeakMap<Sql, Sql>()

/** All cells; one that is the database itself where it is not spread. */
export function cellsOf(sql: Sql): readonly Cell[] {
  return cellsOfWhole.get(sql)?.all ?? [{ name: 'all', node: null, sql }]
}

/** The pool of the cell that holds a merchant's rows: the same one where the database is not spread, or is a cell's. */
export function cellOf(sql: Sql, merchant_id: string): Sql | Promise<Sql> {
  const cells = cellsOfWhole.get(sql)
  return cells === undefined ? sql : cells.find(merchant_id).then((cell) => cell.sql)
}

/** The context, for what is done to one merchant's rows. */
export async function inCell<C extends { sql: Sql }>(context: C, merchant_id: string): Promise<C> {
  const sql = await cellOf(context.sql, merchant_id)
  return sql === context.sql ? context : { ...context, sql }
}

/** Nodes with their cells; none where the database is not spread. */
export function nodesOf(sql: Sql): { node: string; cells: Cell[] }[] {
  const nodes = new Map<string, Cell[]>()
  for (const cell of cellsOf(sql)) {
    if (cell.node !== null) nodes.set(cell.node, [...(nodes.get(cell.node) ?? []), cell])
  }
  return [...nodes].map(([node, cells]) => ({ node, cells }))
}

/** What is found in all cells: of each as it was read, one after the other. */
export async function fromCells<T>(
  sql: Sql,
  read: (sql: Sql) => PromiseLike<readonly T[]>,
): Promise<T[]> {
  const found = await Promise.all(cellsOf(sql).map((cell) => read(cell.sql)))
  return found.flat()
}

/** The first of what is found in all cells, each of which was read in that order up to that limit. */
export async function firstFromCells<T>(
  sql: Sql,
  { compare, limit }: { compare: (one: T, other: T) => number; limit: number },
  read: (sql: Sql) => PromiseLike<readonly T[]>,
): Promise<T[]> {
  const found = await fromCells(sql, read)
  return cellsOf(sql).length === 1 ? found : found.sort(compare).slice(0, limit)
}

/** Compares by each of these in turn. */
export function by<T>(
  ...keys: ((row: T) => string | number | Date)[]
): (one: T, other: T) => number {
  return (one, other) => {
    for (const key of keys) {
      const [a, b] = [key(one), key(other)]
      if (a < b) return -1
      if (a > b) return 1
    }
    return 0
  }
}

/** The pool that sees all of a cell's database: what is shared by all merchants is written there. */
export function wholeOf(sql: Sql): Sql {
  return wholes.get(sql) ?? sql
}

type Placed = { shard: string; host: string; port: number }

/** The address of a server, and how its pools are made. */
type Source = {
  url: string
  options: Omit<Parameters<typeof connect>[1], 'onStatement'> & {
    onStatement?: (text: string, node?: string) => void
  }
}

/** There are many cells, and each process has a pool for each. */
const connections_of_cell_max = 4

const kept_max = 100_000

/** Finds the cells of a cluster's coordinator; null where its tables are not spread. Returns what closes their pools. */
export async function openCells(
  whole: Sql,
  source: Source,
): Promise<{ close(): Promise<void> } | null> {
  const placed = await readPlaces(whole)
  if (placed.length === 0) return null
  const all = placed.map((place) => openCell(source, place))
  const kept = new Map<string, Promise<Cell>>()
  const look = async (merchant_id: string) => {
    const [row] = await whole<{ shard: string }[]>`
      select get_shard_id_for_distribution_column('sessions', ${merchant_id}::text)::text as shard`
    const cell = all.find(({ name }) => name === schemaOf(row!.shard))
    if (!cell)
      throw new Error(`the cell of shard ${row!.shard} is not known: start the process again`)
    return cell
  }
  const find = (merchant_id: string) => {
    const known = kept.get(merchant_id)
    if (known) return known
    const found = look(merchant_id)
    if (kept.size >= kept_max) kept.clear()
    kept.set(merchant_id, found)
    found.catch(() => kept.delete(merchant_id))
    return found
  }
  cellsOfWhole.set(whole, { all, find })
  for (const { sql } of all) wholes.set(sql, whole)
  return {
    async close() {
      await Promise.all(all.map(({ sql }) => sql.end({ timeout: 5 })))
    },
  }
}

async function readPlaces(whole: Sql): Promise<Placed[]> {
  return whole<Placed[]>`
    select s.shardid::text as shard, n.nodename as host, n.nodeport as port
    from pg_dist_shard s join pg_dist_placement p using (shardid)
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where s.logicalrelid = to_regclass('sessions') and to_regproc('make_cells') is not null
    order by s.shardid`
}

function openCell({ url, options }: Source, { shard, host, port }: Placed): Cell {
  const name = schemaOf(shard)
  const node = `${host}:${port}`
  const { onStatement, connections_max } = options
  const sql = connect(atNode(url, host, port), {
    ...options,
    connections_max: Math.min(connections_max, connections_of_cell_max),
    ...(onStatement && { onStatement: (text) => onStatement(text, node) }),
    rename: renameInto(name),
    parameters: {
      search_path: name,
      // Citus takes writes to its shards for mistakes unless somebody says that they are meant.
      'citus.enable_manual_changes_to_shards': 'on',
    },
  })
  return { name, node, sql }
}

function schemaOf(shard: string): string {
  return `cell_${shard}`
}

/** Another server in the same address: user, password, database and parameters stay. */
function atNode(url: string, host: string, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host
  return url.replace(/^([a-z]+:\/\/(?:[^/?@]*@)?)[^/?]*/, `$1${name}:${port}`)
}

/** The vault has a schema of its own, and a view of it lies in the cell. */
function renameInto(cell: string): Rename {
  const renamed = new WeakMap<TemplateStringsArray, TemplateStringsArray>()
  return (strings) => {
    const known = renamed.get(strings)
    if (known) return known
    const texts = strings.map((text) => text.replaceAll(/\bvault\./g, `${cell}.`))
    const made = texts.some((text, at) => text !== strings[at])
      ? Object.assign(texts, { raw: texts })
      : strings
    renamed.set(strings, made)
    return made
  }
}
