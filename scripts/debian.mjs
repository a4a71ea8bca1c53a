// `npm run debian`: the tests against the PostgreSQL of Debian's packages, each version that is installed, with the settings that they
// come with. What stands behind the command names tests, as for vitest: `npm run debian -- tests/dashboard`.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { fittingNode } from './own-node.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = `${root}node_modules/`
/** Where the packages put a version's programs, each in a folder of its own. */
const packages = process.env.RIPPER_TEST_POSTGRESQL ?? '/usr/lib/postgresql'
/** PostgreSQL refuses to run as root. */
const as_user = process.getuid() === 0 ? ['runuser', '-u', 'postgres', '--'] : []

const versions = existsSync(packages) ? readdirSync(packages).sort() : []
if (versions.length === 0) {
  console.error(`There is no version in ${packages}: apt-get install postgresql-15, for one.`)
  process.exit(1)
}
for (const version of versions) {
  console.log(`PostgreSQL ${version} of ${packages}`)
  process.exitCode ||= testOn(`${packages}/${version}/bin`)
}

function testOn(programs) {
  const folder = mkdtempSync(`${tmpdir()}/ripper-debian-`)
  const data = `${folder}/data`
  const server = (act, ...args) =>
    run([`${programs}/pg_ctl`, `--pgdata=${data}`, `--log=${folder}/own/log`, '--wait', act, ...args])
  try {
    chmodSync(folder, 0o777)
    run(['mkdir', `${folder}/own`])
    run([`${programs}/initdb`, `--pgdata=${data}`, '--username=ripper', '--auth=trust', '--no-sync'])
    server('start', `--options=-c listen_addresses='' -c unix_socket_directories=${folder}/own`)
    const url = `postgres://ripper@localhost/postgres?host=${encodeURIComponent(`${folder}/own`)}`
    return tests(url)
  } finally {
    if (existsSync(`${data}/postmaster.pid`)) server('stop', '--mode=immediate')
    rmSync(folder, { recursive: true, force: true })
  }
}

function tests(url) {
  const { status } = spawnSync(fittingNode(root), [`${modules}vitest/vitest.mjs`, 'run', ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      PATH: `${modules}.bin:${process.env.PATH}`,
      RIPPER_TEST_DATABASE_URL: url,
    },
  })
  return status ?? 1
}

function run(words) {
  const [program, ...args] = [...as_user, ...words]
  const { status, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status !== 0) throw new Error(`${words[0]} ended with ${status}: ${stderr}`)
}
