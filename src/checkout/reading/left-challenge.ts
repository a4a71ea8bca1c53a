// The SQL of challenges that the shopper left, or did not finish in time, as `failureOf` of `attempt.ts` tells them from those that
// were not passed.

import type { AnySql, Fragment } from '../../database/open.ts'

/** Of a row of attempts whose authentication failed. */
export function isChallengeLeft(sql: AnySql): Fragment {
  const outcome = (member: string) => sql`coalesce(authentication_outcome->>${member}, '')`
  return sql`(challenge_expires_at is not null and three_ds_state = 'failed'
    and (${outcome('challenge_cancel')} in ('01', '04', '05') or ${outcome('reason')} = '14'))`
}
