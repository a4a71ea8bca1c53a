// A difference between our books and an acquirer's that no comparison has found: a notice or an answer shows it.

import type { NewFinding } from '../comparison.ts'
import type { SettlementContext } from '../context.ts'
import { saveFindings } from './finding-store.ts'

/** Keeps it until a person closes it. False if it was open, or closed by a person, before. */
export async function noteFinding({ sql }: Pick<SettlementContext, 'sql'>, finding: NewFinding): Promise<boolean> {
  const { acquirer, reference, found_at: at } = finding
  const saved = { acquirer, references: [reference], found: [finding], at }
  return (await saveFindings(sql, saved)).length > 0
}
