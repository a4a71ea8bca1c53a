// `npm run bench [-- --quick] [benchmark …]`: measures, prints, and keeps what a full run found in results.json.
// `npm run bench [-- --quick] against FOLDER` compares this tree with another, and keeps nothing.
// `npm run bench -- show [table …]` prints what was kept.

import { against } from './against.ts'
import { anonymous } from './anonymous.ts'
import { checkout } from './checkout.ts'
import { connectorCosts } from './connectors.ts'
import { costs } from './costs.ts'
import { createAndRead } from './create-and-read.ts'
import { deliver } from './deliver.ts'
import { elsewhere } from './elsewhere.ts'
import { growth } from './growth.ts'
import { latency } from './latency.ts'
import { manyMerchants } from './merchants.ts'
import { pages } from './pages.ts'
import { processes } from './processes.ts'
import { keep, print, readResult, resultNames, type Table } from './report.ts'
import { scale } from './scale.ts'
import { soak } from './soak.ts'
import { startAndMemory } from './start-and-memory.ts'
import { tail } from './tail.ts'

const benchmarks: Record<string, (how: { quick: boolean }) => Promise<Table[]>> = {
  'create-and-read': createAndRead,
  checkout,
  elsewhere,
  latency,
  tail,
  processes,
  merchants: manyMerchants,
  deliver,
  costs,
  'start-and-memory': startAndMemory,
  soak,
  growth,
  connectors: connectorCosts,
  pages,
  scale,
  anonymous,
}

const args = process.argv.slice(2)
const names = Object.keys(benchmarks).join(', ')
if (args.includes('--help')) {
  const forms = ['[-- --quick] [benchmark …]', '[-- --quick] against FOLDER', '-- show [table …]']
  console.log([...forms.map((form) => `npm run bench ${form}`), `\nBenchmarks: ${names}`].join('\n'))
  process.exit(0)
}
const quick = args.includes('--quick')
const asked = args.filter((arg) => !arg.startsWith('--'))
if (asked[0] === 'against') {
  const [, folder, ...more] = asked
  if (folder === undefined || more.length > 0) {
    console.error('against takes one folder: a checkout of this repository.')
    process.exit(2)
  }
  for (const table of await against(folder, { quick })) print(table)
  process.exit(0)
}
if (asked[0] === 'show') {
  const [, ...shown] = asked
  const kept = resultNames()
  const unknown = shown.find((name) => !kept.includes(name))
  if (unknown !== undefined) {
    console.error(`There is no table ${unknown}; there are ${kept.join(', ')}.`)
    process.exit(2)
  }
  for (const name of shown.length > 0 ? shown : kept) print(readResult(name))
  process.exit(0)
}
const unknown = asked.find((name) => !Object.hasOwn(benchmarks, name))
if (unknown !== undefined) {
  console.error(`There is no benchmark ${unknown}; there are ${names}.`)
  process.exit(2)
}
for (const [name, measure] of Object.entries(benchmarks)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  console.error(`Measuring ${name} …`)
  for (const table of await measure({ quick })) {
    print(table)
    if (!quick) keep(table)
  }
}
