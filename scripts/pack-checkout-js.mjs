// Writes the package @ripper/checkout-js: the ES module that loads checkout.js, with its types. `npm run pack:checkout-js`.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = process.argv[2] ?? join(root, 'dist', 'npm', 'checkout-js')

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
compile()
const { version } = readJson('package.json')
const manifest = { ...readJson('web/npm/package.json'), version }
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
writeFileSync(join(folder, 'README.md'), readFileSync(join(root, 'docs/checkout-js.md')))
console.log(`@ripper/checkout-js ${version} is in ${folder}; \`npm pack\` there makes the archive.`)

/** Types and all, by the compiler that checks them. */
function compile() {
  const options = {
    ...{ rootDir: join(root, 'web'), outDir: folder, noEmit: false, declaration: true },
    ...{ rewriteRelativeImportExtensions: true, module: 'nodenext', target: 'es2022' },
  }
  const config = join(folder, 'tsconfig.json')
  const files = [join(root, 'web/npm/index.ts')]
  const all = {
    extends: join(root, 'web/tsconfig.json'),
    compilerOptions: options,
    files,
    include: [],
  }
  writeFileSync(config, JSON.stringify(all))
  const { status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', config],
    { stdio: 'inherit' },
  )
  rmSync(config)
  if (status !== 0) process.exit(1)
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}
