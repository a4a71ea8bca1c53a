// A storm from its calm beginning to its check: the one thing that both `npm run storm` and its test run.

import { open, type ServiceResources } from '../../src/service/resources.ts'
import { realClock } from '../../tests/support/world.ts'
import { type Chance, openChance } from '../simulate/chance.ts'
import type { VendorName } from '../vendors/vendor.ts'
import type { Street } from './asking.ts'
import type { Checked } from './check.ts'
import { idsIn, lostAnswers, unknownAuthorisations } from './check-lossy.ts'
import { watchReady, wrongClocks } from './clocks.ts'
import { type Crew, startCrew } from './crew.ts'
import { type Disturbance, disturb } from './disturb.ts'
import { failOver } from './fail-over.ts'
import { openGround } from './ground.ts'
import type { openPair } from './pair.ts'
import { countsOf, type StormReport } from './report.ts'
import { askAgain, rest_limit_ms, unrestOf, waitFor } from './rest.ts'
import { visit } from './shopper.ts'
import { type Market, openMarket } from './shops.ts'
import { type Failover, findServer, openSite, type Server, type Site } from './site.ts'
import { openVendorBank, type VendorBank } from './vendor-bank.ts'
import { judgeLossy, judgeWhole } from './verdict.ts'

export type StormOptions = {
  seed: string
  seconds: number
  shoppers: number
  /** Processes come to rest under a clock that is some minutes ahead: what is due then is done at once. */
  hurries: boolean
  /** One more service and one more worker run, whose clocks are wrong. */
  clocks?: boolean
  /** In the middle the database dies for good, and its standby takes over. */
  failover?: Failover | null
  /** Starts the servers of a failover. */
  openServers?: typeof openPair
  /** Whose fake is the bank; null for the simulator. Not with a failover. */
  bank?: VendorName | null
  /** Nothing else befalls the processes; `nothing` leaves them alone. */
  only?: Disturbance | 'nothing' | null
  /** Gives the checks all rows in one place, where they are not. */
  layTogether?(opened: ServiceResources): Promise<ServiceResources>
  tell(line: string): void
  /** Is given what was checked, before it goes. */
  lookAt?(checked: Checked): Promise<void>
}

const ahead_seconds = 300
/** A vendor's safe window is as long as all that, and more is to be looked for after it. */
const ahead_of_vendor_seconds = 1_200

export async function runStorm(asked: StormOptions): Promise<StormReport> {
  const { failover = null, hurries, bank = null } = asked
  const chance = openChance(asked.seed)
  const site = await openSite(failover, asked.openServers)
  const ground = openGround(`storm-${asked.seed}`, {
    RIPPER_WEBHOOK_TIMEOUT: '2',
    RIPPER_WEBHOOK_CONNECT_TIMEOUT: '2',
    ...(bank && { RIPPER_CONNECTION_ALLOWED_NETWORKS: '127.0.0.0/8' }),
    ...site.settings,
  })
  const vendor = bank && (await openVendorBank(bank, asked.seed))
  const { config, data_dir, log_file, diary } = ground
  const before = await open(config)
  const connect = vendor ? (merchant_id: string) => vendor.connect(before, merchant_id) : undefined
  const market = await openMarket(before, chance.fork('shops'), { connect })
  const server = await findServer(site, data_dir)
  // A bank of its own has a clock that goes right.
  const env = asked.clocks ? { STORM_BANK_URL: server.bank_url, ...ground.env } : ground.env
  const wrong = asked.clocks ? wrongClocks(chance.fork('clocks')) : {}
  const crew = startCrew({ services: hurries ? 2 : 3, workers: 1, wrong, env, log_file })
  const watch = watchReady(crew)
  let opened: ServiceResources | null = null
  try {
    await waitFor(async () => crew.isComplete(), 'the processes do not start')
    // From here on nobody but the product's own processes keeps the database up.
    await before.database.close()
    vendor?.begin(crew.addresses)
    const street: Street = {
      diary,
      addresses: crew.addresses,
      loses_answers: !hurries,
      // What a failover loses of them would be given twice.
      refunds: failover === null,
      timeout_ms: 12_000,
      ...(hurries && { patience_ms: 2_000 }),
      give_up_ms: performance.now() + asked.seconds * 1000 + rest_limit_ms,
    }
    const raged = await rage(asked, { crew, street, market, chance, server, site })

    asked.tell('the faults have stopped')
    const calm_ms = performance.now()
    // What the acquirer holds and nobody here knows has to be found, and is not looked for sooner than after minutes.
    const is_lossy = failover === 'async'
    const looked_ahead = vendor ? ahead_of_vendor_seconds : hurries || is_lossy ? ahead_seconds : 0
    if (vendor) await untilHeard(vendor)
    if (looked_ahead > 0) {
      vendor?.goAhead(looked_ahead)
      restartAhead(crew, env, looked_ahead)
    }
    await waitFor(async () => crew.isComplete(), 'the processes do not come back')
    opened = await open(config)
    const lost = is_lossy ? await lostAnswers(opened.database.sql, diary) : []
    const gone = new Set(lost.flatMap(idsIn))
    await askAgain(street, chance.fork('again'), (key) => idsIn(key).some((id) => gone.has(id)))
    const unrest = await unrestOf(opened)
    // It joins the books of both sides, which have to lie together for that.
    if (!asked.layTogether) await untilSwept(site, opened)
    const rest_ms = performance.now() - calm_ms
    await crew.stop()
    const judged = (await asked.layTogether?.(opened)) ?? opened
    const { sql } = judged.database
    await (vendor ?? site.bank)?.layBeside(sql)
    const strange = vendor ? await vendor.faults(sql) : []
    const checked = { opened: judged, diary, market, ahead_ms: looked_ahead * 1000 }
    const verdict =
      is_lossy && raged.failed_over ? await judgeLossy(checked, raged.failed_over, lost) : await judgeWhole(checked)
    const faults = [...new Set([...crew.fallen, ...unrest, ...strange, ...verdict.faults])]
    const counts = await countsOf({ ...checked, crew })
    const books = vendor ? await vendor.describe() : null
    await asked.lookAt?.(checked)
    return {
      ...counts,
      ...raged,
      ...verdict,
      books,
      rest_ms,
      faults,
      folder: ground.judge(faults),
    }
  } finally {
    await watch.end()
    await crew.stop('SIGKILL')
    await market.close()
    await ground.close(opened)
    await vendor?.close()
    await site.close()
  }
}

