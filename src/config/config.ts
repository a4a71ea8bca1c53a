// The environment, read once into a Config: the only reader of process.env.

import { isIP } from 'node:net'
import { readDatabaseAddress } from './database-address.ts'
import { isSender, readSmtpAddress, type SmtpAddress } from './mail-address.ts'
import { readThreeDsFile, type ThreeDsFile } from './three-ds-file.ts'
import { default_retry_schedule, type Variable, variables } from './variables.ts'

export type { ThreeDsFile } from './three-ds-file.ts'

type Name = (typeof variables)[number]['name']

export type Config = {
  data_dir: string
  host: string
  port: number
  base_url: string | null
  pay_url: string | null
  database_url: string | null
  database_connections: number
  /** Null where they are to be made and kept in the data folder. */
  master_keys: Buffer[] | null
  three_ds: ThreeDsFile | null
  /** Whether the simulated bank of test mode runs; null where nobody said. */
  simulator: 'on' | 'off' | null
  trusted_proxies: string[]
  webhooks: WebhookConfig
  gateway_limit: number
  /** How long a stopping service still takes requests, while `/readyz` is 503 already. */
  drain_seconds: number
  /** How long sessions that nobody paid are kept. */
  unpaid_sessions_days: number
  /** Whether what an acquirer holds for us, and nothing here knows, waits for a person or is reversed by itself. */
  unknown_authorisations: 'hold' | 'reverse'
  /** Null where no receipts are sent. */
  mail: MailConfig | null
  /** What commands present to the running service; the service itself needs none. */
  secret_key: string | null
  log_level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  clock_offset_seconds: number
}

export type WebhookConfig = {
  allowed_networks: string[]
  /** Seconds after each failed attempt: n delays make n + 1 attempts. */
  retry_schedule: number[]
  timeout_seconds: number
  connect_timeout_seconds: number
}

export type MailConfig = {
  smtp: SmtpAddress
  /** The address alone. */
  from: string
  /** Receipts are sent for test payments, too. */
  test_mode: boolean
}

/** What is wrong with a variable; the message begins with its name. */
export class ConfigError extends Error {
  readonly variable: Name
  /** Of one that is missing: the one beside which it is needed. */
  readonly beside: Name | null

  constructor(variable: Name, words: string, beside: Name | null = null) {
    super(`${variable} ${words}`)
    this.variable = variable
    this.beside = beside
  }
}

export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const text = (name: Name) => environment[name]?.trim() || null
  const config: Config = {
    data_dir: readDataDir(environment),
    host: text('RIPPER_HOST') ?? '127.0.0.1',
    port: wholeNumber('RIPPER_PORT', text('RIPPER_PORT') ?? '8080', 0, 65_535),
    base_url: address('RIPPER_BASE_URL', text('RIPPER_BASE_URL')),
    pay_url: address('RIPPER_PAY_URL', text('RIPPER_PAY_URL')),
    database_url: databaseUrl(text('RIPPER_DATABASE_URL')),
    database_connections: wholeNumber(
      'RIPPER_DATABASE_CONNECTIONS',
      text('RIPPER_DATABASE_CONNECTIONS') ?? '8',
      1,
      200,
    ),
    master_keys: masterKeys(text('RIPPER_MASTER_KEY')),
    three_ds: threeDsFile(text('RIPPER_THREE_DS_FILE')),
    simulator: simulator(text('RIPPER_SIMULATOR')),
    trusted_proxies: networks('RIPPER_TRUSTED_PROXIES', text('RIPPER_TRUSTED_PROXIES')),
    webhooks: {
      allowed_networks: networks(
        'RIPPER_WEBHOOK_ALLOWED_NETWORKS',
        text('RIPPER_WEBHOOK_ALLOWED_NETWORKS'),
      ),
      retry_schedule: retrySchedule(text('RIPPER_WEBHOOK_RETRY_SCHEDULE')),
      timeout_seconds: wholeNumber(
        'RIPPER_WEBHOOK_TIMEOUT',
        text('RIPPER_WEBHOOK_TIMEOUT') ?? '15',
        1,
        60,
      ),
      connect_timeout_seconds: wholeNumber(
        'RIPPER_WEBHOOK_CONNECT_TIMEOUT',
        text('RIPPER_WEBHOOK_CONNECT_TIMEOUT') ?? '5',
        1,
        60,
      ),
    },
    gateway_limit: wholeNumber(
      'RIPPER_GATEWAY_LIMIT',
      text('RIPPER_GATEWAY_LIMIT') ?? '600',
      0,
      1_000_000,
    ),
    drain_seconds: wholeNumber('RIPPER_DRAIN_SECONDS', text('RIPPER_DRAIN_SECONDS') ?? '0', 0, 60),
    unpaid_sessions_days: wholeNumber(
      'RIPPER_UNPAID_SESSIONS_DAYS',
      text('RIPPER_UNPAID_SESSIONS_DAYS') ?? '30',
      1,
      3650,
    ),
    unknown_authorisations: oneOf(
      'RIPPER_UNKNOWN_AUTHORISATIONS',
      text('RIPPER_UNKNOWN_AUTHORISATIONS') ?? 'hold',
      ['hold', 'reverse'],
    ),
    mail: mail({
      url: text('RIPPER_SMTP_URL'),
      from: text('RIPPER_MAIL_FROM'),
      test_mode: text('RIPPER_MAIL_TEST_MODE'),
    }),
    secret_key: text('RIPPER_SECRET_KEY'),
    log_level: oneOf('RIPPER_LOG_LEVEL', text('RIPPER_LOG_LEVEL') ?? 'info', [
      'debug',
      'info',
      'warn',
      'error',
      'silent',
    ]),
    clock_offset_seconds: wholeNumber(
      'RIPPER_CLOCK_OFFSET_SECONDS',
      text('RIPPER_CLOCK_OFFSET_SECONDS') ?? '0',
      -1e9,
      1e9,
    ),
  }
  if (config.database_url !== null && config.master_keys === null) {
    throw new ConfigError(
      'RIPPER_MASTER_KEY',
      'must be set where RIPPER_DATABASE_URL is: 32 random bytes in base64, ' +
        'such as `head -c 32 /dev/urandom | base64` prints. Keep it: without it nothing that was sealed can be opened.',
      'RIPPER_DATABASE_URL',
    )
  }
  return config
}

