// All that stands on the stage of a simulated world, made from its seed.

import { standInReference } from '../../src/acquirers/reference.ts'
import { openIds } from '../../src/kernel/ids.ts'
import { openKeyring } from '../../src/kernel/keyring.ts'
import type { Clock, Http, Log } from '../../src/kernel/world.ts'
import type { ManageContext } from '../../src/merchants/manage.ts'
import type { ThreeDsSimulator } from '../../src/three-ds/simulated-issuer/simulator.ts'
import type { DeliverySettings } from '../../src/webhooks/sending/deliver.ts'
import { type Bank, openBank } from './bank/bank.ts'
import { type BankKind, kindOfBank } from './bank/kind.ts'
import { openMoods } from './bank/moods.ts'
import { traitsOf } from './bank/traits.ts'
import { openVendorBank } from './bank/vendor-bank.ts'
import { type Chance, openChance } from './chance.ts'
import { type Clocks, openClocks } from './clocks.ts'
import { connectShop } from './connecting.ts'
import type { WorldDatabase } from './database.ts'
import { type DirectoryServer, openDirectoryServer } from './directory-server.ts'
import { type Faults, habitsTimes, openFaults } from './faults.ts'
import type { Lost } from './going-back.ts'
import { type Memory, openMemory } from './memory.ts'
import type { Plant } from './plants.ts'
import { openReceivers, type Receivers } from './receivers.ts'
import { type Owner, openScheduler, type Scheduler } from './scheduler.ts'
import { openShop, type Shop } from './shop.ts'
import { by_seed } from './sql-faults.ts'
import { openStalls } from './stalls.ts'
import { openTown, type Town } from './town.ts'
import { openTrace, type Trace } from './trace.ts'
import { openVendorPosts, type VendorPosts } from './vendor-posts.ts'
import { openViolations, type Violations } from './violations.ts'

export type Stage = {
  chance: Chance
  trace: Trace
  scheduler: Scheduler
  faults: Faults
  violations: Violations
  /** Whoever is no process of the service. */
  outside: Owner
  clock: Clock
  bank: Bank
  /** The notices of vendors. */
  posts: VendorPosts
  receivers: Receivers
  simulator: ThreeDsSimulator
  without_eci: DirectoryServer['without_eci']
  memory: Memory
  town: Town
  office: ManageContext
  shops: Shop[]
  database: WorldDatabase
  log_lines: string[]
  clocks: Clocks
  /** In how many worlds there is a failover. */
  failovers: number
  /** What a failover has lost; null where there was none. */
  lost: Lost | null
}

export const start = new Date('2026-09-01T12:00:00Z')
const shops_count = 3
const processes_count = 2
const failovers = 0.1

const settings: DeliverySettings = {
  schedule: [5, 30, 120, 600, 3_600],
  timeout_ms: 15_000,
  connect_timeout_ms: 5_000,
  lease_slack_ms: 15_000,
  clock_offset_seconds: 0,
}

export async function openStage(options: {
  seed: string
  database: WorldDatabase
  plant: Plant
  /** Left out, the seed decides. */
  bank?: BankKind
  /** So many times as often vendors act by themselves. */
  habits?: number
  watch?: (line: string) => void
}): Promise<Stage> {
  const { seed, database, plant, watch } = options
  await database.empty()
  const chance = openChance(seed)
  const trace = openTrace(watch)
  const brings = plant.brings ?? {}
  const faults = openFaults(chance.fork('faults'), {
    ...habitsTimes(options.habits ?? 1),
    ...brings.faults,
  })
  const stall = openStalls({
    faults,
    chance: chance.fork('stalls'),
    mayStall: (owner) => town.mayDoWithout(owner),
    begun: (owner, duration_ms) => town.noteStall(owner, duration_ms),
  })
  const around = { start, meet: database.meet, stall }
  const scheduler = openScheduler(chance.fork('order'), trace, around)
  const violations = openViolations(scheduler.now)
  const clocks = openClocks(chance.fork('clocks'), () => scheduler.now().getTime())
  const outside: Owner = { name: 'outside', alive: true }
  const clock = scheduler.clockOf(outside)
  const kind = options.bank ?? kindOfBank(chance.fork('kind of bank'))
  const bank_world = { clock, random: { bytes: chance.fork('bank').bytes } }
  const bank =
    kind === 'simulator'
      ? openBank(bank_world, {
          traits: { ...traitsOf(chance.fork('traits of the bank')), ...brings.traits },
          moods: openMoods({ chance: chance.fork('moods of the bank'), faults }),
        })
      : openVendorBank(kind, bank_world, chance.fork('vendor'))
  const of_posts = { scheduler, clock, faults, bank, plant, chance: chance.fork('notices of vendors') }
  const posts = openVendorPosts({ ...of_posts, town: () => town })
  const memory = openMemory(violations)
  const world = { scheduler, faults, outside, violations, bank, clocks }
  const receivers = openReceivers({ ...world, chance: chance.fork('receivers') })
  const log_lines: string[] = []
  const master_key = chance.fork('master key').bytes(32)
  const directory = { ...world, chance: chance.fork('directory server') }
  const banks = openDirectoryServer(
    directory,
    throughTown(() => town),
  )
  const town: Town = openTown(
    {
      ...world,
      receivers,
      posts,
      sql: database.sql,
      master_key,
      plant,
      settings,
      log: logInto(log_lines, world),
      chance: chance.fork('town'),
      http: banks.lineOf,
    },
    processes_count,
  )
  const random = { bytes: chance.fork('office').bytes }
  const keyring = openKeyring([master_key], random)
  const ids = openIds(random, keyring)
  const office: ManageContext = { sql: database.sql, ids, clock, actor: 'operator' }
  const connecting = { ...office, keyring, bank, posts, memory }
  const connect = kind === 'simulator' ? undefined : (merchant_id: string) => connectShop(connecting, merchant_id)
  const shops = await openShops(office, chance.fork('shops'), memory, connect)
  // All was gone through until now, as where the service has been up before.
  await database.sql`insert into orphan_sweeps (acquirer, swept_until) values ('simulator', ${start})`
  return {
    ...world,
    chance,
    trace,
    clock,
    receivers,
    memory,
    town,
    office,
    shops,
    database,
    simulator: banks.simulator,
    without_eci: banks.without_eci,
    log_lines,
    lost: null,
    posts,
    // A vendor does not post again what was accepted and is lost.
    failovers: brings.failovers ?? (kind === 'simulator' ? failovers : 0),
  }
}

