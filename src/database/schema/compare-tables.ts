// Compares a database's tables with those of the schema. For that, the server makes the schema's tables a second time,
// empty, in a transaction that it rolls back. So the same server describes both, in the same words.

import type { AnySql } from '../open.ts'
import { type Catalogue, type DescribedSchemas, describeCatalogue } from './catalogue.ts'
import { readHomeSchema } from './home-schema.ts'

const faults_shown = 5

/**
 * Throws an Error with a message for people if the tables differ from those that these texts make, or are not ready.
 */
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
/** The places where a text names a schema. A name without one is in the first schema of search_path. */
const namedSchemas = /\b(vault|simulator)(?=[.;])/g

function schemasOf(prefix: string, home: string): DescribedSchemas {
  return { [prefix + home]: '', [`${prefix}vault`]: 'vault.', [`${prefix}simulator`]: 'simulator.' }
}

async function makeAndDescribe(tx: AnySql, texts: readonly string[]): Promise<Catalogue> {
  await tx`savepoint compared`
  // Nodes of a cluster need no second tables. Without a cluster the setting has no effect.
  await tx`select set_config('citus.enable_ddl_propagation', 'off', true)`
  await tx.unsafe(`create schema ${beside}home; set local search_path = ${beside}home`)
  for (const text of texts) await tx.unsafe(text.replace(namedSchemas, `${beside}$1`))
  const expected = await describeCatalogue(tx, schemasOf(beside, 'home'))
  await tx`rollback to savepoint compared`
  return expected
}

/** Nothing fills them any more. */
async function refuseUnfilled(tx: AnySql): Promise<void> {
  const unfilledRows = await tx`select 1 from payments where card_brand is null limit 1`
  if (unfilledRows.length === 0) return
  throw new Error(
    'The database has payments of an early release without the columns by which they are found. The release that served last fills ' +
      'them by a job: let it run until this finds nothing: select 1 from payments where card_brand is null limit 1.',
  )
}
