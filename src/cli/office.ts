// What commands on accounts share: the database of the running service, and values read from options.

import { readFileSync } from 'node:fs'
import { isNetwork, readConfig } from '../config.ts'
import { recordedClockOffset } from '../database/service-clock.ts'
import { openIds } from '../ids.ts'
import { open } from '../main.ts'
import type { Office } from '../merchants/manage.ts'
import { type Options, UsageError } from './command.ts'

/** Runs work on the same database as a service that may be running, the embedded one included. */
export async function withOffice<T>(
  work: (office: Office & { clock_is_shifted: boolean }) => Promise<T>,
): Promise<T> {
  // What a command has to say it prints; the log of a service would only get in between.
  const config = { ...readConfig(), log_level: 'error' as const, database_connections: 2 }
  const { world, database, keyring } = await open(config)
  try {
    const ids = openIds(world.random, keyring)
    const running_offset = await recordedClockOffset(database.sql)
    const clock_is_shifted = config.clock_offset_seconds !== 0 || running_offset !== 0
    return await work({ sql: database.sql, ids, clock: world.clock, clock_is_shifted })
  } finally {
    await database.close()
  }
}

export function text(options: Options, name: string): string | null {
  const value = options[name]
  return typeof value === 'string' ? value : null
}

export function list(options: Options, name: string): string[] {
  const value = options[name]
  return Array.isArray(value) ? value : []
}

export function choice<T extends string>(
  options: Options,
  name: string,
  words: readonly T[],
): T | null {
  const value = text(options, name)
  if (value === null) return null
  const found = words.find((word) => word === value)
  if (!found) throw new UsageError(`--${name} must be one of ${words.join(', ')}`)
  return found
}

export function wholeNumber(options: Options, name: string): number | null {
  const value = text(options, name)
  if (value === null) return null
  const number = Number(value)
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number === 0) {
    throw new UsageError(`--${name} must be a whole number above 0`)
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
  if (wrong)
    throw new UsageError(`--${name} must be an IP address or a CIDR network, such as 10.0.0.0/8`)
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
