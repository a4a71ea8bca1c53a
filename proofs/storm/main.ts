// `npm run storm`: kills, stops and misleads what runs while shoppers pay, then checks every fact. Exits 1 where one is broken.

import { count, flag, measure, oneOf, readAsked, seed } from '../asked.ts'
import { vendor_names } from '../vendors/vendor.ts'
import { disturbance_names } from './disturb.ts'
import { describe } from './report.ts'
import { runStorm } from './storm.ts'

const asked = readAsked('storm', {
  seed: seed(),
  minutes: measure(3),
  shoppers: count(8),
  hurry: flag,
  clocks: flag,
  failover: oneOf(['sync', 'async'] as const),
  bank: oneOf(vendor_names),
  only: oneOf(disturbance_names),
})
const say = (line: string) => void process.stdout.write(`${line}\n`)

if (asked.bank && asked.failover) throw new Error('--bank does not go with --failover')
const more = [asked.bank, asked.clocks && 'wrong clocks', asked.failover && `a failover (${asked.failover})`]
say([`seed ${asked.seed}`, `${asked.minutes} minutes`, ...more.filter(Boolean)].join(', '))
const report = await runStorm({
  seed: asked.seed,
  seconds: asked.minutes * 60,
  shoppers: asked.shoppers,
  hurries: asked.hurry,
  clocks: asked.clocks,
  failover: asked.failover,
  only: asked.only,
  bank: asked.bank,
  tell: say,
})
for (const line of describe(report)) say(line)
process.exitCode = report.faults.length === 0 ? 0 : 1