async function openShops(
  office: ManageContext,
  chance: Chance,
  memory: Memory,
  connect?: (merchant_id: string) => Promise<string>,
): Promise<Shop[]> {
  const shops: Shop[] = []
  for (let each = 0; each < shops_count; each++) {
    const shop = await openShop(office, chance, each, connect)
    memory.keepSecret('a secret key', shop.secret_key)
    shops.push(shop)
  }
  return shops
}

/** The way of the bank's results: to whichever process answers. */
function throughTown(town: () => Town): Http {
  return {
    async post({ url, body }) {
      const path = new URL(url).pathname
      const answer = await town().ask({ method: 'POST', path, raw: body })
      if (!answer) throw new Error('no answer')
      return { status: answer.status, content_type: 'application/json', body: answer.text }
    },
  }
}

/**
 * What the service may log as an error though nothing is wrong with it. A job that met a fault may log it after the faults have
 * stopped. A bank may approve late even then, and a charge whose answer was lost before is a failure of its connection.
 */
const expected_errors =
  /wait for a person|no answer before the deadline|the database may have lost commits|waits for a person|orphaned authorisation found|the connection broke|due to (lock|statement) timeout|contradicts what was recorded|has a charge otherwise than we do|another amount was approved|503 from the gateway|does not show its payments|a connection failed to charge|what nobody asked for here|another amount than was asked for|carried out a refund that failed here|are unknown here/
const isExpected = (line: string) => line.includes(by_seed) || expected_errors.test(line)
/** Excused where the vendor, or a person there, is to blame. */
const of_orphans = new Set([
  'orphaned authorisation not reversed',
  'the reversal of an orphaned authorisation has failed since, it is reversed again',
])

/** A charge that its vendor has not decided, or that it or a person there treated otherwise than it was asked, may stay for days. */
function mayStay({ accounts, touched }: Bank, { reference }: { reference?: string }): boolean {
  if (reference === undefined) return false
  const charges = accounts.flatMap((account) => account.charges())
  // Of two under one reference, one goes by another that follows from its id.
  const charge = charges.find(({ id, reference: own }) => own === reference || standInReference(id) === reference)
  return charge !== undefined && (charge.known_at === null || touched.has(charge.reference))
}

const broken_rules = /duplicate key value|violates (check|foreign key|not-null) constraint/

function logInto(lines: string[], { faults, violations, bank }: Pick<Stage, 'faults' | 'violations' | 'bank'>): Log {
  const at = (level: keyof Log) => (fields: object, message: string) => {
    const line = `${level} ${message} ${JSON.stringify(fields)}`
    lines.push(line)
    if (broken_rules.test(line)) violations.add('I0', line)
    const isExcused = () => of_orphans.has(message) && mayStay(bank, fields)
    if (level === 'error' && !faults.are_on() && !isExpected(line) && !isExcused()) {
      violations.add('I0', `logged when nothing was wrong: ${line}`)
    }
  }
  return { debug() {}, info: at('info'), warn: at('warn'), error: at('error') }
}
