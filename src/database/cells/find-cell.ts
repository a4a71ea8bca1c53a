// The cells of a Citus cluster: which shards there are, on which nodes, and a pool for each.

import { connect } from '../driver/driver.ts'
import type { Sql } from '../driver/pool.ts'
import type { Rename } from '../driver/write.ts'
import { type Cell, CellMovedError, spreadOver } from './cells.ts'

type Placed = { shard: string; host: string; port: number }

/** The address of a server, and how its pools are made. */
type Source = {
  url: string
  options: Parameters<typeof connect>[1]
}

/** There are many cells, and each process has a pool for each. */
const connections_of_cell_max = 4

const kept_max = 100_000

/** Finds the cells of a cluster's coordinator; null where its tables are not spread. Returns what closes their pools. */
export async function openCells(whole: Sql, source: Source): Promise<{ close(): Promise<void> } | null> {
  const placements = await readPlaces(whole)
  if (placements.length === 0) return null
  const all = placements.map((place) => openCell(source, place))
  const cache = new Map<string, Promise<Cell>>()
  const look = async (merchant_id: string) => {
    const [row] = await whole<{ shard: string }[]>`
      select get_shard_id_for_distribution_column('sessions', ${merchant_id}::text)::text as shard`
    const cell = all.find(({ name }) => name === schemaOf(row!.shard))
    if (cell) return cell
    throw new CellMovedError(`the cell of shard ${row!.shard} is not known: start the process again`)
  }
  const find = (merchant_id: string) => {
    const cachedCell = cache.get(merchant_id)
    if (cachedCell) return cachedCell
    const cell = look(merchant_id)
    if (cache.size >= kept_max) cache.clear()
    cache.set(merchant_id, cell)
    cell.catch(() => cache.delete(merchant_id))
    return cell
  }
  const haveMoved = async () => {
    const places = new Map((await readPlaces(whole)).map((place) => [nameOf(place), nodeOf(place)]))
    const staleCells = all.filter(({ name, node }) => places.get(name) !== node)
    if (staleCells.length === 0 && places.size === all.length) return false
    // Writes there are lost, because Citus drops the shard. A caller with a connection there gets an error instead.
    await Promise.all(staleCells.map(({ sql }) => sql.end({ timeout: 0 })))
    // A merchant that got a shard of its own is looked up again.
    cache.clear()
    return true
  }
  spreadOver(whole, { all, find, haveMoved })
  return {
    async close() {
      await Promise.all(all.map(({ sql }) => sql.end({ timeout: 5 })))
    },
  }
}

function nodeOf({ host, port }: Placed): string {
  return `${host}:${port}`
}

function nameOf({ shard }: Placed): string {
  return schemaOf(shard)
}

async function readPlaces(whole: Sql): Promise<Placed[]> {
  return whole<Placed[]>`
    select s.shardid::text as shard, n.nodename as host, n.nodeport as port
    from pg_dist_shard s join pg_dist_placement p using (shardid)
    join pg_dist_node n on n.groupid = p.groupid and n.noderole = 'primary'
    where s.logicalrelid = to_regclass('sessions') and to_regproc('make_cells') is not null
    order by s.shardid`
}

function openCell({ url, options }: Source, place: Placed): Cell {
  const { host, port } = place
  const name = nameOf(place)
  const node = nodeOf(place)
  const { onStatement, connections_max } = options
  const sql = connect(atNode(url, host, port), {
    ...options,
    connections_max: Math.min(connections_max, connections_of_cell_max),
    ...(onStatement && { onStatement: (text, _, values) => onStatement(text, node, values) }),
    rename: renameInto(name),
    parameters: {
      search_path: name,
      // Citus takes writes to its shards for mistakes unless this setting says that they are meant.
      'citus.enable_manual_changes_to_shards': 'on',
      // Hidden tables could not be analysed.
      'citus.override_table_visibility': 'off',
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
  const renames = new WeakMap<TemplateStringsArray, TemplateStringsArray>()
  return (strings) => {
    const cachedStrings = renames.get(strings)
    if (cachedStrings) return cachedStrings
    const texts = strings.map((text) => text.replaceAll(/\bvault\./g, `${cell}.`))
    const cellStrings = texts.some((text, at) => text !== strings[at]) ? Object.assign(texts, { raw: texts }) : strings
    renames.set(strings, cellStrings)
    return cellStrings
  }
}
