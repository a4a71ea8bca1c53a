// What commands share: the database of the running service, and values read from options.

import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { Context, SettlementContext } from '../checkout/context.ts'
import type { PaymentKey } from '../checkout/payment.ts'
import { findPaymentKey } from '../checkout/reading/operator-store.ts'
import { isNetwork, readConfig } from '../config/config.ts'
import { skewWords } from '../database/clock/clock-skew.ts'
import { type Clocks, compareClocks } from '../database/clock/read-clocks.ts'
import { recordedClockOffset } from '../database/clock/service-clock.ts'
import type { Sql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import { openIds } from '../kernel/ids.ts'
import { type MerchantId, unshown } from '../kernel/values.ts'
import type { VendorHttp } from '../kernel/world.ts'
import { type ManageContext, merchantOrRefuse } from '../merchants/manage.ts'
import { findMerchant, firstMerchants } from '../merchants/store.ts'
import { realClock, steadyClock } from '../outgoing/real-world.ts'
import { openAcquiring } from '../service/acquiring.ts'
import { readDemo } from '../service/demo.ts'
import { leaveToNeighbours } from '../service/neighbours.ts'
import { openExisting } from '../service/resources.ts'
import { CommandError, type OptionSpec, type Options, UsageError } from './terminal/command.ts'
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

/** The user who runs the command, by the name that this machine gives them. */
export function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a number that has no name.
    return 'operator'
  }
}

export const merchantOption: OptionSpec = {
  value: 'ID',
  meaning: 'the merchant; by default the demo merchant, or the only one',
}

/** The same option of commands that list for all merchants. */
export const everyMerchantOption: OptionSpec = {
  value: 'ID',
  meaning: "only this merchant's; all merchants' where left out",
}

const merchants_named_max = 5

/** The merchant of the option, else the demo merchant, else the only one. Prints a note if there are others beside the demo merchant. */
export async function merchantOf({ sql, data_dir }: CommandContext, options: Options): Promise<MerchantId> {
  const named = text(options, 'merchant')
  if (named !== null) return (await merchantOrRefuse(sql, named)).merchant_id
  const demo = readDemo(data_dir)
  // The file may belong to another database.
  const found = demo && (await findMerchant(sql, demo.merchant_id as MerchantId))
  const [first, ...others] = await firstMerchants(sql, merchants_named_max + 1)
  if (found) {
    if (others.length > 0 && options.json !== true) terminal().stderr.write(demoNote(found))
    return found.merchant_id
  }
  if (!first) {
    throw new UsageError(
      'there is no merchant yet: start the service once, which makes the demo merchant, or run ripper merchant create',
    )
  }
  if (others.length === 0) return first.merchant_id
  const shown = [first, ...others].slice(0, merchants_named_max)
  const listed = shown.map(({ merchant_id, name }) => `${merchant_id} (${name})`).join(', ')
  const more = others.length < merchants_named_max ? '' : ' and others'
  throw new UsageError(`needs --merchant, because there are several: ${listed}${more}`)
}

/** A note for users with a merchant of their own, which they may have meant. */
function demoNote({ merchant_id }: { merchant_id: string }): string {
  return `This is about the demo merchant (${merchant_id}). --merchant ID names another; ripper merchant list shows them.\n\n`
}

export function text(options: Options, name: string): string | null {
  const value = options[name]
  return typeof value === 'string' ? value : null
}

/** `--name` of an account or an integration. */
export function nameOf(options: Options): string | null {
  const name = text(options, 'name')
  if (name !== null && (name.trim() === '' || name.length > 100 || unshown.test(name))) {
    throw new UsageError('--name must have 1 to 100 characters, no control characters and none that turns text round')
  }
  return name
}

/** A change without the members that the user did not give. */
export function definedOnly<T extends object>(change: T): DefinedOnly<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as DefinedOnly<T>
}

type DefinedOnly<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

