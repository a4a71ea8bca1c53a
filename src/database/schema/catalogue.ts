// What a database's tables are, in words that do not depend on PostgreSQL's version or on the order of columns.

import type { AnySql } from '../open.ts'

/** What each thing is, by a name such as `index payments_by_time`. */
export type Catalogue = Map<string, string>

/** The schemas to describe, as SQL names them, each with what stands before the names of its tables in the description. */
export type DescribedSchemas = Record<string, string>

/**
 * Describes those of these tables that exist; without names, all tables of the schemas. Runs in a transaction, whose
 * search_path it changes: PostgreSQL then writes each name with its schema.
 */
export async function describeCatalogue(
  tx: AnySql,
  schemas: DescribedSchemas,
  table_names: readonly string[] | null = null,
): Promise<Catalogue> {
  await tx`set local search_path = pg_catalog`
  const rows = await tx<{ name: string; definition: string | null }[]>`
    with schemas as (
      select oid, shown from unnest(${Object.keys(schemas)}::text[], ${Object.values(schemas)}::text[]) as s (name, shown)
        join pg_namespace on quote_ident(nspname) = s.name
    ), all_tables as (
      select c.*, shown || quote_ident(relname) as name
      from pg_class c join schemas on schemas.oid = relnamespace where relkind in ('r', 'p')
    ), tables as (
      select * from all_tables where ${table_names}::text[] is null or name = any(${table_names}::text[])
    )
    select 'table ' || name as name, concat_ws(' ', relkind, relpersistence,
      pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid),
      (select string_agg(option, ', ' order by option) from unnest(reloptions) option),
      case when relrowsecurity then 'row security' end) as definition
    from tables
    union all
    select format('column %s.%I', name, attname), concat_ws(' ', format_type(atttypid, atttypmod),
      case when attcollation <> typcollation then attcollation::regcollation end,
      case when attnotnull or typnotnull then 'not null' end,
      'default ' || coalesce(pg_get_expr(adbin, adrelid), typdefault),
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
    select format('trigger %I of %s', tgname, name), pg_get_triggerdef(pg_trigger.oid)
    from tables join pg_trigger on tgrelid = tables.oid where not tgisinternal and tgenabled in ('O', 'A')
    union all
    select format('rule %I of %s', rulename, name), pg_get_ruledef(pg_rewrite.oid)
    from tables join pg_rewrite on ev_class = tables.oid where ev_enabled in ('O', 'A')
    union all
    select format('function %s%I(%s)', shown, proname, replace(oidvectortypes(proargtypes), ', ', ',')), pg_get_functiondef(pg_proc.oid)
    from pg_proc join schemas on schemas.oid = pronamespace where prokind in ('f', 'p')`
  const prefixes = new Map(Object.entries(schemas))
  const plain = (text: string) =>
    text.replace(textOrSchema, (whole, schema: string) => prefixes.get(schema) ?? whole).replace(/\s+/g, ' ')
  // What was dropped meanwhile has a row, and no definition any more.
  return new Map(
    rows.flatMap(({ name, definition }) => (definition === null ? [] : [[name, plain(definition)] as const])),
  )
}

/** A text in quotes, which stays unchanged, or a name with a point after it and none before it. */
const textOrSchema = /'(?:[^']|'')*'|(?<![\w$".])("(?:[^"]|"")+"|[a-z_]\w*)\./g
