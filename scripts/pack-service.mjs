// Writes what `npm pack` takes besides the repository's own files, in lib/: the service without types, since Node does not
// take them out of what lies in node_modules. `npm pack` runs it before, and with `--clean` after.

import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [from, to] = [join(root, 'src'), join(root, 'lib')]
/** What a module imports from a file of its own. */
const specifier = /(\bfrom |\bimport\(|\bimport )'(\.{1,2}\/[^']+)\.ts'/g

rmSync(to, { recursive: true, force: true })
if (process.argv[2] !== '--clean') {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(from.length)
    if (entry.isFile() && !path.endsWith('.test.ts')) pack(path)
  }
  // A package has no .git, by which a checkout knows its commit.
  const { commit } = await import('../src/kernel/version.ts')
  const at = commit()
  if (at !== null) writeFileSync(join(to, 'commit'), `${at}\n`)
}

/** Lines and columns stay where they are. */
function pack(path) {
  mkdirSync(dirname(to + path), { recursive: true })
  if (!path.endsWith('.ts')) {
    copyFileSync(from + path, to + path)
    return
  }
  const code = stripTypeScriptTypes(readFileSync(from + path, 'utf8'))
  writeFileSync((to + path).replace(/\.ts$/, '.js'), code.replaceAll(specifier, "$1'$2.js'"))
}
