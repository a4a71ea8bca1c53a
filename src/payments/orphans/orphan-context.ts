// What the verbs of orphans are given.

import type { MarkMemory } from '../../database/rollback-detection/high-water-file.ts'
import type { World } from '../../kernel/world.ts'
import type { Context } from '../context.ts'

export type OrphanContext = Pick<Context, 'sql' | 'ids' | 'installation' | 'listAcquirers'> & {
  world: Pick<World, 'clock' | 'random' | 'log'>
  /** What becomes of those that nothing here knows. They are held back where nothing is said. */
  unknown_authorisations?: 'hold' | 'reverse'
  /** What the process remembers of the database. Without it only the database's own marks are compared. */
  marks?: MarkMemory
  /** The same of each node of a database that is spread. */
  marksOf?: (node: string) => MarkMemory
  /** When a failed search at a disabled connection was logged last, by the acquirer's name. Without it each one is. */
  failures_logged?: Map<string, Date>
  /** See JobContext. */
  stopping?: AbortSignal
}
