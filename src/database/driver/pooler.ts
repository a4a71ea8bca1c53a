// Detects how a pooler before the server lends its connections, and whether it mixes them up. The driver prepares statements under names and sends
// several without waiting. A pooler may lend a server's connection for one transaction at a time, and pass the names on
// unchanged. A name then means something else on the next connection, and the answer is another statement's. PgBouncer
// before 1.21 did so.

import { connect, type DatabaseAddress, type Patience } from './driver.ts'
import type { Sql } from './pool.ts'
import { isOfOurs } from './session.ts'

/** What the server reported about itself to one statement. */
export type Glimpse = {
  backend: number
  /** All that the server's connection knows. */
  known_names: string[]
}

/** So often each connection looks: beside others' traffic a pooler may lend it the same backend a few times on end. */
const looks = 6

/** How long a connection keeps a server's connection; without a pooler, it is that. */
export type Pooling = 'by_session' | 'by_transaction' | 'unsafe'

export const unsafe_words =
  'a pooler before it lends its connections by the transaction and does not keep prepared statements apart, so answers ' +
  'could be mixed up. Let it pool by the session, or take PgBouncer 1.21 or later with max_prepared_statements above 0.'

/** Throws what the connection throws, and that the server was silent for longer than it may be. */
export async function findPooling(address: DatabaseAddress, patience: Patience): Promise<Pooling> {
  const pools = [0, 1].map(() => connect(address, { connections_max: 1, ...patience }))
  const [one, other] = pools as [Sql, Sql]
  const glimpses: Record<'one' | 'other', Glimpse[]> = { one: [], other: [] }
  try {
    // One after another: nothing but a pooler moves a connection from one backend to the next. Every other time the one looks
    // first: of a pooler that lends two backends in turns, looks by turns would always see the same one.
    for (let round = 0; round < looks; round += 1) {
      if (round % 2 === 0) glimpses.one.push(await look(one))
      glimpses.other.push(await look(other))
      if (round % 2 === 1) glimpses.one.push(await look(one))
    }
    return poolingOf(glimpses.one, glimpses.other)
  } finally {
    await Promise.all(pools.map((sql) => sql.end({ timeout: 1 })))
  }
}

/** From what two connections saw. Each looked at least twice. */
export function poolingOf(one: Glimpse[], other: Glimpse[]): Pooling {
  const [mine, others] = [one[0]!.backend, other[0]!.backend]
  const is_apart =
    mine !== others && one.every(({ backend }) => backend === mine) && other.every(({ backend }) => backend === others)
  if (is_apart) return 'by_session'
  const isTranslated = ({ known_names }: Glimpse) => known_names.length > 0 && !known_names.some(isOfOurs)
  return [...one, ...other].every(isTranslated) ? 'by_transaction' : 'unsafe'
}

async function look(sql: Sql): Promise<Glimpse> {
  const [glimpse] = await sql<Glimpse[]>`
    select pg_backend_pid() as backend,
      coalesce((select json_agg(name) from pg_prepared_statements), '[]') as known_names`
  return glimpse!
}
