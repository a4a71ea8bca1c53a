// A storm from its calm beginning to its check: the one thing that both `npm run storm` and its test run.

import { findHome } from '../../src/database/embedded/home.ts'
import { type Opened, open } from '../../src/main.ts'
import { type Chance, openChance } from '../simulate/chance.ts'
import { type Checked, faultsOfStorm } from './check.ts'
import { type Crew, startCrew } from './crew.ts'
import type { Diary } from './diary.ts'
import { type Disturbance, disturb } from './disturb.ts'
import { openGround } from './ground.ts'
import { askAgain, rest_limit_ms, unrestOf, waitFor } from './rest.ts'
import { type Street, visit } from './shopper.ts'
import { type Market, openMarket } from './shops.ts'

export type StormAsked = {
  seed: string
  seconds: number
  shoppers: number
  /** Processes come to rest under a clock that is some minutes ahead: what is due then is done at once. */
  hurries: boolean
  tell(line: string): void
  /** Is given what was checked, before it goes. */
  lookAt?(checked: Checked): Promise<void>
}

export type StormReport = {
  disturbances: Map<Disturbance, number>
  processes: Crew['counts']
  answers: Diary['counts']
  refusals: Diary['refusals']
  keys: number
  payments: Record<string, number>
  deliveries: { accepted: number; duplicates: number; dead_lettered: number }
  rest_ms: number
  faults: string[]
  /** Where logs are kept; null where nothing was wrong. */
  folder: string | null
}

const ahead_seconds = 300

export async function runStorm(asked: StormAsked): Promise<StormReport> {
  const chance = openChance(asked.seed)
  const ground = openGround(`storm-${asked.seed}`, {
    RIPPER_WEBHOOK_TIMEOUT: '2',
    RIPPER_WEBHOOK_CONNECT_TIMEOUT: '2',
  })
  const { env, config, data_dir, log_file, diary } = ground
  const before = await open(config)
  const market = await openMarket(before, chance.fork('shops'))
  const crew = startCrew({ services: 2, workers: 1, env, log_file })
  let opened: Opened | null = null
  try {
    await waitFor(async () => crew.isComplete(), 'the processes do not start')
    // From here on nobody but the product's own processes keeps the database up.
    await before.database.close()
    const street: Street = {
      ...{ diary, addresses: crew.addresses, loses_answers: !asked.hurries },
      timeout_ms: 12_000,
      give_up_ms: performance.now() + asked.seconds * 1000 + rest_limit_ms,
    }
    const field = { crew, street, market, chance, data_dir }
    const disturbances = await rage(asked, field)

    asked.tell('the faults have stopped')
    const calm_ms = performance.now()
    if (asked.hurries) restartAhead(crew, env)
    await waitFor(async () => crew.isComplete(), 'the processes do not come back')
    await askAgain(street, chance.fork('again'))
    opened = await open(config)
    const unrest = await unrestOf(opened)
    const rest_ms = performance.now() - calm_ms
    await crew.stop()
    const checked = { opened, diary, market }
    const found = await faultsOfStorm(checked)
    const faults = [...new Set([...crew.fallen, ...unrest, ...found])]
    const told = { disturbances, rest_ms, faults, folder: ground.judge(faults) }
    const report = { ...(await reportOf({ ...checked, crew })), ...told }
    await asked.lookAt?.(checked)
    return report
  } finally {
    await crew.stop('SIGKILL')
    await market.close()
    await ground.close(opened)
  }
}

type Field = { crew: Crew; street: Street; market: Market; chance: Chance; data_dir: string }

/** Shoppers and faults at once, until the time is over and every visit has ended. */
async function rage(asked: StormAsked, field: Field): Promise<StormReport['disturbances']> {
  const { crew, street, market, chance, data_dir } = field
  const begin_ms = performance.now()
  const until_ms = begin_ms + asked.seconds * 1000
  const home = await findHome(data_dir)
  const tell = (what: string) => {
    const { acked, refused, unavailable, unknown } = street.diary.counts
    const at = ((performance.now() - begin_ms) / 1000).toFixed(1).padStart(6)
    asked.tell(
      `${at} s  ${what.padEnd(20)} ${acked} acked, ${refused} refused, ${unavailable} unavailable, ${unknown} unknown`,
    )
  }
  const shopping = Array.from({ length: asked.shoppers }, async (_, number) => {
    const own = chance.fork(`shopper ${number}`)
    for (let count = 1; performance.now() < until_ms; count += 1) {
      const name = `${number}.${count}`
      await visit({ ...street, chance: own, name, shop: own.pick(market.shops) })
    }
  })
  const disturbing = disturb({ crew, home, chance: chance.fork('faults'), until_ms, tell })
  const [disturbances] = await Promise.all([disturbing, ...shopping])
  return disturbances
}

/** From then on what is due within minutes is due at once. */
function restartAhead(crew: Crew, env: Record<string, string>): void {
  crew.dress({ ...env, RIPPER_CLOCK_OFFSET_SECONDS: String(ahead_seconds) })
  for (const member of crew.running()) crew.kill(member)
}

type Ended = Checked & { crew: Crew }

async function reportOf({ opened, diary, crew, market }: Ended) {
  const { sql } = opened.database
  const payments = await sql<{ status: string; count: number }[]>`
    select status, count(*)::int from payments group by 1 order by 1`
  const [dead] = await sql<[{ count: number }]>`
    select count(*)::int from webhook_deliveries where status = 'dead_lettered'`
  const events = market.receivers.flatMap((receiver) => [...receiver.events.values()])
  const heard = events.filter(({ accepted }) => accepted > 0)
  const duplicates = heard.reduce((sum, { accepted }) => sum + accepted - 1, 0)
  return {
    ...{ processes: crew.counts, answers: diary.counts, refusals: diary.refusals },
    keys: diary.promises.length,
    payments: Object.fromEntries(payments.map(({ status, count }) => [status, count])),
    deliveries: { accepted: heard.length, duplicates, dead_lettered: dead.count },
  }
}