/** Any text will do, so that it can be told whatever is wrong with the other variables. */
export function readDataDir(environment: Record<string, string | undefined> = process.env): string {
  return environment.RIPPER_DATA_DIR?.trim() || '.ripper'
}

/** Every wrong value with what it should be, where `readConfig` stops at the first. */
export function configFaults(environment: Record<string, string | undefined> = process.env) {
  const left = { ...environment }
  const faults = new Map<Name, string>()
  for (;;) {
    try {
      readConfig(left)
      return [...faults.values()]
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const { variable, beside, message } = error
      // A master key that was wrong is missing beside a database once it is left out.
      if (!faults.has(variable)) faults.set(variable, message)
      delete left[beside ?? variable]
    }
  }
}

/** Names in the environment that look like ours, and are none that the service reads. */
export function unknownVariables(environment: Record<string, string | undefined> = process.env) {
  const known = new Set<string>(variables.map(({ name }) => name))
  return Object.keys(environment)
    .filter((name) => /^RIPPER_(?!TEST_)/.test(name) && !known.has(name))
    .sort()
}

/** A variable's value as `ripper config` may show it. */
export function shownValue(variable: Variable, environment = process.env): string | null {
  const value = environment[variable.name]?.trim()
  if (!value) return null
  return variable.secret ? '(set)' : value
}

function fail(name: Name, should: string): never {
  throw new ConfigError(name, `must be ${should}.`)
}

function wholeNumber(name: Name, value: string, least: number, most: number): number {
  const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
  if (number >= least && number <= most) return number
  return fail(name, `a whole number from ${least} to ${most}`)
}

function oneOf<T extends string>(name: Name, value: string, words: readonly T[]): T {
  return words.find((word) => word === value) ?? fail(name, `one of ${words.join(', ')}`)
}

function simulator(value: string | null): Config['simulator'] {
  return value === null ? null : oneOf<'on' | 'off'>('RIPPER_SIMULATOR', value, ['on', 'off'])
}

function address(name: Name, value: string | null): string | null {
  if (value === null) return null
  const url = URL.canParse(value) ? new URL(value) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    return fail(name, 'an http or https address without query or fragment')
  }
  return url.href.replace(/\/$/, '')
}

function databaseUrl(value: string | null): string | null {
  if (value === null) return null
  if (!/^postgres(ql)?:\/\//.test(value)) {
    return fail(
      'RIPPER_DATABASE_URL',
      'an address such as postgresql://user:password@host:5432/name',
    )
  }
  try {
    readDatabaseAddress(value)
    return value
  } catch (error) {
    throw new ConfigError('RIPPER_DATABASE_URL', (error as Error).message)
  }
}

function mail({ url, from, test_mode }: Record<'url' | 'from' | 'test_mode', string | null>) {
  const is_test_mode_on = oneOf('RIPPER_MAIL_TEST_MODE', test_mode ?? 'off', ['off', 'on']) === 'on'
  if (from !== null && !isSender(from)) {
    return fail('RIPPER_MAIL_FROM', 'one address such as receipts@shop.example, without a name')
  }
  if (url === null) return null
  const smtp = readSmtpAddress(url)
  if (typeof smtp === 'string') throw new ConfigError('RIPPER_SMTP_URL', smtp)
  if (from !== null) return { smtp, from, test_mode: is_test_mode_on }
  const words = 'must be set where RIPPER_SMTP_URL is: the address that receipts come from.'
  throw new ConfigError('RIPPER_MAIL_FROM', words, 'RIPPER_SMTP_URL')
}

function masterKeys(value: string | null): Buffer[] | null {
  if (value === null) return null
  const keys = value.split(',').map((each) => Buffer.from(each.trim(), 'base64'))
  if (keys.every((key) => key.length === 32)) return keys
  return fail('RIPPER_MASTER_KEY', '32 bytes in base64, or several such keys separated by commas')
}

function networks(name: Name, value: string | null): string[] {
  const list = value?.split(',').map((each) => each.trim()) ?? []
  if (list.every(isNetwork)) return list
  return fail(name, 'IP addresses or CIDR networks, separated by commas')
}

const delay_seconds_max = 7 * 24 * 3600

function retrySchedule(value: string | null): number[] {
  if (value === null) return default_retry_schedule
  const delays = value.split(',').map((each) => each.trim())
  const isDelay = (each: string) => /^\d+$/.test(each) && Number(each) <= delay_seconds_max
  if (delays.length <= 30 && delays.every(isDelay)) return delays.map(Number)
  return fail(
    'RIPPER_WEBHOOK_RETRY_SCHEDULE',
    `at most 30 whole numbers of seconds, each up to ${delay_seconds_max}, separated by commas`,
  )
}

/** An IP address, or one with a prefix length. */
export function isNetwork(text: string): boolean {
  const [ip, bits, ...rest] = text.split('/')
  const family = isIP(ip ?? '')
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

function threeDsFile(path: string | null): ThreeDsFile | null {
  const read = path === null ? null : readThreeDsFile(path)
  return typeof read === 'string' ? fail('RIPPER_THREE_DS_FILE', read) : read
}
