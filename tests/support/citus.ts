// Databases on a Citus cluster, whose coordinator RIPPER_CITUS_URL names: one on each of its servers, with few shards.

import { distribute, makeCells } from '../../src/database/cells/distribute.ts'
import { connect } from '../../src/database/driver/driver.ts'
import type { Sql } from '../../src/database/open.ts'

/** Each shard of each table is a file of its own, so that fewer are faster made. */
const shards = 4

type Cluster = { url_of: string; nodes: string[] }
type Node = { host: string; port: number }

/** The addresses of the nodes beside the coordinator, for the same database and user. */
export async function nodesOfCluster(url: string): Promise<string[]> {
  return withDatabase(url, async (sql) => {
    const nodes = await sql<Node[]>`
      select nodename as host, nodeport as port from pg_dist_node
      where groupid <> 0 and noderole = 'primary' order by nodeid`
    return nodes.map(({ host, port }) => {
      const address = new URL(url)
      address.host = `${host}:${port}`
      return address.href
    })
  })
}

/** Makes a database on each server, and one cluster of them. */
export async function makeOnCluster({ url_of, nodes }: Cluster, name: string): Promise<void> {
  await onEach({ url_of, nodes }, 'template1', `create database ${name} template template0`)
  await onEach({ url_of, nodes }, name, 'create extension citus')
  const own = new URL(url_of.replace('{name}', name))
  await withDatabase(own.href, async (sql) => {
    await sql`select citus_set_coordinator_host(${own.hostname}, ${Number(own.port || 5432)})`
    for (const node of nodes) {
      const { hostname, port } = new URL(node.replace('{name}', name))
      await sql`select citus_add_node(${hostname}, ${Number(port || 5432)})`
    }
  })
}

export async function spread(sql: Sql): Promise<void> {
  await distribute(sql, shards)
  await makeCells(sql)
}

/** Nobody may be connected to a database that is copied, and Citus itself would be. */
export async function closeOnCluster(cluster: Cluster, name: string): Promise<void> {
  await onEach(cluster, 'template1', `alter database ${name} with allow_connections false`)
  await onEach(cluster, 'template1', `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
}

/** Runs a statement in that database of each server. */
export async function onEach({ url_of, nodes }: Cluster, database: string, text: string): Promise<void> {
  for (const url of [url_of, ...nodes]) {
    await withDatabase(url.replace('{name}', database), (sql) => sql.unsafe(text))
  }
}

/** Runs work on a connection to that database, and closes it. */
export async function withDatabase<T>(url: string, work: (sql: Sql) => PromiseLike<T>): Promise<T> {
  const sql = connect(url, {
    connections_max: 1,
    statement_timeout_ms: 120_000,
    lock_timeout_ms: 0,
  })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
