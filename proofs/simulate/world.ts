// One simulated world: some lives side by side under every fault, then rest, then judgement.

import type { Sql } from '../../src/database/open.ts'
import type { BankKind } from './bank/kind.ts'
import { faultsOfBooks } from './books.ts'
import { turnClocks } from './clocks.ts'
import { faultsOfAccounts } from './connecting.ts'
import type { WorldDatabase } from './database.ts'
import { faultsOfDeeds } from './deeds.ts'
import { faultsOfPurchases } from './facts.ts'
import { brakedMs, decideAboutLost, failOver, faultsOfLost, leaveRefused, nameLost } from './failover.ts'
import { readPayments } from './known-payment.ts'
import { liveLife } from './life.ts'
import { lookAfter } from './merchant-life.ts'
import { compareOrders, operate, replayDeliveries, settleByHand } from './operator.ts'
import type { Plant } from './plants.ts'
import {
  faultsOfAnswers,
  faultsOfBinding,
  faultsOfDeliveries,
  faultsOfJournal,
  faultsOfSecrets,
  faultsOfVault,
} from './records.ts'
import { faultsOfRefunds } from './refunding.ts'
import { openRest, type Rest } from './rest.ts'
import { registerReceivers } from './shop.ts'
import { openStage, type Stage, start } from './stage.ts'
import { faultsOfStandings } from './standings.ts'
import type { Violation } from './violations.ts'

export type WorldReport = {
  violations: readonly Violation[]
  hash: string
  /** The end of the trace. */
  tail: string[]
  crashes: number
  requests: number
  steps: number
  /** How often statements met, how often three did, and how many had to wait. */
  met: number
  met_two: number
  waited: number
  simulated_ms: number
  faults: Map<string, number>
  cards: Map<string, number>
  outcomes: Map<string, number>
  /** What was not as it should be and is about what a failover lost. */
  excused: number
  webhooks: number
}

type Options = {
  seed: string
  lives: number
  database: WorldDatabase
  plant: Plant
  /** Left out, the seed decides. */
  bank?: BankKind
  /** So many times as often vendors act by themselves; once where it is left out. */
  habits?: number
  watch?: (line: string) => void
}

/** All lives begin within so long. */
const life_ms = 1_500
const rest_within_ms = 30 * 24 * 3_600_000
/** Books are compared once a day. */
const compared_after_ms = 25 * 3_600_000
/** What an acquirer lists late, or never says the end of, is asked for during a week. */
const steps_max_a_life = 4_000
/** Where books are compared with a vendor every day for a month. */
const compared_steps = 300_000
/** Of rest and what people do about what is left. */
const rounds_max = 24

export async function runWorld({ lives, ...options }: Options): Promise<WorldReport> {
  const stage = await openStage(options)
  const { scheduler, violations, database, faults, town, bank, receivers, memory } = stage
  const hurry = () => scheduler.spawn(decideAboutLost(stage))
  const despair = () =>
    scheduler.spawn(leaveRefused(stage).then(() => (bank.accounts.length > 0 ? settleByHand(stage) : 0)))
  const rest = openRest({ ...stage, chance: stage.chance.fork('rest'), hurry, despair })
  const cards = new Map<string, number>()
  const steps_max = lives * steps_max_a_life + (bank.accounts.length > 0 ? compared_steps : 0)
  const isStuck = () => scheduler.steps() > steps_max
  const isWrong = () => violations.all().length > 0 || isStuck()
  const goOn = (isOver: () => boolean) => scheduler.run(() => isOver() || isWrong(), rest.look)

  await goOn(
    done(
      stage,
      Promise.all([liveAll(stage, lives, cards), operate(stage, lives * life_ms), turnClocks(stage, lives * life_ms)]),
    ),
  )
  add(stage, await faultsOfVault(database.sql))
  faults.stop()
  await comeToRest(stage, rest, goOn, isWrong)
  if (!isWrong()) await goOn(done(stage, compareOrders(stage)))
  if (isStuck()) violations.add('I11', `no end after ${steps_max} steps`)
  if (!isWrong()) {
    const { sql } = database
    const now_ms = scheduler.now().getTime()
    const { without_eci } = stage
    const skew_ms = stage.clocks.differenceMs()
    await nameLost(stage)
    for (const [invariant, fault] of await faultsOfLost(stage)) violations.insist(invariant, fault)
    await nameAsked(sql, bank)
    const braked_ms = await brakedMs(sql)
    const payments = await readPayments(sql, bank)
    const comparisons_failed = stage.log_lines.filter((line) => line.includes(comparison_failed)).length
    const moment = { bank, now_ms, skew_ms, braked_ms, comparisons_failed, without_eci }
    add(stage, await faultsOfBooks(sql, payments, moment))
    add(stage, faultsOfDeeds(payments, stage))
    add(stage, await faultsOfRefunds(sql, bank, memory))
    add(stage, await faultsOfAccounts(sql, bank))
    const charges = bank.accounts.flatMap((account) => account.charges())
    add(stage, await faultsOfStandings(sql, { charges, touched: bank.touched }))
    add(stage, await faultsOfPurchases(sql, memory))
    add(stage, await faultsOfAnswers(sql, memory))
    add(stage, await faultsOfDeliveries(sql, receivers.all.values()))
    const merchant_ids = stage.shops.map(({ merchant_id }) => merchant_id)
    add(stage, await faultsOfJournal({ sql, world: stage }, merchant_ids, skew_ms))
    const told = { log: stage.log_lines, receivers: receivers.all.values() }
    add(stage, await faultsOfSecrets(sql, memory, told))
    add(stage, await faultsOfBinding(sql, merchant_ids))
  }
  town.close()
  stage.simulator.close()
  return reportOf(stage, cards)
}

