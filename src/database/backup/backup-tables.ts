// The tables that a backup holds, as the catalogue has them.

import type { CopyTransaction } from '../driver/copies.ts'
import { newestOf, ownMigrations } from '../migrate.ts'
import { readHomeSchema } from '../schema/home-schema.ts'
import { type BackupPartition, type BackupTable, partitionIn, partitionLine } from './backup-file.ts'

export type BackupTables = {
  /** Each table after those to which it refers. */
  tables: BackupTable[]
  /** Columns that neither the schema nor a migration makes, such as `public.sessions.note`. */
  columns_left_out: string[]
  /** Where a name of the backup is here: its `public` is the schema of the tables, which may have another name. */
  placeOf(name: string): string
}

type Row = { name: string; all_columns: string[]; refers_to: string }

/**
 * The service's tables. Unlogged ones are left out: they have security codes and counts of minutes, and a crash empties
 * them as well. Throws an Error if one of the other tables or one of its columns is missing.
 */
export async function backupTables(tx: CopyTransaction): Promise<BackupTables> {
  const home = await readHomeSchema(tx)
  const own = ownTables((await newestOf(tx))!)
  const rows = await tx<Row[]>`
    with ours as (
      select c.oid, case quote_ident(nspname) when ${home} then 'public' else quote_ident(nspname) end || '.' || quote_ident(relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and c.relpersistence = 'p' and not c.relispartition
        and quote_ident(nspname) in (${home}, 'vault', 'simulator')
    )
    select name,
      array(select quote_ident(attname) from pg_attribute
        where attrelid = ours.oid and attnum > 0 and not attisdropped and attgenerated = '' order by attnum) as all_columns,
      coalesce((select string_agg(target.name, ',') from pg_constraint f join ours target on target.oid = f.confrelid
        where f.contype = 'f' and f.conrelid = ours.oid and f.confrelid <> f.conrelid), '') as refers_to
    from ours where name = any(${[...own.keys()]}) order by name`
  for (const [name, columns] of own) {
    const row = rows.find((each) => each.name === name)
    if (!row) throw new Error(`the database lacks the table ${name}, or it is unlogged`)
    const present = row.all_columns.map(bare)
    const missing = [...columns].filter((column) => !present.includes(column))
    if (missing.length > 0) throw new Error(`the table ${name} lacks ${missing.join(', ')}`)
  }
  const isOwn = (name: string, column: string) => own.get(name)!.has(bare(column))
  return {
    tables: inOrder(rows).map(({ name, all_columns }) => ({
      name,
      columns: all_columns.filter((column) => isOwn(name, column)).join(', '),
    })),
    columns_left_out: rows.flatMap(({ name, all_columns }) =>
      all_columns.filter((column) => !isOwn(name, column)).map((column) => `${name}.${column}`),
    ),
    placeOf: (name) => name.replace(/^public(?=\.)/, () => home),
  }
}

/** The columns of each table that is not unlogged, as `public.sessions`. */
function ownTables(newest: number): Map<string, Set<string>> {
  const own = new Map([['public.migrations', new Set(['number', 'name', 'applied_at'])]])
  const nameOf = (name: string) => (name.includes('.') ? name : `public.${name}`)
  for (const { number, text: whole_text } of ownMigrations()) {
    if (number > newest) break
    // A comment may have a semicolon.
    const text = whole_text.replaceAll(/--.*$/gm, '')
    for (const [, name, body] of text.matchAll(/^create table ([\w.]+) \(\n(.*?)^\)/gms)) {
      own.set(nameOf(name!), new Set(namesIn(body!, columnLine)))
    }
    for (const [, name, changes] of text.matchAll(/^alter table ([\w.]+)\s([^;]*)/gm)) {
      for (const column of namesIn(changes!, addedColumn)) own.get(nameOf(name!))?.add(column)
    }
  }
  return own
}

const columnLine = /^ {2}(?!(?:check|constraint|foreign|primary|unique)\b)"?(\w+)"? /gm
const addedColumn = /\badd column (?:if not exists )?"?(\w+)"?/g

function namesIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name]) => name!)
}

/** SQL quotes the names that are keywords, too. */
function bare(column: string): string {
  return column.replace(/^"(\w+)"$/, '$1')
}

function inOrder(rows: readonly Row[]): Row[] {
  const tablesByName = new Map<string, Row>()
  while (tablesByName.size < rows.length) {
    const next = rows.filter(
      ({ name, refers_to }) =>
        !tablesByName.has(name) && refers_to.split(',').every((target) => target === '' || tablesByName.has(target)),
    )
    if (next.length === 0) throw new Error('tables refer to each other in a circle')
    for (const row of next) tablesByName.set(row.name, row)
  }
  return [...tablesByName.values()]
}

/**
 * The partitions of days, with their tables. The default partitions come with the tables, and they take the rows of an
 * operator's own partitions.
 */
export async function backupPartitions(
  tx: CopyTransaction,
  { tables, placeOf }: BackupTables,
): Promise<BackupPartition[]> {
  const rows = await tx<{ name: string; place: string; bounds: string }[]>`
    select quote_ident(c.relname) as name, format('%I.%I', n.nspname, p.relname) as place, bounds
    from pg_inherits i
      join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
      join pg_namespace n on n.oid = p.relnamespace and n.oid = c.relnamespace,
      pg_get_expr(c.relpartbound, c.oid) as bounds
    where c.relispartition and c.relkind = 'r' order by 2, 1`
  return rows.flatMap(({ name, place, bounds }) => {
    const parent = tables.find((table) => placeOf(table.name) === place)?.name
    if (!parent) return []
    const partition = { name: `${parent.split('.')[0]}.${name}`, parent, bounds }
    return partitionIn(partitionLine(partition)) ? [partition] : []
  })
}
