// Before all tests: one PostgreSQL server with a migrated template, which each test's database is copied from.

import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { TestProject } from 'vitest/node'
import { readFile, removeFolder } from '../../src/config/owner.ts'
import { connect } from '../../src/database/driver/driver.ts'
import { joinEmbedded } from '../../src/database/embedded/embedded.ts'
import { isAlive } from '../../src/database/embedded/lock-file.ts'
import { migrate } from '../../src/database/migrate.ts'
import { closeOnCluster, makeOnCluster, nodesOfCluster, onEach, spread } from './citus.ts'
import { quiet, realClock } from './world.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    database: TestServer
  }
}

/** `url_of` names a database where `{name}` stands; `nodes` are the others of a Citus cluster, in the same way. */
export type TestServer = { url_of: string; template: string; nodes: string[] }

type Running = { url_of: string; admin_url: string; nodes: string[]; stop(): Promise<void> }

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { RIPPER_TEST_DATABASE_URL: external, RIPPER_CITUS_URL: citus } = process.env
  const server = citus ? await onCluster(citus) : external ? onServer(external) : await startServer()
  const template = `ripper_template_${project.name}_${process.pid}`
  const admin = connect(server.admin_url, { connections_max: 1, statement_timeout_ms: 60_000 })
  if (citus) await makeOnCluster(server, template)
  else await admin.unsafe(`create database ${template} template template0`)
  const sql = connect(server.url_of.replace('{name}', template), { connections_max: 1 })
  await migrate({ sql, log: quiet, clock: realClock })
  if (citus) await spread(sql)
  await sql.end()
  if (citus) await closeOnCluster(server, template)
  project.provide('database', { url_of: server.url_of, template, nodes: server.nodes })
  return async () => {
    await onEach(server, 'template1', `drop database ${template} with (force)`)
    await admin.end()
    await server.stop()
  }
}

function onServer(url: string): Running {
  return { url_of: urlOf(url), admin_url: url, nodes: [], stop: async () => {} }
}

/** The address, with `{name}` for its database. */
export function urlOf(url: string): string {
  const parsed = new URL(url)
  parsed.pathname = '/{name}'
  return decodeURI(parsed.href)
}

async function onCluster(url: string): Promise<Running> {
  const nodes = await nodesOfCluster(url)
  return { ...onServer(url), nodes: nodes.map(urlOf) }
}

const prefix = 'ripper-tests-'

const memory = '/dev/shm'
const memory_bytes_min = 4 * 1024 ** 3

/** Where the databases are: in memory if there is enough, since whatever commits there waits for no disk. */
function folder(): string {
  const is_roomy = existsSync(memory) && freeBytes(memory) >= memory_bytes_min
  return is_roomy ? memory : tmpdir()
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}

async function startServer(): Promise<Running> {
  await removeLeftovers()
  const data_dir = newDataFolder(folder())
  const server = await joinEmbedded({ data_dir, log: quiet, clock: realClock })
  const url_of = `postgres://ripper@localhost/{name}?host=${encodeURIComponent(server.socket_folder)}`
  const stop = async () => {
    await server.leave()
    removeData(data_dir)
  }
  return { url_of, admin_url: url_of.replace('{name}', 'postgres'), nodes: [], stop }
}

/** A run that was killed has left its server: we come, are the last to leave, and so stop it. */
async function removeLeftovers(): Promise<void> {
  const names = readdirSync(folder()).filter((name) => name.startsWith(prefix))
  for (const name of names) {
    const owner = Number(name.slice(prefix.length).split('-')[0])
    const data_dir = `${folder()}/${name}`
    // Everybody may put a folder of that name there.
    if (isAlive(owner) || lstatSync(data_dir).uid !== process.getuid!()) continue
    if (existsSync(`${data_dir}/postgres/postmaster.pid`)) await stopServer(data_dir)
    removeData(data_dir)
  }
}

async function stopServer(data_dir: string): Promise<void> {
  try {
    const server = await joinEmbedded({ data_dir, log: quiet, clock: realClock })
    await server.leave()
  } catch {
    // Another run tidies up as well, and was faster.
  }
}

/** A data folder. What a killed process leaves of it in the folder for databases, a later run removes. */
export function newDataFolder(within = tmpdir()): string {
  const data_dir = mkdtempSync(`${within}/${prefix}${process.pid}-`)
  // As root, the embedded server has a user of its own, who has to come through.
  chmodSync(data_dir, 0o711)
  return data_dir
}

/** Removes a data folder and what an embedded database keeps for it elsewhere. */
export function removeData(data_dir: string): void {
  const location = locationOf(data_dir)
  if (location !== null) removeFolder(location)
  removeFolder(data_dir)
}

function locationOf(data_dir: string): string | null {
  try {
    const location = readFile(`${data_dir}/postgres-location`).trim()
    return /^\/var\/lib\/ripper\/data-[0-9a-f]+$/.test(location) ? location : null
  } catch {
    // There is nothing elsewhere.
    return null
  }
}
