// Keeps challenges of the simulated bank in the database, so that every process knows them.

import type { Challenge, ChallengeStore } from '../../three-ds/simulated-issuer/challenges.ts'
import { assignments, rowValues } from '../driver/rows.ts'
import type { Sql } from '../open.ts'

/** They are kept for an hour, and each purge leaves at most a fixed number. */
const keep_ms = 3_600_000
export const challenges_max = 50_000
const purge_batch = 10_000

export function openChallenges(sql: Sql): ChallengeStore {
  return {
    async insert(challenge) {
      await sql`insert into simulator.challenges ${rowValues(sql, challenge)}`
    },
    async find(acs_transaction_id) {
      const [row] = await sql<Challenge[]>`
        select * from simulator.challenges where acs_transaction_id = ${acs_transaction_id}`
      return row ?? null
    },
    async change({ acs_transaction_id, revision }, changes) {
      const [row] = await sql<Challenge[]>`
        update simulator.challenges set ${assignments(sql, changes)}, revision = revision + 1
        where acs_transaction_id = ${acs_transaction_id} and revision = ${revision} returning *`
      return row ?? null
    },
    async listDue(before, limit) {
      return sql<Challenge[]>`
        select * from simulator.challenges where due_at < ${before} order by due_at limit ${limit}`
    },
  }
}

/** Deletes challenges that are an hour old, and the oldest ones beyond the maximum; returns how many in all. */
export async function purgeChallenges(sql: Sql, now: Date, kept_max = challenges_max): Promise<number> {
  const { count } = await sql`
    delete from simulator.challenges where acs_transaction_id in (
      (select acs_transaction_id from simulator.challenges
        where created_at <= ${new Date(now.getTime() - keep_ms)} order by created_at limit ${purge_batch})
      union
      (select acs_transaction_id from simulator.challenges
        order by created_at desc offset ${kept_max} limit ${purge_batch}))`
  return count
}
