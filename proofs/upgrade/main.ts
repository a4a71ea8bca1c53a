// `npm run upgrade`: an older release and this one side by side under load, there and back. Exits 1 where a fact is broken.

import { count, readAsked, seed, text } from '../asked.ts'
import { commitOf, copyRelease, defaultRef, thisRelease } from './release.ts'
import { runUpgrade, type UpgradeReport } from './upgrade.ts'

const asked = readAsked('upgrade', {
  from: text('REF'),
  seed: seed(),
  seconds: count(70),
  shoppers: count(6),
  drain: count(2, 0),
})
const say = (line: string) => void process.stdout.write(`${line}\n`)

try {
  if (commitOf('HEAD') === null) throw new Error('There is no history here to take a release from.')
  await upgradeFrom(asked.from ?? defaultRef())
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}

async function upgradeFrom(ref: string): Promise<void> {
  const old = copyRelease(ref)
  try {
    say(`from ${old.commit}`)
    say(`seed ${asked.seed}; it knows migrations up to ${old.migration}, this one up to ${thisRelease().migration}`)
    const report = await runUpgrade({
      old,
      seed: asked.seed,
      shops: 3,
      returns: true,
      tell: say,
      seconds: asked.seconds,
      shoppers: asked.shoppers,
      drain_seconds: asked.drain,
    })
    for (const line of describe(report)) say(line)
    process.exitCode = report.faults.length === 0 ? 0 : 1
  } finally {
    old.remove()
  }
}

function describe({ way_back, refusals, errors, keys, faults, folder }: UpgradeReport): string[] {
  return [
    '',
    `keys          ${keys}`,
    `way back      ${typeof way_back === 'string' ? way_back : way_back.refused}`,
    `refusals      ${listOf(refusals)}`,
    `logged        ${listOf(errors)}`,
    `broken facts  ${faults.length}`,
    ...faults.slice(0, 30).map((fault) => `  ${fault.slice(0, 600)}`),
    ...(folder ? [`\nseed ${asked.seed}; all is kept in ${folder}`] : []),
  ]
}

function listOf(counts: Map<string, number>): string {
  const sorted = [...counts].sort(([, one], [, other]) => other - one)
  return sorted.map(([name, count]) => `${count} ${name}`).join(', ') || 'none'
}
