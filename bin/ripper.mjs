#!/usr/bin/env node
// The command `ripper`: makes sure that everything is installed and that Node 24 runs it, then hands over.

import { fileURLToPath } from 'node:url'
import { runUnder } from '../scripts/run-under.mjs'
import { setUp } from '../scripts/setup.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const node_needed = 24

if (await isSetUp()) {
  if (Number.parseInt(process.versions.node, 10) >= node_needed) await run()
  else {
    const self = fileURLToPath(import.meta.url)
    runUnder(`${root}node_modules/node/bin/node`, [self, ...process.argv.slice(2)])
  }
}

async function isSetUp() {
  try {
    await setUp(root)
    return true
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
    return false
  }
}

async function run() {
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(`${root}node_modules/.cache/compiled`)
  const { main } = await import('../src/cli/main.ts')
  process.exitCode = await main(process.argv.slice(2))
}
