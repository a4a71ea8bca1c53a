// Compares a database's tables with what the schema makes. The server makes them a second time, empty and beside the others, in a
// transaction that takes them back: so it is the same server that says how each of the two is to be written.

import type { AnySql } from '../open.ts'
import { type Catalogue, type DescribedSchemas, describeCatalogue } from './catalogue.ts'

const faults_shown = 5

/** Throws an Error with a message for people where the tables are not those that these texts make, or are not ready. */
export async function compareTables(tx: AnySql, texts: readonly string[]): Promise<void> {
  // Usually `public`: the first schema of the role's search_path.
  const [home] = await tx<[{ name: string }]>`
    select nspname as name from pg_namespace n join pg_class c on n.oid = relnamespace where c.oid = 'migrations'::regclass`
  const expected = await makeAndDescribe(tx, texts)
  const faults = differences(expected, await describeCatalogue(tx, schemasOf('', home.name)))
  await tx`set local search_path to default`
  if (faults.length === 0) return refuseUnfilled(tx)
  const more = faults.length - faults_shown
  throw new Error(
    `The database's tables are not those of its migrations: ${faults.slice(0, faults_shown).join('; ')}` +
      `${more > 0 ? `; and ${more} more` : ''}. Nothing was changed. Mend that, and start again.`,
  )
}

/** What differs, in words. More tables, columns and indexes may be an operator's own; a further constraint refuses rows of ours. */
function differences(expected: Catalogue, actual: Catalogue): string[] {
  const wrong = [...expected].flatMap(([name, definition]) => {
    const actual_definition = actual.get(name)
    if (actual_definition === undefined) return [`the ${name} is missing`]
    if (actual_definition === definition) return []
    return [`the ${name} is «${actual_definition}» instead of «${definition}»`]
  })
  const further = [...actual.keys()].filter((name) => {
    const table = /^constraint .* of (.*)$/.exec(name)?.[1]
    return table && expected.has(`table ${table}`) && !expected.has(name)
  })
  return [...wrong, ...further.map((name) => `the ${name} is one too many`)]
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