export function list(options: Options, name: string): string[] {
  const value = options[name]
  return Array.isArray(value) ? value : []
}

export function choice<T extends string>(options: Options, name: string, words: readonly T[]): T | null {
  const value = text(options, name)
  if (value === null) return null
  const found = words.find((word) => word === value)
  if (!found) throw new UsageError(`--${name} must be one of ${words.join(', ')}`)
  return found
}

/** The words of an option that may be repeated or have several words between commas. Each word comes once. */
export function choices<T extends string>(options: Options, name: string, words: readonly T[]): T[] {
  const named = list(options, name).flatMap((each) => each.split(','))
  if (!named.every((each) => words.some((word) => word === each))) {
    throw new UsageError(`--${name} must be one of ${words.join(', ')}`)
  }
  return [...new Set(named)] as T[]
}

export function wholeNumber(options: Options, name: string, most = Number.MAX_SAFE_INTEGER): number | null {
  const value = text(options, name)
  if (value === null) return null
  const number = Number(value)
  if (!/^\d+$/.test(value) || number > most || number === 0) {
    const bound = most === Number.MAX_SAFE_INTEGER ? 'above 0' : `from 1 to ${most}`
    throw new UsageError(`--${name} must be a whole number ${bound}`)
  }
  return number
}

export function time(options: Options, name: string): Date | null {
  const value = text(options, name)
  if (value === null) return null
  const at = new Date(value)
  if (!/^\d{4}-\d{2}-\d{2}/.test(value) || Number.isNaN(at.getTime())) {
    throw new UsageError(`--${name} must be an ISO 8601 time such as 2027-01-31T12:00:00Z`)
  }
  return at
}

export function networks(options: Options, name: string): string[] {
  const values = list(options, name)
  const wrong = values.find((value) => !isNetwork(value))
  if (wrong) throw new UsageError(`--${name} must be an IP address or a CIDR network, such as 10.0.0.0/8`)
  return values
}

/** The JSON in a file that an option names. */
export function jsonFile(options: Options, name: string): unknown {
  const path = text(options, name)
  if (path === null) return null
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new UsageError(`--${name} must name a readable JSON file: ${(error as Error).message}`)
  }
}

const machine: Clocks = { clock: realClock(), steady: steadyClock, offset_seconds: 0 }

/** Throws a CommandError if the clock is certainly wrong. */
async function refuseWrongClock(sql: Sql, clocks = machine): Promise<void> {
  const fault = await clockFault(sql, clocks)
  if (fault !== null) throw new CommandError(`${fault} Nothing was done.`)
}

/** Says what is wrong with the clock and what to do. Null if it is right, or if that is uncertain. */
export async function clockFault(sql: Sql, clocks = machine): Promise<string | null> {
  const { skew, verdict } = await compareClocks(sql, clocks)
  if (verdict !== 'wrong') return null
  return `this machine's clock is ${skewWords(skew.ahead_ms)} the database's. Have both machines keep time by NTP.`
}

/** Finds the payment of a command by its id alone, whichever merchant it belongs to. */
export const paymentOptions = {
  merchant: {
    ...merchantOption,
    meaning: 'its merchant; by default the service finds it by the payment',
  },
}

/** Throws if the text is not a payment id. */
export function requirePaymentId([id]: string[]): string {
  if (id && /^pay_[0-9a-f]{24}$/.test(id)) return id
  throw new UsageError('PAYMENT_ID must be pay_ and 24 hexadecimal characters')
}

/** The payment with this id, of any merchant unless one is given. Throws `resource_not_found`. */
export async function paymentKeyOf({ sql }: CommandContext, options: Options, payment_id: string): Promise<PaymentKey> {
  const named = text(options, 'merchant')
  const merchant_id = named && (await merchantOrRefuse(sql, named)).merchant_id
  const key = await findPaymentKey(sql, { payment_id, merchant_id })
  if (!key) throw new Refusal('resource_not_found', 'There is no payment with this id.')
  return key
}
