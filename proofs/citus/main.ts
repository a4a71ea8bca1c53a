// `npm run citus`: the service on a Citus cluster, whose coordinator RIPPER_CITUS_URL names. Exits 1 where something does not hold.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { newDataFolder, removeData } from '../../tests/support/setup-database.ts'
import { measure, oneOf, readAsked, seed } from '../asked.ts'
import { describe } from '../storm/report.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { compareRates } from './figures.ts'
import { moveCell, waitForLock } from './moves.ts'
import { type Answers, withoutNode } from './outage.ts'
import { makeMerchants, startOn } from './stand.ts'
import { stormOn } from './storm.ts'
import { touchedBySteps } from './touched.ts'

const parts = ['routes', 'outage', 'moves', 'figures', 'storm', 'conformance'] as const
const asked = readAsked('citus', { seed: seed(), minutes: measure(1), only: oneOf(parts) })
const isAsked = (part: (typeof parts)[number]) => asked.only === null || asked.only === part
const say = (line: string) => void process.stdout.write(`${line}\n`)
const coordinator_url = process.env.RIPPER_CITUS_URL
if (!coordinator_url) {
  say('Skipped: RIPPER_CITUS_URL names no coordinator of a Citus cluster.')
  process.exit(0)
}

const least_ratio = 0.3
const most_of_coordinator = 1 / 3
/** The bound of a wait for a lock on a node, with some time for the way. */
const lock_seconds_max = 3

