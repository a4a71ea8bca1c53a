#!/usr/bin/env node
// The command `ripper`: makes sure that everything is installed and that Node 24 runs it, then hands over.

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fittingNode, isNewEnough } from '../scripts/own-node.mjs'
import { runUnder } from '../scripts/run-under.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** From a checkout; else from the package that `npm pack` makes of it, which npm has installed. */
const is_checkout = existsSync(`${root}src`)

// Where private networks are allowed, each name that is looked up occupies one thread, of four where nothing is said: one
// that hangs must not hold up the others. It is read when the first thread is needed.
process.env.UV_THREADPOOL_SIZE ??= '16'

const args = process.argv.slice(2)
/** Whoever asks what there is installs and removes nothing by it. */
const wants_help = args.includes('--help') || args.includes('-h') || /^(help|--version|-v)$/.test(args[0] ?? '')

if (await isSetUp()) {
  if (isNewEnough()) await run()
  else {
    const self = fileURLToPath(import.meta.url)
    runUnder(fittingNode(root), [self, ...args])
  }
}

async function isSetUp() {
  try {
    if (is_checkout && wants_help) refuseWithoutPackages()
    else if (is_checkout) await (await import('../scripts/setup.mjs')).setUp(root)
    else if (!isNewEnough()) fittingNode(root)
    return true
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
    return false
  }
}

function refuseWithoutPackages() {
  if (existsSync(`${root}node_modules/.package-lock.json`)) return
  throw new Error('Nothing is installed here yet, and help installs nothing. Any other command does, or `npm ci`.')
}

async function run() {
  // Under another Node: that one's end is ours, or the service would stay without anybody to stop it.
  process.channel?.unref()
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  const { enableCompileCache } = await import('node:module')
  enableCompileCache(`${root}node_modules/.cache/compiled`)
  const { main } = await import(is_checkout ? '../src/cli/main.ts' : '../lib/cli/main.js')
  const status = await main(args)
  process.exitCode = status
  // A start that failed: whatever is still open, a supervisor must see an end, to start it anew.
  const stays = args[0] === 'serve' || args[0] === 'worker'
  if (stays && status !== 0) setTimeout(() => process.exit(status), 1_000).unref()
}
