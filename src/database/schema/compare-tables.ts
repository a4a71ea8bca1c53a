// Compares a database's tables with those that the schema makes. For that the server makes the schema's tables beside them, empty, in a
// transaction that it rolls back. So the same server describes both, in the same words.

import type { AnySql } from '../open.ts'
import { readHomeSchema } from './home-schema.ts'

const faults_shown = 5

/** Throws an Error with a message for people where the tables are not those that these texts make, or are not ready. */
export async function compareTables(tx: AnySql, texts: readonly string[]): Promise<void> {
  const home = await readHomeSchema(tx)
  const expected = await makeAndDescribe(tx, texts)
  const table_names = [...expected.keys()].flatMap((name) => /^table (.+)/.exec(name)?.[1] ?? [])
  const actual = await describeCatalogue(tx, schemasOf('', home), table_names)
  const faults = differences(expected, actual)
  await tx`set local search_path to default`
  if (faults.length === 0) return refuseUnfilled(tx)
  const more = faults.length - faults_shown
  throw new Error(
    `The database's tables are not those of its migrations: ${faults.slice(0, faults_shown).join('; ')}` +
      `${more > 0 ? `; and ${more} more` : ''}. Nothing was changed. Mend that, and start again.`,
  )
}

/** What differs, in words. Things of an operator's own are no fault unless they may refuse or change rows of ours. */
function differences(expected: Catalogue, actual: Catalogue): string[] {
  const wrong = [...expected].flatMap(([name, definition]) => {
    const actual_definition = actual.get(name)
    if (actual_definition === undefined) return [`the ${name} is missing`]
    if (actual_definition === definition) return []
    return [`the ${name} is «${actual_definition}» instead of «${definition}»`]
  })
  const further = [...actual].flatMap(([name, definition]) =>
    !expected.has(name) && mayRefuseRows(name, definition) ? [`the ${name} is one too many`] : [],
  )
  return [...wrong, ...further]
}

function mayRefuseRows(name: string, definition: string): boolean {
  if (name.startsWith('index ')) return definition.startsWith('CREATE UNIQUE ')
  // A default or a generated value would follow.
  if (name.startsWith('column ')) return definition.endsWith(' not null')
  return /^(constraint|trigger|rule) /.test(name)
}

/** Before the names of the schemas of the second tables. */
const beside = 'ripper_compared_'
/** Where a text names a schema. Whatever it names without one lies in the first of search_path. */
const namedSchemas = /\b(vault|simulator)(?=[.;])/g

function schemasOf(prefix: string, home: string): DescribedSchemas {
  return { [prefix + home]: '', [`${prefix}vault`]: 'vault.', [`${prefix}simulator`]: 'simulator.' }
}

async function makeAndDescribe(tx: AnySql, texts: readonly string[]): Promise<Catalogue> {
  await tx`savepoint compared`
  // Nodes of a cluster need no second tables. Elsewhere nobody reads this.
  await tx`select set_config('citus.enable_ddl_propagation', 'off', true)`
  await tx.unsafe(`create schema ${beside}home; set local search_path = ${beside}home`)
  for (const text of texts) await tx.unsafe(text.replace(namedSchemas, `${beside}$1`))
  const expected = await describeCatalogue(tx, schemasOf(beside, 'home'))
  await tx`rollback to savepoint compared`
  return expected
}

/** Nothing fills them any more. */
async function refuseUnfilled(tx: AnySql): Promise<void> {
  const unfilled = await tx`select 1 from payments where card_brand is null limit 1`
  if (unfilled.length === 0) return
  throw new Error(
    'The database has payments of an early release without the columns by which they are found. The release that served last fills ' +
      'them by a job: let it run until this finds nothing: select 1 from payments where card_brand is null limit 1.',
  )
}

/** What each thing is, by a name such as `index payments_by_time`. */
type Catalogue = Map<string, string>

/** The schemas to describe, as SQL names them, each with what stands before the names of its tables in the description. */
type DescribedSchemas = Record<string, string>

/**
 * Describes those of these tables that are there; without names, all of the schemas. Runs in a transaction, whose search_path it
 * changes: PostgreSQL then writes each name with its schema.
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

/** A text in quotes, which stays as it is, or a name that a point follows and none comes before. */
const textOrSchema = /'(?:[^']|'')*'|(?<![\w$".])("(?:[^"]|"")+"|[a-z_]\w*)\./g
