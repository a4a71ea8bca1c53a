// Installs what is missing, on any Node from 20 up and with nothing installed yet. `npm start`, `npm test` and
// `bin/ripper.mjs` run it first; where all is there it takes some milliseconds and says nothing.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isWebBuilt } from './build-web.mjs'
import { fittingNode } from './own-node.mjs'

/** These scripts run or pack the service, which needs no development packages. The empty name is a set-up by hand. */
const without_dev = ['', 'prestart', 'prepack']

/** Brings node_modules in line with package-lock.json and dist/web with web/. Throws an Error with a message for people. */
export async function setUp(root, { needs_dev = false } = {}) {
  if (isDone(root, needs_dev)) return
  const release = await lock(root)
  try {
    if (isDone(root, needs_dev)) return
    if (!isInstalled(root, needs_dev)) install(root, needs_dev)
    refuseForeignNode(fittingNode(root))
    linkCommand(root)
    if (!isWebBuilt(root)) buildPages(root)
    writeFileSync(markOf(root), markText(root, isInstalled(root, true)))
  } finally {
    release()
  }
}

function isDone(root, needs_dev) {
  return areModulesDone(root, needs_dev) && isWebBuilt(root)
}

function areModulesDone(root, needs_dev) {
  const mark = read(markOf(root))
  if (mark === null || !existsSync(hiddenLockOf(root))) return false
  return mark === markText(root, true) || (!needs_dev && mark === markText(root, false))
}

/** What was installed: this lock file, with or without what only the tests need. */
function markText(root, with_dev) {
  const lock_file = readFileSync(join(root, 'package-lock.json'))
  return `${createHash('sha256').update(lock_file).digest('hex')}${with_dev ? ' dev' : ''}\n`
}

/** True when somebody has run npm here already, and it installed what the lock file says. */
function isInstalled(root, needs_dev) {
  const hidden = read(hiddenLockOf(root))
  if (hidden === null) return false
  const installed = JSON.parse(hidden).packages
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  return Object.entries(wanted).every(([path, { version, optional, dev, link, ...system }]) => {
    if (path === '' || link || (dev && !needs_dev) || (optional && !isForHere(system))) return true
    return installed[path]?.version === version && existsSync(join(root, path, 'package.json'))
  })
}

/** An optional package that this system cannot do without, such as its Node: it names the system, and no kind of C library. */
function isForHere({ os, cpu, libc }) {
  const names = (list, value) => list !== undefined && [list].flat().includes(value)
  return names(os, process.platform) && names(cpu, process.arch) && libc === undefined
}

/**
 * Runs no script of any package: what comes here has a hash in the lock file. What the tests need is added, since `npm ci` would
 * first remove what a service may be running on.
 */
function install(root, needs_dev) {
  const act = needs_dev && isInstalled(root, false) ? ['install', '--no-save'] : ['ci']
  console.log(`Installing what is missing (npm ${act[0]}) …`)
  const npm = process.env.npm_execpath
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const options = [
    ...act,
    needs_dev ? '--include=dev' : '--omit=dev',
    '--include=optional',
    '--ignore-scripts',
    '--loglevel=error',
    '--no-progress',
  ]
  const { status, error } = spawnSync(command, [...first, ...options], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
    env: { ...process.env, npm_config_global: 'false', npm_config_dry_run: 'false' },
  })
  if (error) throw new Error(`npm cannot be run: ${error.message}`)
  if (status === 0) return
  throw new Error(`npm ${act[0]} ended with status ${status}; its message is above.`)
}

function refuseForeignNode(node) {
  const { status } = spawnSync(node, ['--version'], { stdio: 'ignore' })
  if (status === 0) return
  throw new Error(
    `${node} does not run on this system: on Linux it needs glibc, which Alpine, for instance, does not have. ` +
      'See "Without glibc" in docs/install.md.',
  )
}

/** The Node that runs this may be too old for the bundler: the one that was installed does it. */
function buildPages(root) {
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }
  const { status } = spawnSync(fittingNode(root), [join(root, 'scripts/build-web.mjs')], options)
  if (status !== 0) throw new Error('The pages could not be built; the reason is above.')
}

/** `npx ripper` looks into node_modules/.bin first. */
function linkCommand(root) {
  const link = join(root, 'node_modules', '.bin', 'ripper')
  const target = '../../bin/ripper.mjs'
  chmodSync(join(root, 'bin', 'ripper.mjs'), 0o755)
  if (lstatSync(link, { throwIfNoEntry: false })) {
    if (lstatSync(link).isSymbolicLink() && readlinkSync(link) === target) return
    rmSync(link)
  }
  mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true })
  symlinkSync(target, link)
}

const stale_after_ms = 15 * 60_000

/**
 * One set-up at a time. The lock is a folder that arrives with its owner's number in it. It is not in the data folder, which may
 * be another user's.
 */
async function lock(root) {
  const place = join(root, 'dist', 'setup.lock')
  const draft = `${place}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  writeFileSync(join(draft, 'pid'), String(process.pid))
  while (!moved(draft, place)) {
    removeStale(place, `${draft}.stale`)
    await sleep(100)
  }
  return () => rmSync(place, { recursive: true, force: true })
}

function moved(from, to) {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'EPERM', 'ENOENT'].includes(error.code) && existsSync(from)) return false
    throw error
  }
}

function removeStale(place, aside) {
  const pid = read(join(place, 'pid'))
  const age_ms = Date.now() - (statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  if (pid === null || (isAlive(Number(pid)) && age_ms < stale_after_ms)) return
  if (!moved(place, aside)) return
  // Somebody else may have been faster and hold the lock now: then it is put back.
  if (read(join(aside, 'pid')) !== pid && moved(aside, place)) return
  rmSync(aside, { recursive: true, force: true })
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function markOf(root) {
  return join(root, 'node_modules', '.ripper-setup')
}

function hiddenLockOf(root) {
  return join(root, 'node_modules', '.package-lock.json')
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

if (process.argv[1] && statSync(process.argv[1]).ino === statSync(fileURLToPath(import.meta.url)).ino) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  try {
    await setUp(root, { needs_dev: !without_dev.includes(process.env.npm_lifecycle_event ?? '') })
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
