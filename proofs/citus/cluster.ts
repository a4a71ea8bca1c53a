// A database of the proof's own on a Citus cluster, and that cluster's servers, which die and come back.

import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { migrate } from '../../src/database/migrate.ts'
import { makeOnCluster, nodesOfCluster, onEach, spread, withDatabase } from '../../tests/support/citus.ts'
import { urlOf } from '../../tests/support/setup-database.ts'
import { quiet, realClock } from '../../tests/support/world.ts'
import { waitFor } from '../storm/rest.ts'
import { killWhole } from '../storm/server.ts'

export type Server = {
  /** `host:port` */
  name: string
  /** Its first process. */
  pid(): number
  /** Dies at once, with all its processes. */
  kill(): void
  /** Comes back, and answers. */
  start(): Promise<void>
}

export type Cluster = {
  /** The coordinator's address, and the database. */
  url: string
  /** A database on the coordinator's server that is not spread. */
  plain_url: string
  coordinator: Server
  nodes: Server[]
  close(): Promise<void>
}

/** Makes the database on every server, with all tables spread and cells made. */
export async function openCluster(coordinator_url: string, name: string): Promise<Cluster> {
  const node_urls = await nodesOfCluster(coordinator_url)
  const url_of = urlOf(coordinator_url)
  const place = { url_of, nodes: node_urls.map(urlOf) }
  await makeOnCluster(place, name)
  const plain = `${name}_plain`
  await onEach({ url_of, nodes: [] }, 'template1', `create database ${plain} template template0`)
  const url = url_of.replace('{name}', name)
  await withDatabase(url, async (sql) => {
    await migrate({ sql, log: quiet, clock: realClock })
    await spread(sql)
  })
  return {
    url,
    plain_url: url_of.replace('{name}', plain),
    coordinator: await serverAt(coordinator_url),
    nodes: await Promise.all(node_urls.map(serverAt)),
    async close() {
      await onEach(place, 'template1', `drop database if exists ${name} with (force)`)
      await onEach(place, 'template1', `drop database if exists ${plain} with (force)`)
    },
  }
}

type Facts = { data: string; programs: string; pid: string }

async function serverAt(url: string): Promise<Server> {
  const [facts] = await withDatabase(
    url,
    (sql) => sql<[Facts]>`
      select current_setting('data_directory') as data, (select setting from pg_config where name = 'BINDIR') as programs,
        split_part(pg_read_file('postmaster.pid'), E'\n', 1) as pid`,
  )
  const { data, programs } = facts
  const { hostname, port } = new URL(url)
  const pid = () => Number(readFileSync(`${data}/postmaster.pid`, 'utf8').split('\n', 1)[0])
  return {
    name: `${hostname}:${port || 5432}`,
    pid,
    kill: () => killWhole(pid()),
    async start() {
      const { uid, gid } = statSync(data)
      const args = ['-D', data, '-l', `${data}.log`, '-w', 'start']
      const { status, stderr } = spawnSync(`${programs}/pg_ctl`, args, {
        uid,
        gid,
        cwd: '/',
        stdio: ['ignore', 'ignore', 'pipe'],
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(`${data} does not start: ${stderr}`)
      await waitFor(() => answers(url), `${data} does not answer`)
    },
  }
}

function answers(url: string): Promise<boolean> {
  return withDatabase(url, (sql) => sql`select 1`).then(
    () => true,
    () => false,
  )
}
