// `npm run storm`: kills and freezes what runs while shoppers pay, then checks every fact. Exits 1 where one is broken.

import { count, flag, readAsked, seed } from '../asked.ts'
import { runStorm, type StormReport } from './storm.ts'

const asked = readAsked('storm', {
  seed: seed(),
  minutes: count(3),
  shoppers: count(8),
  hurry: flag,
})
const say = (line: string) => void process.stdout.write(`${line}\n`)

say(`seed ${asked.seed}, ${asked.minutes} minutes`)
const report = await runStorm({
  ...{ seed: asked.seed, hurries: asked.hurry, tell: say },
  ...{ seconds: asked.minutes * 60, shoppers: asked.shoppers },
})
for (const line of describe(report)) say(line)
process.exitCode = report.faults.length === 0 ? 0 : 1

function describe(ended: StormReport): string[] {
  const { answers, deliveries, faults, processes } = ended
  const { acked, refused, unavailable, unknown } = answers
  const requests = acked + refused + unavailable + unknown
  const rows: [string, string][] = [
    ['faults', listOf(ended.disturbances)],
    [
      'processes',
      `${processes.started} started, ${processes.gave_up} of them gave up before they ran`,
    ],
    ['requests', `${requests}, under ${ended.keys} keys`],
    [
      'answers',
      `${acked} acked, ${refused} refused, ${unavailable} unavailable (503), ${unknown} unknown`,
    ],
    ['refusals', listOf(ended.refusals)],
    ['payments', listOf(Object.entries(ended.payments))],
    [
      'deliveries',
      `${deliveries.accepted} accepted, ${deliveries.duplicates} more than once, ${deliveries.dead_lettered} dead-lettered`,
    ],
    ['time to rest', `${(ended.rest_ms / 1000).toFixed(1)} s`],
    ['broken facts', String(faults.length)],
  ]
  return [
    '',
    ...rows.map(([name, text]) => `${name.padEnd(14)}${text}`),
    ...faults.slice(0, 30).map((fault) => `  ${fault.slice(0, 600)}`),
    ...(ended.folder ? [`\nseed ${asked.seed}; all is kept in ${ended.folder}`] : []),
  ]
}

function listOf(counts: Iterable<[string, number]>): string {
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')
}
