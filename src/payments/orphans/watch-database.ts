// A job: advances the database's high-water mark, and pulls the brake if the database has gone back, or may have.

import { nodesOf, wholeOf } from '../../database/cells/cells.ts'
import { marks_kept_ms, msBetween, signsOfLoss } from '../../database/rollback-detection/high-water.ts'
import { observeDatabase, writeMark } from '../../database/rollback-detection/high-water-store.ts'
import { every_acquirer, service_actor } from '../orphan.ts'
import { pullBrake, wasPulledSince } from './orphan-brake-store.ts'
import type { OrphanContext } from './orphan-context.ts'

/** A younger mark is recent enough, since several processes write marks together. */
const mark_every_ms = 15_000

/**
 * Several processes may do this at once. Once one has pulled the brake, the others do not pull it again for their older marks.
 * A process that dies after pulling it pulls it again when it starts. `beforeBrake` deals with what else came back: once the
 * brake is pulled, it counts as done. Where it fails, the brake is pulled all the same.
 */
export async function watchDatabase(
  context: OrphanContext,
  beforeBrake: () => Promise<unknown> = async () => {},
): Promise<number> {
  const { marks: _, ...common } = context
  const servers = nodesOf(context.sql).map(({ node, cells }) => {
    const marks = context.marksOf?.(node)
    return { ...common, sql: cells[0]!.sql, ...(marks && { marks }) }
  })
  const watched = await Promise.allSettled([context, ...servers].map((server) => watchServer(server, beforeBrake)))
  // A server that is away hides no other.
  for (const each of watched) if (each.status === 'rejected') throw each.reason
  return 0
}

/** Each server of a database that is spread may go back by itself. */
async function watchServer(context: OrphanContext, beforeBrake: () => Promise<unknown>): Promise<void> {
  const { sql, world, installation, marks } = context
  const remembered = marks?.recall() ?? null
  const sight = await observeDatabase(sql, remembered)
  const { newest, server } = sight
  const now = world.clock.now()
  const signs = signsOfLoss(sight, remembered, installation)
  const lastSeen = remembered ?? newest
  if (signs.length > 0 && !(lastSeen && (await wasPulledSince(sql, service_actor, lastSeen.written_at)))) {
    await beforeBrake().catch((error: Error) => {
      world.log.error({ error: error.message }, 'sessions not ended after the database went back')
    })
    await pull(context, signs, now)
  }
  // Marks of another installation say nothing about ours: this process has to be restarted.
  if (sight.installation !== installation) return
  const is_fresh = newest !== null && msBetween(newest.written_at, now) < mark_every_ms
  const mark = world.random.bytes(12).toString('hex')
  const keep_since = new Date(now.getTime() - marks_kept_ms)
  const current =
    is_fresh && signs.length === 0 ? newest : await writeMark(sql, { mark, written_at: now, server, keep_since })
  if (current) await marks?.remember({ ...current, database: sight.database })
}

async function pull({ sql, world }: OrphanContext, signs: string[], now: Date): Promise<void> {
  const { held_back } = await pullBrake(wholeOf(sql), {
    acquirer: every_acquirer,
    pulled_at: now,
    pulled_by: service_actor,
    reason: `the database may have lost commits: ${signs.join('; ')}`,
    released_at: null,
    released_by: null,
  })
  world.log.error(
    { signs, held_back },
    'the database may have lost commits: the brake is pulled, ripper orphan list tells more',
  )
}
