// `npm run prism`: hyperswitch-prism, connectors that nobody here wrote, drives the fakes and reads their answers. Exits 1 where it reads
// something else than is expected, unless `differences.ts` says why that is the library's own fault.

import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { realClock } from '../../src/outgoing/real-world.ts'
import { readAsked, text } from '../asked.ts'
import { judge } from './judge.ts'
import { type Read, type Vendor, vendors } from './vendors.ts'

const release = 'hyperswitch-prism@0.4.0'
/** What the library was linked against. */
const glibc_min = [2, 38]

const asked = readAsked('prism', {
  cache: text('FOLDER', join(homedir(), '.cache', 'ripper', release.replace('@', '-'))),
  node: text('COMMAND'),
})

const lacking = asked.node === null ? missingLibrary() : null
if (lacking) process.stdout.write(`skipped: ${release} ${lacking}\n`)
else {
  try {
    process.exitCode = await run((asked.node ?? process.execPath).split(' '))
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 2
  }
}

/** Why the library cannot be loaded here; null if it can. */
function missingLibrary(): string | null {
  const wanted = `needs Linux with glibc ${glibc_min.join('.')} or later`
  const { header } = process.report.getReport() as {
    header: { glibcVersionRuntime?: string }
  }
  const version = header.glibcVersionRuntime
  if (version === undefined) return wanted
  const [major, minor] = version.split('.').map(Number) as [number, number]
  const is_old = major < glibc_min[0]! || (major === glibc_min[0] && minor < glibc_min[1]!)
  return is_old ? `${wanted}, and this machine has ${version}; --node names one that has it` : null
}

async function run(node: string[]): Promise<number> {
  install(asked.cache)
  let faults = 0
  for (const open of vendors) {
    const vendor = await open(realClock())
    try {
      const read = await drive(node, vendor)
      for (const { words, is_fault } of judge(vendor, read)) {
        process.stdout.write(`${vendor.name.padEnd(9)} ${words}\n`)
        if (is_fault) faults += 1
      }
    } finally {
      await vendor.close()
    }
  }
  process.stdout.write(faults === 0 ? '\nThe fakes are read as expected.\n' : `\n${faults} differ.\n`)
  return faults === 0 ? 0 : 1
}

/** Into a folder of its own: the library is large, and nothing else here needs it. */
function install(folder: string): void {
  if (existsSync(join(folder, 'node_modules', 'hyperswitch-prism', 'package.json'))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const args = ['install', release, '--ignore-scripts', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${release} could not be installed into ${folder}.`)
}

async function drive([command, ...args]: string[], { config, cards }: Vendor) {
  const program = resolve(import.meta.dirname, 'drive.mjs')
  const to_do = JSON.stringify({ config, cards })
  const { stdout } = await promisify(execFile)(command!, [...args, program, asked.cache, to_do], {
    timeout: 60_000,
  })
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, Read>
}