/** A vendor may have charged twice before the service knew either charge: a payment may stand on any one of them. */
async function nameAsked(sql: Sql, { accounts }: Stage['bank']): Promise<void> {
  const rows = await sql<{ operation_id: string; id: string }[]>`
    select operation_id, coalesce(handle, acquirer_transaction_id) as id from acquirer_operations
    where kind = 'authorise' and coalesce(handle, acquirer_transaction_id) is not null`
  const ids = new Map(rows.map(({ operation_id, id }) => [operation_id, id]))
  for (const account of accounts) account.standOn(ids)
}

const comparison_failed = 'comparison with the acquirer failed'

/** Whether work that was begun has ended. */
function done({ scheduler }: Stage, work: Promise<unknown>): () => boolean {
  let is_done = false
  scheduler.spawn(
    work.then(() => {
      is_done = true
    }),
  )
  return () => is_done
}

async function liveAll(stage: Stage, lives: number, cards: Map<string, number>): Promise<void> {
  const { chance, clock, shops, violations } = stage
  const registering = { ...stage, chance: chance.fork('endpoints') }
  for (const shop of shops) await registerReceivers(registering, shop)
  const liveOne = async (number: number) => {
    const own = chance.fork(`life ${number}`)
    const shop = own.pick(shops)
    const living = { ...stage, chance: own, shop, cards }
    await clock.sleep(own.below(lives * life_ms))
    const left = await liveLife(living)
    const others = shops.filter((each) => each !== shop)
    if (left) await lookAfter(living, left, { shop: own.pick(others), violations })
  }
  await Promise.all([
    ...Array.from({ length: lives }, (_, number) => liveOne(number)),
    failOver(stage, lives * life_ms),
  ])
}

/** Nothing goes wrong any more: all must come to rest, with what people do about what is left. */
async function comeToRest(
  stage: Stage,
  rest: Rest,
  goOn: (isOver: () => boolean) => Promise<void>,
  isWrong: () => boolean,
): Promise<void> {
  const { scheduler, clock, town, violations, database } = stage
  const late_ms = scheduler.now().getTime() + rest_within_ms
  const isLate = () => scheduler.now().getTime() > late_ms
  const untilRest = async () => {
    rest.begin()
    await goOn(() => rest.isOver() || isLate())
    if (!isLate()) return
    violations.add('I11', `no rest after 30 days: ${JSON.stringify(await database.due())}`)
  }
  for (let round = 0; round < rounds_max && !isWrong(); round++) {
    await untilRest()
    if (isWrong()) return
    let by_hand = 0
    const people = settleByHand(stage).then(async (count) => {
      by_hand = count
      await decideAboutLost(stage)
      return round === 0 ? replayDeliveries(stage) : undefined
    })
    await goOn(done(stage, people))
    if (round >= 3 && by_hand === 0 && (await isSwept(stage))) return untilRest()
    // Longer than what is young is left alone for, and once until books are compared again.
    await goOn(done(stage, clock.sleep(round === 1 ? compared_after_ms : 700_000)))
    for (const job of ['sweep_orphans', 'compare_books', 'seal_journal'] as const) {
      town.anyProcess()?.run(job)
    }
  }
}

/** A sweep goes through two days at most, judges what it found when it has come to the present, and time may have jumped over more. */
async function isSwept({ scheduler, database }: Stage): Promise<boolean> {
  const swept_until = await database.sweptUntil()
  return swept_until !== null && scheduler.now().getTime() - swept_until.getTime() < 3_600_000
}

function add({ violations }: Stage, found: Awaited<ReturnType<typeof faultsOfBooks>>): void {
  for (const [invariant, fault] of found) violations.add(invariant, fault)
}

function reportOf(stage: Stage, cards: Map<string, number>): WorldReport {
  const { violations, trace, town, scheduler, faults, memory, receivers } = stage
  return {
    violations: violations.all(),
    hash: trace.hash(),
    tail: trace.tail(),
    crashes: town.crashes(),
    requests: town.requests(),
    steps: scheduler.steps(),
    ...scheduler.meetings(),
    simulated_ms: scheduler.now().getTime() - start.getTime(),
    faults: faults.counts,
    cards,
    outcomes: memory.outcomes,
    excused: violations.excused(),
    webhooks: [...receivers.all.values()].reduce((sum, { events }) => sum + events.size, 0),
  }
}
