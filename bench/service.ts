// Starts the service as it is used, in a process of its own, and what looks into its database from outside.

import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import postgres from 'postgres'
import { removeFolder } from '../src/config/owner.ts'
import { findHome } from '../src/database/embedded/home.ts'
import { listeningFolder, servingPid } from '../src/database/embedded/process.ts'

const own_root = fileURLToPath(new URL('..', import.meta.url))

export type Started = {
  pid: number
  base_url: string
  secret_key: string
  publishable_key: string
  merchant_id: string
  stop(): Promise<void>
}

/** Runs work with a data folder that is gone afterwards. */
export async function withDataFolder<T>(work: (data_dir: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'ripper-bench-'))
  // As root, the embedded server has a user of its own, who has to come through.
  if (process.getuid?.() === 0) chmodSync(folder, 0o711)
  try {
    return await work(folder)
  } finally {
    removeFolder(folder)
  }
}

export async function withService<T>(
  data_dir: string,
  work: (service: Started) => Promise<T>,
  settings: NodeJS.ProcessEnv = {},
): Promise<T> {
  const service = await startService(data_dir, { settings })
  try {
    return await work(service)
  } finally {
    await service.stop()
  }
}

/** As `withService`, but so many processes that share the data folder, and its database. */
export async function withServices<T>(
  data_dir: string,
  count: number,
  work: (services: Started[]) => Promise<T>,
): Promise<T> {
  const services: Started[] = []
  try {
    while (services.length < count) services.push(await startService(data_dir))
    return await work(services)
  } finally {
    for (const service of services) await service.stop()
  }
}

type StartOptions = {
  /** The checkout whose service it is. */
  root?: string | undefined
  /** What starts it; it gets a process group of its own, which is ended as a whole. */
  command?: [string, ...string[]]
  /** Variables of its environment. */
  settings?: NodeJS.ProcessEnv
}

export async function startService(
  data_dir: string,
  { root = own_root, command = startCommand(root), settings = {} }: StartOptions = {},
): Promise<Started> {
  const [program, ...args] = command
  started += 1
  const log = join(data_dir, `service-${started}.log`)
  const output = openSync(log, 'w', 0o600)
  const child = spawn(program, [...args, '--json'], {
    cwd: root,
    detached: true,
    stdio: ['ignore', output, 'inherit'],
    env: {
      ...process.env,
      RIPPER_DATA_DIR: data_dir,
      RIPPER_PORT: '0',
      RIPPER_GATEWAY_LIMIT: '0',
      RIPPER_LOG_LEVEL: 'info',
      ...settings,
    },
  })
  closeSync(output)
  const pid = child.pid!
  running.add(pid)
  try {
    const document = await firstDocument(child, log)
    return { ...document, pid, stop: () => stopGroup(pid) }
  } catch (error) {
    await stopGroup(pid)
    throw error
  }
}

/** What `npm start` runs, without npm around it. */
function startCommand(root: string): [string, ...string[]] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [, , ...args] = (scripts.start as string).split(' ')
  return [process.execPath, ...args]
}

/** The embedded server of a data folder, whose children serve the connections. */
export async function databasePid(data_dir: string): Promise<number> {
  const serving = servingPid(await findHome(data_dir))
  if (serving === null) throw new Error('the database does not run')
  return serving
}

/** A plain pool of the driver, without any of the service's own code around it. */
export async function barePool(
  data_dir: string,
  connections_max: number,
  options: postgres.Options<Record<string, never>> = {},
): Promise<postgres.Sql> {
  const folder = listeningFolder(await findHome(data_dir))
  return postgres({
    path: `${folder}/.s.PGSQL.5432`,
    user: 'ripper',
    database: 'ripper',
    max: connections_max,
    fetch_types: false,
    onnotice: () => {},
    ...options,
  })
}

/** The address that `--json` prints stands between log lines, which begin otherwise. */
async function firstDocument(child: ChildProcess, log: string): Promise<Omit<Started, 'pid' | 'stop'>> {
  for (let waited_ms = 0; waited_ms < 60_000; waited_ms += 2) {
    const found = /^\{\n[\s\S]*?^\}$/m.exec(readFileSync(log, 'utf8'))
    if (found) return JSON.parse(found[0])
    if (child.exitCode !== null) throw new Error(`the service ended: ${readFileSync(log, 'utf8')}`)
    await pause(2)
  }
  throw new Error('the service did not start within a minute')
}

/** Services that this process has started: each has a log of its own. */
let started = 0

// Process groups that run: a run that fails or is interrupted leaves none behind.
const running = new Set<number>()
process.on('exit', () => {
  for (const pid of running) signal(pid, 'SIGTERM')
})
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(130))

/** Waits for the whole group: npm ends before the service that it started. */
async function stopGroup(pid: number): Promise<void> {
  signal(pid, 'SIGTERM')
  while (signal(pid, 0)) await pause(5)
  running.delete(pid)
}

/** False where the group is gone. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, name)
  } catch {
    return false
  }
}
