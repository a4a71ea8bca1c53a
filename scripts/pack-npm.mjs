// Writes a package as npm takes it, and its archive: TypeScript compiled with its types, manifest with the version of the
// service, README.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Packs into `folder`, or dist/npm/<the name without its scope>, and makes the archive beside it. All paths are relative to the repository: `manifest` and
 * `readme`, `config` (the tsconfig.json that the sources keep to), `source` (the folder they are in), `entry` (the file
 * that the package is), `out` (where in the package they go, `.` for the top).
 */
export function packNpm({ manifest, readme, config, source, entry, out }, folder) {
  const { version } = readJson('package.json')
  const described = { ...readJson(manifest), version }
  const place = folder ?? join(root, 'dist', 'npm', described.name.split('/').at(-1))
  rmSync(place, { recursive: true, force: true })
  mkdirSync(place, { recursive: true })
  compile({ config, source, entry, out: join(place, out) }, place)
  writeFileSync(join(place, 'package.json'), `${JSON.stringify(described, null, 2)}\n`)
  writeFileSync(join(place, 'README.md'), readFileSync(join(root, readme)))
  console.log(`${described.name} ${version} is in ${archive(place)}`)
}

/** What a shop installs and keeps: npm would only link to a folder. */
function archive(place) {
  const around = dirname(place)
  const options = ['pack', '--json', '--loglevel=error', '--pack-destination', around]
  const { status, stdout, stderr } = spawnSync('npm', options, { cwd: place, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm pack ended with status ${status}: ${stderr}`)
  return join(around, JSON.parse(stdout)[0].filename)
}

/** Types and all, by the compiler that checks them. */
function compile({ config, source, entry, out }, place) {
  const options = {
    rootDir: join(root, source),
    outDir: out,
    noEmit: false,
    declaration: true,
    rewriteRelativeImportExtensions: true,
    module: 'nodenext',
    target: 'es2022',
    typeRoots: [join(root, 'node_modules/@types')],
  }
  const path = join(place, 'tsconfig.json')
  const all = {
    extends: join(root, config),
    compilerOptions: options,
    files: [join(root, entry)],
    include: [],
  }
  writeFileSync(path, JSON.stringify(all))
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', path], {
    stdio: 'inherit',
  })
  rmSync(path)
  if (status !== 0) process.exit(1)
  for (const name of readdirSync(out, { recursive: true })) {
    if (name.endsWith('.d.ts')) nameBuilt(join(out, name))
  }
}

/** The compiler names the built files in what it imports, and the sources in what it declares. */
function nameBuilt(path) {
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replaceAll(/( from '\.[^']+)\.ts'/g, "$1.js'"))
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}
