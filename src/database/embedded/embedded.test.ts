// The life of the embedded server, with real processes: which one starts it, which one stops it, and what a kill leaves
// behind.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { removeData } from '../../../tests/support/setup-database.ts'
import { realClock } from '../../../tests/support/world.ts'
import { asOwner } from '../../config/owner.ts'
import { canReach } from './account.ts'
import { isAlive, serves } from './lock-file.ts'

const fixture = fileURLToPath(new URL('../../../tests/support/fixtures/hold-database.ts', import.meta.url))
const root = process.getuid!() === 0
const limit_ms = 60_000

const folders: string[] = []
const holders: Holder[] = []

afterEach(async () => {
  for (const holder of holders.splice(0)) await holder.leave()
  for (const folder of folders.splice(0)) {
    // Ends only a server that this test left running, found by the number in its own folder.
    const pid = postmaster(folder)
    if (pid !== null && serves(pid, clusterOf(folder))) process.kill(pid, 'SIGINT')
    while (pid !== null && isAlive(pid)) await realClock.sleep(10)
    removeData(folder)
  }
})

function folder(name = ''): string {
  const path = mkdtempSync(`${tmpdir()}/ripper-embedded-`)
  if (root) chmodSync(path, 0o711)
  folders.unshift(path)
  if (name === '') return path
  mkdirSync(`${path}/${name}`, { mode: 0o711 })
  folders.unshift(`${path}/${name}`)
  return `${path}/${name}`
}

type Line = { log?: string; opened?: string; rows?: object[]; failed?: string; refused?: string }

type Holder = {
  pid: number
  child: ChildProcess
  logs: string[]
  /** The next line that is not a log. */
  next(): Promise<Line>
  run(text: string): Promise<Line>
  leave(): Promise<void>
}

function hold(data_dir: string, options: { uid?: number; gid?: number; TMPDIR?: string } = {}): Holder {
  const { TMPDIR, ...account } = options
  const child = spawn(process.execPath, [fixture, data_dir], {
    ...account,
    env: { ...process.env, ...(TMPDIR && { TMPDIR }) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.on('error', () => {})
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const logs: string[] = []
  const next = async (): Promise<Line> => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) return { failed: 'the process has ended' }
      const line = JSON.parse(value) as Line
      if (line.log === undefined) return line
      logs.push(line.log)
    }
  }
  const holder: Holder = {
    pid: child.pid!,
    child,
    logs,
    next,
    run: (text) => {
      child.stdin.write(`${text}\n`)
      return next()
    },
    leave: async () => {
      child.stdin.end()
      await exited
    },
  }
  holders.push(holder)
  return holder
}

async function opened(data_dir: string, options = {}): Promise<Holder> {
  const holder = hold(data_dir, options)
  expect(await holder.next()).toEqual({ opened: expect.stringContaining('embedded PostgreSQL 18') })
  return holder
}

function clusterOf(data_dir: string): string {
  const location = `${data_dir}/postgres-location`
  const home = existsSync(location) ? readFileSync(location, 'utf8').trim() : data_dir
  return `${home}/postgres`
}

function postmaster(data_dir: string): number | null {
  const path = `${clusterOf(data_dir)}/postmaster.pid`
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : null
}

async function killAndWait(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  while (isRunning(pid)) await realClock.sleep(5)
}

/** In a container an ended orphan may never be reaped. It then keeps its number without a command. */
function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
  } catch {
    return true
  }
}

const rows = (...list: object[]) => ({ rows: list })

