// What `npm test` runs: format and lint, types, tests. What `npm run proofs` runs: the tests that take long by their nature.
// Stops at the first that fails; says at last how many passed.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { fittingNode } from './own-node.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = `${root}node_modules/`
const reports = mkdtempSync(`${tmpdir()}/ripper-report-`)
const report = `${reports}/tests.json`

const [project = 'tests'] = process.argv.slice(2)

const checks = [
  ['@biomejs/biome/bin/biome', 'ci', '--diagnostic-level=warn'],
  ['typescript/bin/tsc', '--noEmit', '-p', '.'],
  ['typescript/bin/tsc', '--noEmit', '-p', 'web'],
  ['typescript/bin/tsc', '--noEmit', '-p', 'web/dashboard'],
]

const run = ['vitest/vitest.mjs', 'run', '--project', project]
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
const steps = [...(project === 'tests' ? checks : []), [...run, ...reporters]]

try {
  process.exitCode = runAll()
  sayCounts()
} finally {
  rmSync(reports, { recursive: true, force: true })
}

function runAll() {
  for (const [program, ...args] of steps) {
    const { status, signal } = spawnSync(fittingNode(root), [modules + program, ...args], {
      cwd: root,
      stdio: 'inherit',
      env: { ...process.env, PATH: `${modules}.bin:${process.env.PATH}` },
    })
    if (status !== 0) {
      console.error(`${program.split('/').at(-1)} ${args[0]} ended with ${signal ?? `status ${status}`}`)
      return status || 1
    }
  }
  return 0
}

function sayCounts() {
  let counts
  try {
    counts = JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    // The tests were not reached.
    return
  }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = counts
  // A file that cannot be loaded has no tests to count, and has failed nevertheless.
  const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  const skipped = numPendingTests + numTodoTests
  const line = `${numPassedTests} passed, ${numFailedTests + broken.length} failed`
  console.log(skipped > 0 ? `${line}, ${skipped} skipped` : line)
}
