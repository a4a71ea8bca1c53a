// `npm run simulate`: lives under every fault that the seed finds, judged by all invariants. Exits 1 where one is broken.

import './few-methods.ts'
import './few-routes.ts'
import type { TestProject } from 'vitest/node'
import { connect } from '../../src/database/driver/driver.ts'
import { setup, type TestServer } from '../../tests/support/setup-database.ts'
import { count, flag, oneOf, readAsked, seed } from '../asked.ts'
import { bank_kinds } from './bank/kind.ts'
import { describeCampaign, findPlants, lives_a_world, runCampaign } from './campaign.ts'
import { type Lane, openLanes, openThread } from './lanes.ts'
import { plants } from './plants.ts'
import { invariants } from './violations.ts'

const asked = readAsked('simulate', {
  seed: seed(),
  lives: count(1000),
  jobs: count(1),
  world: count(null, 0),
  plant: oneOf(Object.keys(plants)),
  plants: flag,
  bank: oneOf(bank_kinds),
  habits: count(1),
  trace: flag,
})
const { lives } = asked
/** Worlds at the same time on one thread. More than these wait for the processor, and not for their databases. */
const at_once = 2

process.exitCode = await onLanes(asked.plants ? simulatePlants : simulate)

async function simulate(lanes: Lane[]): Promise<number> {
  say(`seed ${asked.seed}`)
  const { seed, world, plant, bank, habits } = asked
  const report = await runCampaign({
    seed,
    lives,
    world,
    plant,
    bank,
    habits,
    tell: say,
    // The lines of two worlds at once would be nobody's trace.
    lanes: asked.trace ? lanes.slice(0, 1) : lanes,
    ...(asked.trace && { watch: say }),
  })
  for (const line of describeCampaign(report)) say(line)
  const { broken } = report
  if (!broken) return 0
  say('\nthe end of the trace:')
  for (const line of broken.report.tail.slice(-60)) say(`  ${line}`)
  for (const { invariant, fault } of broken.report.violations.slice(0, 20)) {
    say(`\n${invariant} is broken (${invariants[invariant]}):\n  ${fault}`)
  }
  const planted = plant === null ? '' : ` --plant '${plant}'`
  const banked = bank === null ? '' : ` --bank ${bank}`
  const often = habits === 1 ? '' : ` --habits ${habits}`
  const again = `--seed ${seed} --lives ${broken.lives} --world ${broken.world}${planted}${banked}${often}`
  say(`\nreplay it with: npm run simulate -- ${again} --trace`)
  return 1
}

async function simulatePlants(lanes: Lane[]): Promise<number> {
  say(`seed ${asked.seed}`)
  const found = await findPlants(lanes, { seed: asked.seed, lives }, ({ name, lives: after, by }) => {
    say(after === null ? `NOT FOUND in ${lives} lives: ${name}` : `${after} lives: ${name}\n    ${by.slice(0, 160)}`)
  })
  const missed = found.filter(({ lives: after }) => after === null)
  say(`${found.length - missed.length} of ${found.length} planted faults were found, worlds of ${lives_a_world} lives`)
  return missed.length === 0 ? 0 : 1
}

/** A server of this process's own, gone afterwards. */
async function onLanes(work: (lanes: Lane[]) => Promise<number>): Promise<number> {
  let server: TestServer | null = null
  const provide = (_name: string, provided: TestServer) => {
    server = provided
  }
  const stop = await setup({ provide } as unknown as TestProject)
  const { url_of, template } = server!
  const admin = connect(url_of.replace('{name}', 'template1'), { connections_max: 1 })
  // What a thread does cannot be watched.
  const jobs = asked.trace ? 1 : asked.jobs
  const names = Array.from({ length: jobs * at_once }, (_, at) => `simulated_${process.pid}_${at}`)
  try {
    for (const name of names) await admin.unsafe(`create database ${name} template ${template}`)
    const urls = names.map((name) => url_of.replace('{name}', name))
    const open = jobs === 1 ? openLanes : openThread
    const threads = Array.from({ length: jobs }, (_, job) => open(urls.slice(job * at_once, (job + 1) * at_once)))
    const opened = await Promise.all(threads)
    const code = await work(opened.flatMap(({ lanes }) => lanes))
    await Promise.all(opened.map((each) => each.close()))
    return code
  } finally {
    for (const name of names) await admin.unsafe(`drop database if exists ${name} with (force)`)
    await admin.end()
    await stop()
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
