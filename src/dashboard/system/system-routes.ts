// The installation as operators see it: version, database, clock, jobs, and what the doctor finds.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { route } from '../../http/route.ts'
import { timestamp } from '../../kernel/values.ts'
import { version } from '../../kernel/version.ts'
import { signedInOperator } from '../../users/signed-in.ts'
import { readDatabaseState } from './system-store.ts'

export const readSystemHere = route({
  where: 'whole',
  method: 'GET',
  path: '/dashboard/api/system',
  tag: 'Dashboard',
  summary: "Version, database, clock and jobs of this process, and the doctor's findings",
  access: signedInOperator(),
  dialect: 'dashboard',
  status: 200,
  reply: z.object({
    version: z.string(),
    now: z.string(),
    clock: z.object({
      /** RIPPER_CLOCK_OFFSET_SECONDS. */
      offset_seconds: z.number(),
      /** Why this process's clock is wrong; null where it is right. */
      fault: z.string().nullable(),
    }),
    database: z.object({
      server_version: z.string(),
      size_bytes: z.int(),
      migration: z.int(),
    }),
    /** Of this process alone; none where another one runs them. */
    jobs: z.array(
      z.object({
        name: z.string(),
        every_seconds: z.int(),
        began_at: z.string(),
        duration_ms: z.int(),
        count: z.int().nullable(),
        failure: z.string().nullable(),
      }),
    ),
    /** As `ripper doctor --json`, at most half a minute old; null where this process cannot look. */
    check_up: z
      .object({
        looked_at: z.string(),
        checks: z.array(
          z.object({
            name: z.string(),
            status: z.enum(['ok', 'warning', 'problem', 'not_checked']),
            found: z.string(),
            to_do: z.string().nullable(),
          }),
        ),
      })
      .nullable(),
  }),
  refusals: [],
  handle: async ({ sql, doorkeeper, jobRuns, clockFault, checkUp }: Context, { now }) => {
    const found = checkUp && (await checkUp())
    return {
      version: version(),
      now: timestamp(now),
      clock: { offset_seconds: doorkeeper.clock_offset_seconds, fault: clockFault() },
      database: await readDatabaseState(sql),
      jobs: jobRuns.list().map(({ began_at, ended_at, ...run }) => ({
        ...run,
        began_at: timestamp(began_at),
        duration_ms: ended_at.getTime() - began_at.getTime(),
      })),
      check_up: found && { looked_at: timestamp(found.looked_at), checks: found.checks },
    }
  },
})
