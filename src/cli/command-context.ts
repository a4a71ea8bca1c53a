// What commands share: the database of the running service, who runs them, and whose rows they are about.

import { userInfo } from 'node:os'
import { z } from 'zod'
import { looksLikeCardNumber } from '../cards/card-data.ts'
import { type Config, readConfig } from '../config/config.ts'
import { skewWords } from '../database/clock/clock-skew.ts'
import { type Clocks, compareClocks } from '../database/clock/read-clocks.ts'
import { recordedClockOffset } from '../database/clock/service-clock.ts'
import { openDatabase, type Sql } from '../database/open.ts'
import { openIds } from '../kernel/ids.ts'
import { type MerchantId, noControls } from '../kernel/values.ts'
import type { VendorHttp } from '../kernel/world.ts'
import { type ManageContext, merchantOrRefuse } from '../merchants/manage.ts'
import { findMerchant, firstMerchants } from '../merchants/store.ts'
import { openWorld, realClock, steadyClock } from '../outgoing/real-world.ts'
import type { Context, SettlementContext } from '../payments/context.ts'
import type { Cause } from '../payments/outcome.ts'
import { openAcquiring } from '../service/acquiring.ts'
import { readDemo } from '../service/demo.ts'
import { leaveToNeighbours } from '../service/neighbours.ts'
import { openExisting } from '../service/resources.ts'
import { CommandError, UsageError } from './terminal/command.ts'
import { option, wholeNumber, withDefault } from './terminal/option.ts'
import { limit_max } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

/** What commands work with. Its clock is that of the service that last started on this database. */
export type CommandContext = ManageContext &
  SettlementContext &
  Pick<Context, 'keyring' | 'listAcquirers' | 'installation'> & {
    /** For calls to vendors that a command makes itself. */
    vendor_http: VendorHttp
    data_dir: string
    clock_is_shifted: boolean
  }

/**
 * Runs work on the database of a service, also while the service runs and also on the embedded database. Refuses commands that move
 * money if this machine's clock is wrong.
 */
export async function withCommandContext<T>(
  work: (context: CommandContext) => Promise<T>,
  { moves_money = false } = {},
): Promise<T> {
  const { environment, stderr } = terminal()
  // A command prints what it has to say. The log of a service would only get in between.
  const usual = { log_level: 'error' as const, database_connections: 2 }
  const config = { ...readConfig(environment), ...usual }
  const { world, database, keyring, vendor_http } = await openExisting(config, stderr)
  const { sql } = database
  const left = new Set<string>()
  try {
    if (moves_money) await refuseWrongClock(sql)
    const offset_seconds = config.clock_offset_seconds || (await recordedClockOffset(sql))
    const clock = realClock(offset_seconds)
    const shifted = { ...world, clock }
    const result = await work({
      sql,
      keyring,
      vendor_http,
      ids: openIds(world.random, keyring),
      clock,
      world: shifted,
      actor: 'operator',
      by: operatorName(),
      ...(await openAcquiring({ sql, keyring, vendor_http, world: shifted })),
      metrics: { paymentConfirmed: () => {} },
      wakeDeliveries: (_, merchant_id) => left.add(merchant_id),
      data_dir: config.data_dir,
      clock_is_shifted: offset_seconds !== 0,
    })
    // A running service would find by itself what a command wrote, but later.
    if (left.size > 0) await leaveToNeighbours(database, [...left]).catch(() => {})
    return result
  } finally {
    await vendor_http.close()
    await database.close()
  }
}

/** The database as it is, whatever its tables: for what makes them, copies them or puts them back. `close` gives it back. */
export async function openBareDatabase(config: Config) {
  const { clock, log } = openWorld({ ...config, log_level: 'error' }, terminal().stderr)
  const { data_dir, database_url: url } = config
  return { ...(await openDatabase({ url, data_dir, connections_max: 1, clock, log })), clock, log }
}

/** The user who runs the command, by the name that this machine gives them. */
export function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a number that has no name.
    return 'operator'
  }
}

/** Why something changed: the operator did it, and by whom and what else goes into the journal. */
export function operatorCause(note: object = {}) {
  return { actor: 'operator', request_id: null, note: { by: operatorName(), ...note } } as const satisfies Cause
}

const machine: Clocks = { clock: realClock(), steady: steadyClock, offset_seconds: 0 }

/** Says what is wrong with this machine's clock and what to do. Null if it is right, or if that is uncertain. */
export async function clockFault(sql: Sql): Promise<string | null> {
  const { skew, verdict } = await compareClocks(sql, machine)
  if (verdict !== 'wrong') return null
  return `this machine's clock is ${skewWords(skew.ahead_ms)} the database's. Have both machines keep time by NTP.`
}

async function refuseWrongClock(sql: Sql): Promise<void> {
  const fault = await clockFault(sql)
  if (fault !== null) throw new CommandError(`${fault} Nothing was done.`)
}

export const merchantOption = option('ID', 'the merchant; by default the demo merchant, or the only one')
/** The same option of commands that list for all merchants. */
export const everyMerchantOption = option('ID', "only this merchant's; all merchants' where left out")

export const limitOption = withDefault(option('N', `how many, 1 to ${limit_max} (50)`, wholeNumber(limit_max)), 50)

const one_line_max = 200
const one_line_words = `must have 1 to ${one_line_max} characters, in one line`
/** What a person says of a decision. */
export const reasonRule = z
  .string()
  .trim()
  .min(1, one_line_words)
  .max(one_line_max, one_line_words)
  .regex(noControls, one_line_words)
  .refine((text) => !looksLikeCardNumber(text), 'must not hold a card number')

/** The merchant that an option names; null where it was left out. */
export async function merchantNamed(sql: Sql, merchant_text: string | undefined): Promise<MerchantId | null> {
  return merchant_text === undefined ? null : (await merchantOrRefuse(sql, merchant_text)).merchant_id
}

const merchants_named_max = 5

/** The merchant of the option, else the demo merchant, else the only one. Prints a note if there are others beside the demo merchant. */
export async function merchantOf(
  { sql, data_dir }: CommandContext,
  merchant_text: string | undefined,
  json: boolean,
): Promise<MerchantId> {
  if (merchant_text !== undefined) return (await merchantOrRefuse(sql, merchant_text)).merchant_id
  const demo = readDemo(data_dir)
  // The file may belong to another database.
  const merchant = demo && (await findMerchant(sql, demo.merchant_id as MerchantId))
  const [first, ...others] = await firstMerchants(sql, merchants_named_max + 1)
  if (merchant) {
    if (others.length > 0 && !json) terminal().stderr.write(demoNote(merchant))
    return merchant.merchant_id
  }
  if (!first) {
    throw new UsageError(
      'there is no merchant yet: start the service once, which makes the demo merchant, or run ripper merchant create',
    )
  }
  if (others.length === 0) return first.merchant_id
  const listedMerchants = [first, ...others].slice(0, merchants_named_max)
  const merchant_list = listedMerchants.map(({ merchant_id, name }) => `${merchant_id} (${name})`).join(', ')
  const more = others.length < merchants_named_max ? '' : ' and others'
  throw new UsageError(`needs --merchant, because there are several: ${merchant_list}${more}`)
}

/** A note for users with a merchant of their own, which they may have meant. */
function demoNote({ merchant_id }: { merchant_id: string }): string {
  return `This is about the demo merchant (${merchant_id}). --merchant ID names another; ripper merchant list shows them.\n\n`
}
