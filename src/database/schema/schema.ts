// The tables as one design: what an empty database gets, and what one that migrations have made is compared with.

import { readFileSync } from 'node:fs'

/** The last migration that the schema took the place of. A database that stands there has these tables, however it got them. */
export const schema_migration = 35

/** A table comes after those to which it refers. */
const topics = [
  'merchants',
  'users',
  'connections',
  'sessions',
  'vault',
  'payments',
  'receipts',
  'webhooks',
  'discrepancies',
  'requests',
  'journal',
  'installation',
  'processes',
  'simulator',
]

/** Of all tables, as statements. */
export function schemaText(): string {
  return topics.map((topic) => readFileSync(new URL(`${topic}.sql`, import.meta.url), 'utf8')).join('\n')
}
