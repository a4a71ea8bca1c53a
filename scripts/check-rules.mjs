// `npm run rules`: has promtool, which comes with Prometheus, check the alarms of deploy/prometheus and run their tests. Where it is
// not installed, this says so and succeeds.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../deploy/prometheus/', import.meta.url))
const checks = [
  ['check', 'rules', 'ripper.rules.yml'],
  ['test', 'rules', 'ripper.rules.test.yml'],
]

for (const args of checks) {
  const { error, status } = spawnSync('promtool', args, { cwd: folder, stdio: 'inherit' })
  if (error?.code === 'ENOENT') {
    console.log('skipped: promtool is not installed (Debian has it in the package prometheus)')
    break
  }
  if (error) throw error
  if (status !== 0) {
    process.exitCode = 1
    break
  }
}