describe('an embedded database', { timeout: limit_ms }, () => {
  test('is made, keeps its data, and is stopped by the last process that leaves', async () => {
    const data_dir = folder()
    const first = await opened(data_dir)
    expect(await first.run('create table t (n int); insert into t values (1)')).toHaveProperty('rows')
    const server = postmaster(data_dir)!
    const second = await opened(data_dir)
    await first.leave()
    expect(postmaster(data_dir)).toBe(server)
    expect(await second.run('select n from t')).toEqual(rows({ n: 1 }))
    await second.leave()
    expect(postmaster(data_dir)).toBeNull()
    expect(isRunning(server)).toBe(false)

    const third = await opened(data_dir)
    expect(await third.run('select n from t')).toEqual(rows({ n: 1 }))
    const settings = "select setting from pg_settings where name in ('fsync', 'data_checksums')"
    expect(await third.run(settings)).toEqual(rows({ setting: 'on' }, { setting: 'on' }))
  })

  test('outlives the process that started it, and the next one attaches', async () => {
    const data_dir = folder()
    const first = await opened(data_dir)
    await first.run('create table t (n int); insert into t values (1)')
    const server = postmaster(data_dir)
    await killAndWait(first.pid)
    const second = await opened(data_dir)
    expect(postmaster(data_dir)).toBe(server)
    expect(await second.run('select n from t')).toEqual(rows({ n: 1 }))
    await second.leave()
    expect(postmaster(data_dir)).toBeNull()
  })

  test('is started again after the server itself was killed', async () => {
    const data_dir = folder()
    const first = await opened(data_dir)
    await first.run('create table t (n int); insert into t values (1)')
    const server = postmaster(data_dir)!
    await killAndWait(first.pid)
    await killAndWait(server)
    expect(postmaster(data_dir)).toBe(server)
    const second = await opened(data_dir)
    expect(postmaster(data_dir)).not.toBe(server)
    expect(await second.run('select n from t')).toEqual(rows({ n: 1 }))
  })

  test('comes back by itself under a process that goes on', async () => {
    const data_dir = folder()
    const holder = await opened(data_dir)
    await holder.run('create table t (n int); insert into t values (1)')
    const killed = postmaster(data_dir)!
    await killAndWait(killed)
    let answer: Line = { failed: 'not asked yet' }
    // Orphans of the killed server may still answer for a moment.
    for (let tries = 0; postmaster(data_dir) === killed || answer.failed; tries += 1) {
      expect(tries).toBeLessThan(500)
      await realClock.sleep(20)
      answer = await holder.run('select n from t')
    }
    expect(answer).toEqual(rows({ n: 1 }))
    await holder.leave()
    expect(postmaster(data_dir)).toBeNull()
  })

  test('is started although its number now belongs to another program', async () => {
    const data_dir = folder()
    const first = await opened(data_dir)
    await first.run('create table t (n int); insert into t values (1)')
    const server = postmaster(data_dir)!
    await killAndWait(first.pid)
    await killAndWait(server)
    // This test process plays the stranger. It usually runs as the server's user.
    for (const path of [`${clusterOf(data_dir)}/postmaster.pid`, `${data_dir}/socket/.s.PGSQL.5432.lock`]) {
      const text = readFileSync(path, 'utf8')
      expect(text.startsWith(`${server}\n`)).toBe(true)
      asOwner(path, () => writeFileSync(path, text.replace(`${server}\n`, `${process.pid}\n`)))
    }
    const second = await opened(data_dir)
    expect(await second.run('select n from t')).toEqual(rows({ n: 1 }))
  })

  test('is one when several processes start at once on an empty folder', async () => {
    const data_dir = folder()
    const many = [1, 2, 3, 4].map(() => hold(data_dir))
    for (const holder of many) expect(await holder.next()).toHaveProperty('opened')
    await many[0]!.run('create table t (n int); insert into t values (1)')
    for (const holder of many) {
      expect(await holder.run('select n from t')).toEqual(rows({ n: 1 }))
    }
    await Promise.all(many.map((holder) => holder.leave()))
    expect(postmaster(data_dir)).toBeNull()
  })

  test('serves a process that comes while the last one leaves', async () => {
    const data_dir = folder()
    let last = await opened(data_dir)
    await last.run('create table t (n int)')
    for (let round = 1; round <= 6; round += 1) {
      const coming = hold(data_dir)
      // The delay grows each round, so that the arrival meets each stage of the shutdown.
      const at = realClock.sleep(round * 25)
      const leaving = at.then(() => last.leave())
      expect(await coming.next()).toHaveProperty('opened')
      expect(await coming.run(`insert into t values (${round})`)).toEqual({ rows: [] })
      await leaving
      expect(await coming.run('select count(*)::int as n from t')).toEqual(rows({ n: round }))
      last = coming
    }
  })

  test('puts its socket elsewhere when its folder has a long path', async () => {
    const data_dir = folder('x'.repeat(150))
    const first = await opened(data_dir)
    const pid_file = readFileSync(`${data_dir}/postgres/postmaster.pid`, 'utf8')
    const socket_folder = pid_file.split('\n')[4]!
    expect(socket_folder).toContain(tmpdir())
    folders.push(socket_folder)
    const TMPDIR = folder()
    // A process with another temporary folder still finds the server.
    const second = await opened(data_dir, { TMPDIR })
    await first.run('create table t (n int)')
    expect(await second.run('select n from t')).toEqual({ rows: [] })
  })

  test('says why it cannot start', async () => {
    const data_dir = folder()
    const first = await opened(data_dir)
    await first.leave()
    rmSync(`${data_dir}/postgres/global/pg_control`)
    const second = hold(data_dir)
    expect(await second.next()).toEqual({ refused: expect.stringContaining('postgres.log') })
  })
})

describe.runIf(root)('as root', { timeout: limit_ms }, () => {
  test('an unreachable folder has its data where the server can reach it', async () => {
    const data_dir = folder('private')
    chmodSync(data_dir, 0o700)
    const first = await opened(data_dir)
    await first.run('create table t (n int); insert into t values (1)')
    await first.leave()
    expect(existsSync(`${data_dir}/postgres`)).toBe(false)
    expect(clusterOf(data_dir)).toMatch(/^\/var\/lib\/ripper\/data-[0-9a-f]{16}\/postgres$/)
    // The file that names the folder is enough, even with other permissions.
    chmodSync(data_dir, 0o711)
    const second = await opened(data_dir)
    expect(await second.run('select n from t')).toEqual(rows({ n: 1 }))
  })

  test('a folder made anew at the same place does not find the old data', async () => {
    const data_dir = folder('private')
    chmodSync(data_dir, 0o700)
    const first = await opened(data_dir)
    const before = clusterOf(data_dir)
    await first.leave()
    // The old folder is kept, so that the new one cannot get its number.
    const old_dir = `${data_dir}-before`
    renameSync(data_dir, old_dir)
    folders.unshift(old_dir)
    mkdirSync(data_dir, { mode: 0o700 })
    const second = await opened(data_dir)
    expect(clusterOf(data_dir)).not.toBe(before)
    await second.leave()
  })

  // This user runs our Node and our files, so it must be able to reach them.
  const nobody = { uid: 65534, gid: 65534 }
  const in_reach = [process.execPath, dirname(fixture)].every((path) => canReach(path, nobody))

  test.skipIf(!in_reach)('an ordinary user has a database of its own', async () => {
    const data_dir = folder('ordinary')
    chownSync(data_dir, 65534, 65534)
    const ordinary = await opened(data_dir, nobody)
    await ordinary.run('create table t (n int); insert into t values (1)')
    // A process of root runs the server as the folder's owner.
    const other = await opened(data_dir)
    await ordinary.leave()
    expect(await other.run('select n from t')).toEqual(rows({ n: 1 }))
    await other.leave()
    const again = await opened(data_dir)
    expect(await again.run('select n from t')).toEqual(rows({ n: 1 }))
  })
})
