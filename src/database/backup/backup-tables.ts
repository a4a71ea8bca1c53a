// The tables that a backup holds, as the catalogue has them.

import type { CopyTransaction } from '../driver/copies.ts'
import { ownMigrations } from '../migrate.ts'
import type { BackupPartition, BackupTable } from './backup-file.ts'

type Row = BackupTable & { refers_to: string }

/**
 * The service's tables, each after those to which it refers. Unlogged ones are left out: they hold security codes and what counts
 * for minutes, and a crash empties them as well.
 */
export async function backupTables(tx: CopyTransaction): Promise<BackupTable[]> {
  const names = ownTables().join(',')
  const rows = await tx<Row[]>`
    with ours as (
      select c.oid, format('%I.%I', n.nspname, c.relname) as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and c.relpersistence = 'p' and not c.relispartition
    )
    select name,
      (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = ours.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
      coalesce((select string_agg(target.name, ',') from pg_constraint f join ours target on target.oid = f.confrelid
        where f.contype = 'f' and f.conrelid = ours.oid and f.confrelid <> f.conrelid), '') as refers_to
    from ours where name = any(string_to_array(${names}, ',')) order by name`
  return inOrder(rows)
}

/** Those that migrations make, as `public.sessions`. */
function ownTables(): string[] {
  const texts = ownMigrations().flatMap(({ text }) => [
    ...text.matchAll(/^create table ([\w.]+) \(/gm),
  ])
  const names = texts.map(([, name]) => (name!.includes('.') ? name! : `public.${name}`))
  return ['public.migrations', ...names]
}

function inOrder(rows: readonly Row[]): BackupTable[] {
  const placed = new Map<string, BackupTable>()
  while (placed.size < rows.length) {
    const next = rows.filter(
      ({ name, refers_to }) =>
        !placed.has(name) &&
        refers_to.split(',').every((target) => target === '' || placed.has(target)),
    )
    if (next.length === 0) throw new Error('tables refer to each other in a circle')
    for (const { name, columns } of next) placed.set(name, { name, columns })
  }
  return [...placed.values()]
}

/** The partitions of days. The default ones come with their tables. */
export async function backupPartitions(tx: CopyTransaction): Promise<BackupPartition[]> {
  const rows = await tx<BackupPartition[]>`
    select format('%I.%I', n.nspname, c.relname) as name,
      format('%I.%I', o.nspname, p.relname) as parent, bounds
    from pg_inherits i
      join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_class p on p.oid = i.inhparent join pg_namespace o on o.oid = p.relnamespace,
      pg_get_expr(c.relpartbound, c.oid) as bounds
    where c.relispartition and c.relkind = 'r' order by 2, 1`
  const own = ownTables()
  return rows.filter(({ parent, bounds }) => own.includes(parent) && bounds !== 'DEFAULT')
}
