// Two servers under Patroni with etcd, behind an HAProxy that leads to the primary: what docs/operations/postgresql.md recommends, on one machine.

import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { asAccount, giveFolder } from '../../src/config/owner.ts'
import { connect } from '../../src/database/driver/driver.ts'
import { serverAccount } from '../../src/database/embedded/account.ts'
import type { Sql } from '../../src/database/open.ts'
import { newDataFolder, removeData } from '../../tests/support/setup-database.ts'
import type { Pair } from '../storm/pair.ts'
import { waitFor } from '../storm/rest.ts'
import { killWhole } from '../storm/server.ts'
import { type Cluster, etcdArguments, haproxyFile, type Node, patroniFile } from './configuration.ts'
import type { Programs } from './programs.ts'
import { openRunner } from './runner.ts'

/** `log_file` is where all of them write. */
export async function openPatroni(programs: Programs, log_file: string, is_synchronous: boolean): Promise<Pair> {
  const folder = newDataFolder()
  const account = serverAccount(folder)
  const cluster = await newCluster(folder, programs.postgres_folder, is_synchronous)
  const run = openRunner(log_file, account)
  const write = (name: string, text: string) => {
    const path = `${folder}/${name}`
    asAccount(account, () => writeFileSync(path, text))
    return path
  }
  chmodSync(folder, 0o700)
  giveFolder(folder, account)
  for (const path of [`${folder}/etcd`, ...cluster.nodes.map((node) => node.folder)]) {
    asAccount(account, () => mkdirSync(path, { recursive: true, mode: 0o700 }))
  }
  run.start(programs.etcd, etcdArguments(cluster, folder))
  const keepers = new Map<Node, ChildProcess>()
  const keep = (node: Node) => {
    const file = write(`${node.name}.yml`, patroniFile(node, cluster))
    keepers.set(node, run.start(programs.patroni, [file]))
  }
  const killServers = () => {
    for (const node of cluster.nodes) if (isRunning(node)) killWhole(postmasterOf(node))
  }
  process.once('exit', killServers)
  const [first, second] = cluster.nodes as [Node, Node]
  keep(first)
  await waitFor(() => is(first, 'primary'), 'no server becomes the primary')
  keep(second)
  run.start(programs.haproxy, ['-db', '-f', write('haproxy.cfg', haproxyFile(cluster))])
  await withAdmin(first, async (sql) => {
    await sql`create role ripper login`
    await sql`create database ripper owner ripper template template0`
  })
  const follows = is_synchronous ? 'sync' : 'replica'
  await waitFor(() => is(second, follows), 'the standby does not follow')
  return {
    url: `postgres://ripper@127.0.0.1:${cluster.haproxy_port}/ripper`,
    home: () => null,
    victim: () => null,
    // What it lacks in the end is what was on its way.
    lag() {},
    async failOver() {
      // Patroni first, or it would start the server again.
      keepers.get(first)!.kill('SIGKILL')
      killWhole(postmasterOf(first))
      await waitFor(() => is(second, 'primary'), 'the standby does not take over')
    },
    async close() {
      await run.end()
      killServers()
      process.off('exit', killServers)
      removeData(folder)
    },
  }
}

async function newCluster(folder: string, postgres_folder: string, is_synchronous: boolean): Promise<Cluster> {
  const ports = await freePorts(7)
  const nodes = ['one', 'two'].map((name, at) => ({
    name,
    folder: `${folder}/${name}`,
    api_port: ports[at]!,
    server_port: ports[at + 2]!,
  }))
  return {
    nodes,
    postgres_folder,
    is_synchronous,
    etcd_port: ports[4]!,
    etcd_peer_port: ports[5]!,
    haproxy_port: ports[6]!,
  }
}

/** Whether Patroni says so of its server. */
async function is({ api_port }: Node, role: 'primary' | 'replica' | 'sync'): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${api_port}/${role}`)).status === 200
  } catch {
    return false
  }
}

function postmasterOf({ folder }: Node): number {
  return Number(readFileSync(`${folder}/data/postmaster.pid`, 'utf8').split('\n')[0])
}

function isRunning(node: Node): boolean {
  try {
    return readFileSync(`/proc/${postmasterOf(node)}/cmdline`, 'utf8').includes(node.folder)
  } catch {
    return false
  }
}

async function withAdmin<T>({ server_port }: Node, work: (sql: Sql) => Promise<T>): Promise<T> {
  const url = `postgres://postgres@127.0.0.1:${server_port}/postgres`
  const sql = connect(url, { connections_max: 1 })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer()
      await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens))
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))))
  return ports
}