type Field = {
  crew: Crew
  street: Street
  market: Market
  chance: Chance
  server: Server
  site: Site
}

/** Longer than the acquirer's safe window and everything that waits for its end. */
const long = { least: 25_000, more: 35_000 }
const brief = { least: 1_000, more: 2_000 }

type StormCourse = Pick<StormReport, 'disturbances' | 'stopped' | 'failed_over'>

/** Shoppers and faults at once, until the time is over and every visit has ended. */
async function rage(asked: StormOptions, field: Field): Promise<StormCourse> {
  const { crew, street, market, chance, server, site } = field
  const begin_ms = performance.now()
  const until_ms = begin_ms + asked.seconds * 1000
  const tell = (what: string) => {
    const { acked, refused, unavailable, unknown } = street.diary.counts
    const at = ((performance.now() - begin_ms) / 1000).toFixed(1).padStart(6)
    asked.tell(
      `${at} s  ${what.padEnd(38)} ${acked} acked, ${refused} refused, ${unavailable} unavailable, ${unknown} unknown`,
    )
  }
  const shopping = Array.from({ length: asked.shoppers }, async (_, number) => {
    const own = chance.fork(`shopper ${number}`)
    for (let count = 1; performance.now() < until_ms; count += 1) {
      const name = `${number}.${count}`
      await visit({ ...street, chance: own, name, shop: own.pick(market.shops) })
    }
  })
  const stopped: string[] = []
  const { only = null } = asked
  const disturbing =
    only === 'nothing'
      ? new Map<Disturbance, number>()
      : disturb({
          crew,
          home: server.home,
          victim: server.victim,
          chance: chance.fork('faults'),
          until_ms,
          tell,
          stopped,
          stopped_ms: asked.hurries ? brief : long,
          only,
        })
  const answered = () => street.diary.counts.acked
  const own = { chance: chance.fork('failover'), begin_ms, until_ms, answered, tell }
  const failing = site.pair && failOver({ pair: site.pair, ...own })
  const [disturbances, failed_over] = await Promise.all([disturbing, failing, ...shopping])
  return { disturbances, stopped, failed_over }
}

/** From then on what is due within minutes is due at once. */
function restartAhead(crew: Crew, env: Record<string, string>, seconds: number): void {
  crew.dress({ ...env, RIPPER_CLOCK_OFFSET_SECONDS: String(seconds) })
  for (const member of crew.running()) crew.kill(member)
}

/** Nothing of the storm's own time is left unsaid by the vendor. */
async function untilHeard(vendor: VendorBank): Promise<void> {
  vendor.hurry()
  const isHeard = async () => (await vendor.waiting()).length === 0
  await waitFor(isHeard, 'nobody takes the notices of the vendor')
}

const sweep_limit_ms = 60_000

/** Until every authorisation that nobody here knows was found, and it is decided what becomes of it. */
async function untilSwept({ bank }: Site, { database: { sql } }: ServiceResources): Promise<void> {
  if (bank === null) return
  const give_up_ms = performance.now() + sweep_limit_ms
  do {
    await bank.layBeside(sql)
    const unknown = await unknownAuthorisations(sql)
    if (unknown.every(({ is_held_back, is_taken_back }) => is_held_back || is_taken_back)) return
    await realClock.sleep(1_000)
  } while (performance.now() < give_up_ms)
}
