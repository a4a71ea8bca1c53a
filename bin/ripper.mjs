#!/usr/bin/env node
// The command `ripper`: makes sure that everything is installed and that Node 24 runs it, then hands over.

import { fileURLToPath } from 'node:url'
import { runUnder } from '../scripts/run-under.mjs'
import { setUp } from '../scripts/setup.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const node_needed = 24

// Where private networks are allowed, each name that is looked up occupies one thread, of four where nothing is said: one
// that hangs must not hold up the others. It is read when the first thread is needed.
process.env.UV_THREADPOOL_SIZE ??= '16'

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
  // Under another Node: that one's end is ours, or the service would stay without anybody to stop it.
  process.channel?.unref()
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(`${root}node_modules/.cache/compiled`)
  const { main } = await import('../src/cli/main.ts')
  process.exitCode = await main(process.argv.slice(2))
}
