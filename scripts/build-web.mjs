// Builds what browsers load, from web/ into dist/web/: each entry one script without imports, each style sheet one file.
// The set-up runs it where something in web/ has changed; where nothing has, it says nothing and takes some milliseconds.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** In this order: checkout.js names the 3-D Secure part by its hash. */
const scripts = ['three-ds', 'checkout', 'card-fields', 'pay', 'demo', 'docs', 'dashboard']
const styles = ['card-fields', 'pay', 'demo', 'docs', 'dashboard']
/** What the command line takes from web/, so that it judges as the pages do. */
const modules = ['palette']

/** What shoppers' browsers load. The oldest of them is that of iOS 15. */
const shoppers = new Set(['three-ds', 'checkout', 'card-fields', 'pay', 'demo'])
const oldest = { ios_saf: 15 << 16 }

const spoken = new Set(['en', 'ar', 'de', 'es', 'fr', 'it', 'ja', 'nl', 'pl', 'pt'])

/** Whether dist/web is what web/ says. A checkout without web/ has nothing to build. */
export function isWebBuilt(root) {
  return !existsSync(join(root, 'web')) || read(markOf(root)) === sourceHash(root)
}

/** Builds into a folder aside and then takes its place, so that nobody ever sees half of it. */
export async function buildWeb(root) {
  const hash = sourceHash(root)
  const draft = join(root, 'dist', `web.${process.pid}`)
  mkdirSync(draft, { recursive: true })
  try {
    for (const name of scripts) await buildScript(root, name, draft)
    for (const name of styles) await buildStyle(root, name, draft)
    for (const name of modules) await buildModule(root, name, draft)
    writeFileSync(join(draft, 'built'), hash)
    const place = join(root, 'dist', 'web')
    rmSync(place, { recursive: true, force: true })
    renameSync(draft, place)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function buildScript(root, name, outDir) {
  const { build } = await import('vite')
  await build({
    root: join(root, 'web'),
    configFile: false,
    publicDir: false,
    logLevel: 'warn',
    define: {
      RIPPER_VERSION: JSON.stringify(JSON.parse(read(join(root, 'package.json'))).version),
      THREE_DS_PART: JSON.stringify(partOf(outDir, 'three-ds.js')),
      'process.env.NODE_ENV': '"production"',
    },
    // Said here, because Vite would look for it in the nearest tsconfig.json.
    oxc: { jsx: { runtime: 'automatic', development: false } },
    plugins: [
      ourLanguages,
      carriedStyle(join(outDir, `${name}.css`)),
      ...(name === 'three-ds' ? [takenFromCheckout(root)] : []),
    ],
    build: {
      outDir,
      emptyOutDir: false,
      target: shoppers.has(name) ? ['es2022', 'ios15'] : 'es2022',
      rollupOptions: { onwarn },
      lib: {
        entry: entryOf(root, name),
        formats: ['iife'],
        name: 'ripper',
        fileName: () => `${name}.js`,
      },
    },
  })
}

/** Libraries for React mark their files "use client", which says nothing to a browser. */
function onwarn(warning, warn) {
  if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
}

function entryOf(root, name) {
  const entry = join(root, 'web', name, 'main')
  return existsSync(`${entry}.tsx`) ? `${entry}.tsx` : `${entry}.ts`
}

/** React Aria brings what it says to screen readers in thirty languages. Those that the dashboard does not speak stay out. */
const ourLanguages = {
  name: 'our-languages',
  load(id) {
    const [, language] = /\/react-(?:aria|stately)[\w-]*\/.*\/intl\/.*\/([a-z]{2})-[A-Z]{2}\.m?js$/.exec(id) ?? []
    return language && !spoken.has(language) ? 'export default {}' : null
  },
}

/** Writes the style that a script carries in itself into a file, too, by which our pages' policies allow it. */
function carriedStyle(file) {
  return {
    name: 'carried-style',
    enforce: 'post',
    transform(code, id) {
      if (id.endsWith('style.css?inline')) {
        writeFileSync(file, JSON.parse(code.slice(code.indexOf('"'), code.lastIndexOf('"') + 1)))
      }
    },
  }
}

/** The part is only ever loaded by checkout.js: what that has too, it lends as window.RipperKit. See web/checkout/part.ts. */
function takenFromCheckout(root) {
  const [, list] = /export const kit = \{([^}]*)\}/.exec(read(join(root, 'web/checkout/part.ts')))
  const lent = new Set(list.match(/\w+/g))
  return {
    name: 'taken-from-checkout',
    load(id) {
      if (!/web\/(checkout\/.*|shared\/(element|email))\.ts$/.test(id)) return null
      const exported = read(id).matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)
      const names = [...exported].map(([, each]) => each).filter((each) => lent.has(each))
      return `export const { ${names.join(', ')} } = RipperKit`
    },
  }
}

async function buildModule(root, name, outDir) {
  const { build } = await import('vite')
  const entry = join(root, 'web/shared', `${name}.ts`)
  const lib = { entry, formats: ['es'], fileName: () => `${name}.mjs` }
  const quiet = { configFile: false, publicDir: false, logLevel: 'warn' }
  await build({ root: join(root, 'web'), ...quiet, build: { outDir, emptyOutDir: false, lib } })
}

async function buildStyle(root, name, outDir) {
  const { bundle } = await import('lightningcss')
  const filename = join(root, 'web', name, 'style.css')
  const { code } = bundle({ filename, minify: true, targets: shoppers.has(name) ? oldest : {} })
  writeFileSync(join(outDir, `${name}.css`), code)
}

/** Where the service will serve a file for ever, and what a browser checks it by. Must agree with src/pages/assets.ts. */
function partOf(folder, file) {
  const content = read(join(folder, file))
  if (content === null) return null
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
  const integrity = `sha384-${createHash('sha384').update(content).digest('base64')}`
  return { path: `/assets/${hash}/${file}`, integrity }
}

/** Of everything that the result depends on. */
function sourceHash(root) {
  const hash = createHash('sha256')
  const sources = readdirSync(join(root, 'web'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.ts$|(?<!en)\.json$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  for (const file of [...sources, join(root, 'package-lock.json'), fileURLToPath(import.meta.url)]) {
    const content = read(file) ?? ''
    hash.update(`${file.slice(root.length)} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

function markOf(root) {
  return join(root, 'dist', 'web', 'built')
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildWeb(fileURLToPath(new URL('..', import.meta.url)))
}
