// What a database's tables are, in words that do not depend on PostgreSQL's version or on the order of columns.

import type { AnySql } from '../open.ts'

/** What each thing is, by a name such as `index payments_by_time`. */
export type Catalogue = Map<string, string>

/** The schemas to describe, each with what stands before the names of its tables in the description. */
export type DescribedSchemas = Record<string, string>

/** Runs in a transaction, whose search_path it changes: PostgreSQL then writes each name with its schema. */
export async function describeCatalogue(tx: AnySql, schemas: DescribedSchemas): Promise<Catalogue> {
  await tx`set local search_path = pg_catalog`
  const rows = await tx<{ name: string; definition: string }[]>`
    with schemas as (
      select oid, nspname from pg_namespace where nspname = any(string_to_array(${Object.keys(schemas).join()}, ','))
    ), tables as (
      select c.*, format('%I.%I', nspname, relname) as name
      from pg_class c join schemas on schemas.oid = relnamespace where relkind in ('r', 'p')
    )
    select 'table ' || name as name, concat_ws(' ', relkind, relpersistence,
      pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid),
      (select string_agg(option, ', ' order by option) from unnest(reloptions) option)) as definition
    from tables
    union all
    select format('column %s.%I', name, attname), concat_ws(' ', format_type(atttypid, atttypmod),
      case when attcollation <> typcollation then attcollation::regcollation end,
      case when attnotnull then 'not null' end, 'default ' || pg_get_expr(adbin, adrelid),
      nullif(attidentity::text, ''), nullif(attgenerated::text, ''))
    from tables join pg_attribute on attrelid = tables.oid join pg_type on pg_type.oid = atttypid
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where attnum > 0 and not attisdropped
    union all
    -- A constraint that old rows need not meet holds for new ones all the same.
    select format('constraint %I of %s', conname, name), replace(pg_get_constraintdef(pg_constraint.oid), ' NOT VALID', '')
    from tables join pg_constraint on conrelid = tables.oid where contype in ('c', 'f', 'p', 'u', 'x')
    union all
    select format('index %I of %s', index.relname, name),
      pg_get_indexdef(indexrelid) || case when indisvalid then '' else ' INVALID' end
    from tables join pg_index on indrelid = tables.oid join pg_class index on index.oid = indexrelid
    union all
    select format('function %s', pg_proc.oid::regprocedure), pg_get_functiondef(pg_proc.oid)
    from pg_proc join schemas on schemas.oid = pronamespace where prokind in ('f', 'p')`
  const plain = (text: string) =>
    Object.entries(schemas)
      .reduce(
        (words, [name, as]) => words.replaceAll(`"${name}".`, as).replaceAll(`${name}.`, as),
        text,
      )
      .replace(/\s+/g, ' ')
  return new Map(rows.map(({ name, definition }) => [plain(name), plain(definition)]))
}
