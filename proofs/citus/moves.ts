// A cell is moved while a process runs that somebody forgot, and a statement through the coordinator waits for a lock on a node.

import { makeCells } from '../../src/database/cells/distribute.ts'
import { withDatabase } from '../../tests/support/citus.ts'
import { realClock } from '../../tests/support/world.ts'
import { type Answers, create, isThere } from './outage.ts'
import type { Merchant, Service } from './stand.ts'

export type Move = {
  /** Milliseconds until the process refused the cell's merchant. */
  refused_after_ms: number
  /** What it answered until then, although the place had gone. */
  meanwhile: Answers
  /** From then on. */
  own: Answers
  others: Answers
  ready: string
  /** Schemas of the cell that the node where it was still has, after the cells were made anew. */
  views_left: number
  /** Sessions that were acknowledged before, and are gone for a process that was started since. */
  lost: string[]
}

const watched_ms = 30_000
const pause_ms = 100

/** `again` starts the service anew. */
export async function moveCell(
  url: string,
  { service, merchants }: { service: Service; merchants: Merchant[] },
  again: () => Promise<Service>,
): Promise<Move> {
  const [moved, ...rest] = merchants as [Merchant, ...Merchant[]]
  const shards = await shardsOf(url, merchants)
  const elsewhere = rest.filter(({ merchant_id }) => shards.get(merchant_id) !== shards.get(moved.merchant_id))
  const shard = shards.get(moved.merchant_id)!
  const before = await create(service.base_url, moved)
  const target = rest.find(({ node }) => node !== moved.node)!.node
  await withDatabase(url, (sql) =>
    sql.unsafe(`select citus_move_shard_placement(${shard},
    ${placeOf(moved.node)}, ${placeOf(target)}, 'block_writes')`),
  )
  const moved_ms = performance.now()
  const meanwhile: Answers = {}
  while (!meanwhile[503] && performance.now() - moved_ms < watched_ms) {
    await count(meanwhile, service, moved)
    await realClock.sleep(pause_ms)
  }
  const refused_after_ms = performance.now() - moved_ms
  const [own, others]: [Answers, Answers] = [{}, {}]
  for (let tries = 0; tries < 20; tries++) {
    await count(own, service, moved)
    for (const merchant of elsewhere) await count(others, service, merchant)
    await realClock.sleep(pause_ms)
  }
  const ready = await (await fetch(`${service.base_url}/readyz`)).text()
  await withDatabase(url, makeCells)
  const views_left = await withDatabase(atNode(url, moved.node), async (sql) => {
    const [row] = await sql<[{ n: number }]>`
      select count(*)::int as n from pg_namespace where nspname = ${`cell_${shard}`}`
    return row.n
  })
  await service.stop()
  const fresh = await again()
  try {
    const known = [before, await create(fresh.base_url, moved)]
    const lost: string[] = []
    for (const { status, id } of known) {
      if (status !== 201 || !(await isThere(fresh, moved, id!))) lost.push(id ?? `${status}`)
    }
    return { refused_after_ms, meanwhile, own, others, ready: ready.trim(), views_left, lost }
  } finally {
    await fresh.stop()
  }
}

async function count(answers: Answers, { base_url }: Service, merchant: Merchant): Promise<void> {
  const { status } = await create(base_url, merchant)
  answers[status] = (answers[status] ?? 0) + 1
}

async function shardsOf(url: string, merchants: Merchant[]): Promise<Map<string, string>> {
  return withDatabase(url, async (sql) => {
    const shards = new Map<string, string>()
    for (const { merchant_id } of merchants) {
      const [row] = await sql<[{ shard: string }]>`
        select get_shard_id_for_distribution_column('sessions', ${merchant_id}::text)::text as shard`
      shards.set(merchant_id, row.shard)
    }
    return shards
  })
}

/** Seconds until a coordinator's statement gives up a lock that somebody has on a node, and PostgreSQL's code for why. */
export async function waitForLock(
  url: string,
  { merchant_id, node }: Merchant,
): Promise<{ seconds: number; code: string }> {
  return withDatabase(atNode(url, node), async (holder) => {
    const [row] = await holder<[{ shard: string }]>`
      select 'journal_' || shardid as shard from pg_dist_shard
      where logicalrelid = 'journal'::regclass
        and worker_hash(${merchant_id}::text) between shardminvalue::int and shardmaxvalue::int`
    return holder.begin(async (tx) => {
      await tx.unsafe('set local citus.enable_manual_changes_to_shards = on')
      await tx.unsafe(`select 1 from ${row.shard} where merchant_id = '${merchant_id}' for update`)
      const begun_ms = performance.now()
      const code = await withDatabase(url, async (sql) => {
        await sql`set lock_timeout = 1500`
        await sql`set statement_timeout = 15000`
        return sql`update journal set request_id = request_id where merchant_id = ${merchant_id}`.then(
          () => 'none',
          (error: { code?: string }) => error.code ?? 'unknown',
        )
      })
      return { seconds: (performance.now() - begun_ms) / 1000, code }
    })
  })
}

function placeOf(node: string): string {
  const { hostname, port } = new URL(`tcp://${node}`)
  return `'${hostname}', ${port}`
}

function atNode(url: string, node: string): string {
  const address = new URL(url)
  address.host = node
  return address.href
}
