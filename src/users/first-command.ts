// The command by which the first person comes in to the dashboard: a start that nobody watches prints it, and the sign-in shows it.

import type { Sql } from '../database/open.ts'
import { anyUserExists } from './user-store.ts'

/** Makes somebody operator, and owner of the demo merchant where there is one; null where somebody has an account. */
export async function firstCommand(
  sql: Sql,
  { program }: { program: string },
  demo: { merchant_id: string } | null,
): Promise<string | null> {
  if (await anyUserExists(sql)) return null
  const owner = demo ? ` --merchant ${demo.merchant_id} --role owner` : ''
  return `${program} user link --email you@shop.example --operator${owner}`
}