const root = fileURLToPath(new URL('../..', import.meta.url))
const faults: string[] = []
const holds = (is_so: boolean, fault: string) => {
  if (!is_so) faults.push(fault)
}
const data_dir = newDataFolder()
const key = randomBytes(32)
let databases = 0
try {
  await onCluster(async (cluster) => {
    if (isAsked('routes')) await lookWhatIsTouched(cluster)
    if (isAsked('outage')) await loseNodes(cluster)
    if (isAsked('figures')) await compare(cluster)
  })
  if (isAsked('moves')) await onCluster(move)
  if (isAsked('storm')) await onCluster(rage)
  if (isAsked('conformance')) conform()
} finally {
  removeData(data_dir)
}
for (const fault of faults) say(`broken: ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1

/** A database of its own. */
async function onCluster(work: (cluster: Cluster) => Promise<void>): Promise<void> {
  databases += 1
  const cluster = await openCluster(coordinator_url!, `ripper_proof_${process.pid}_${databases}`)
  try {
    await work(cluster)
  } finally {
    await cluster.close()
  }
}

async function rage(cluster: Cluster): Promise<void> {
  const report = await stormOn(cluster, { seed: asked.seed, minutes: asked.minutes, tell: say })
  for (const line of describe(report)) say(line)
  faults.push(...report.faults, ...report.lost)
}

/** Every route touches the node of its merchant, and no other server. */
async function lookWhatIsTouched({ url }: Cluster): Promise<void> {
  const { own, touched } = await touchedBySteps(url)
  say(`statements of each request, of a merchant on ${own}`)
  for (const { step, statements } of touched) {
    const words = Object.entries(statements).map(([server, count]) => `${count} on ${server}`)
    say(`  ${step.padEnd(24)} ${words.join(', ') || 'none'}`)
    const strange = Object.keys(statements).filter((server) => server !== own)
    holds(strange.length === 0, `${step} touches ${strange.join(', ')}`)
  }
}

async function loseNodes({ url, nodes }: Cluster): Promise<void> {
  const service = await startOn(url, data_dir, key)
  try {
    const merchants = await makeMerchants(url, key, 2)
    for (const node of nodes) {
      const found = await withoutNode(node, { service, merchants })
      say(`${found.killed} away: its merchants were answered ${wordsOf(found.own)}, the others`)
      say(`  ${wordsOf(found.others)}; /readyz: ${found.ready}; served again ${Math.round(found.back_ms)} ms after it`)
      say(`  answered; ${found.acknowledged} sessions acknowledged in all, ${found.lost.length} lost`)
      const refused = Object.keys(found.others).filter((status) => status !== '201')
      holds(refused.length === 0, `merchants of other nodes were answered ${refused.join(', ')}`)
      const strange = Object.keys(found.own).filter((status) => status !== '503' && status !== '201')
      holds(strange.length === 0, `merchants of ${found.killed} were answered ${strange.join(', ')}`)
      holds(found.ready.includes(found.killed), `/readyz does not name ${found.killed}`)
      holds(found.lost.length === 0, `acknowledged sessions are gone: ${found.lost.join(', ')}`)
    }
    verifyJournal(url)
  } finally {
    await service.stop()
  }
}

async function move({ url }: Cluster): Promise<void> {
  const service = await startOn(url, data_dir, key)
  const merchants = await makeMerchants(url, key, 2)
  const wait = await waitForLock(url, merchants[0]!)
  say(`a lock on a node was given up after ${wait.seconds.toFixed(1)} s (${wait.code})`)
  const is_bounded = wait.code === '55P03' && wait.seconds < lock_seconds_max
  holds(is_bounded, `a statement waited ${wait.seconds.toFixed(1)} s for a lock on a node`)
  const found = await moveCell(url, { service, merchants }, () => startOn(url, data_dir, key))
  say(`a cell moved: its merchant was answered ${wordsOf(found.meanwhile)} until it was refused`)
  say(`  after ${Math.round(found.refused_after_ms)} ms, then ${wordsOf(found.own)}, the others`)
  say(`  ${wordsOf(found.others)}; /readyz: ${found.ready}; ${found.lost.length} lost of those before`)
  holds(Object.keys(found.own).join() === '503', `its merchant was answered ${wordsOf(found.own)}`)
  holds(Object.keys(found.others).join() === '201', `others were answered ${wordsOf(found.others)}`)
  holds(found.ready.includes('start it again'), `/readyz says ${found.ready}`)
  holds(found.views_left === 0, 'the views are still on the node where the cell was')
  holds(found.lost.length === 0, `acknowledged sessions are gone: ${found.lost.join(', ')}`)
}

/** The command finds every chain whole. */
function verifyJournal(url: string): void {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`${root}bin/ripper.mjs`, 'audit', 'verify', '--json'],
    {
      encoding: 'utf8',
      env: {
        ...process.env,
        RIPPER_DATABASE_URL: url,
        RIPPER_DATA_DIR: data_dir,
        RIPPER_MASTER_KEY: key.toString('base64'),
      },
    },
  )
  holds(status === 0, `audit verify ended with ${status}: ${stdout.slice(0, 500)} ${stderr}`)
  if (status === 0) say(`audit verify: ${JSON.parse(stdout).chains.length} chains are whole`)
}

function wordsOf(answers: Answers): string {
  const words = Object.entries(answers).map(([status, count]) => `${count} × ${status}`)
  return words.join(', ') || 'nothing'
}

/** Three servers and the service share the machine here, so the ratio says less than the shares. */
async function compare({ url, plain_url, coordinator, nodes }: Cluster): Promise<void> {
  const plain_key = randomBytes(32)
  const plain_dir = newDataFolder()
  const spread = await startOn(url, data_dir, key)
  const one = await startOn(plain_url, plain_dir, plain_key)
  try {
    const of = ({ name, pid }: typeof coordinator) => ({ name, pid: pid() })
    const [there, here] = await compareRates(
      [
        {
          name: 'cluster',
          service: spread,
          merchants: await makeMerchants(url, key, 20),
          servers: [{ name: 'coordinator', pid: coordinator.pid() }, ...nodes.map(of)],
        },
        {
          name: 'one server',
          service: one,
          merchants: await makeMerchants(plain_url, plain_key, 40),
          servers: [{ name: 'server', pid: coordinator.pid() }],
        },
      ],
      { turns: 5, seconds: 4 },
    )
    for (const { name, per_second, spent_ms } of [there!, here!]) {
      const words = Object.entries(spent_ms).map(([of, ms]) => `${of} ${ms.toFixed(2)}`)
      say(`${name}: ${Math.round(per_second)} checkouts a second; ms of CPU each: ${words.join(', ')}`)
    }
    const ratio = there!.per_second / here!.per_second
    holds(ratio >= least_ratio, `the cluster does ${ratio.toFixed(2)} of one server's checkouts`)
    const all = Object.values(there!.spent_ms).reduce((sum, ms) => sum + ms, 0)
    const share = there!.spent_ms.coordinator! / all
    holds(share <= most_of_coordinator, `the coordinator has ${share.toFixed(2)} of the work`)
  } finally {
    await spread.stop()
    await one.stop()
    removeData(plain_dir)
  }
}

/** The suite of the specification, each file on a spread database of its own. */
function conform(): void {
  const { status } = spawnSync(
    process.execPath,
    [`${root}node_modules/vitest/vitest.mjs`, 'run', 'tests/conformance'],
    { cwd: root, stdio: 'inherit' },
  )
  holds(status === 0, 'the suite of the specification does not pass')
}
