// The schema that the service's tables without a schema of their own lie in.

import type { AnySql } from '../open.ts'

/** As SQL names it. It is usually `public`: the first of the role's search_path when the tables were made. */
export async function readHomeSchema(tx: AnySql): Promise<string> {
  const [home] = await tx<[{ name: string }]>`
    select quote_ident(nspname) as name from pg_namespace n join pg_class c on n.oid = relnamespace where c.oid = 'migrations'::regclass`
  return home.name
}
