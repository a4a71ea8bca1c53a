// Every setting, one record each: its variable, meaning, default and rule.

import { readDatabaseAddress } from './database-address.ts'
import { isSender, readSmtpAddress } from './mail-address.ts'
import {
  address,
  ConfigError,
  fail,
  networkList,
  numberIn,
  oneOf,
  optional,
  origin,
  type Setting,
  textSetting,
  wholeNumberSetting,
} from './setting.ts'
import { singleSignOnSettings } from './single-sign-on.ts'
import { readThreeDsFile } from './three-ds-file.ts'
import { traceSettings } from './traces.ts'

/** 12 attempts in about 71 hours. */
const default_retry_schedule = [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 86_400]
const ports = { least: 0, most: 65_535 }
const retry_delay_max_seconds = 7 * 24 * 3600

/** In the order of `ripper config`. */
export const settings = {
  data_dir: textSetting(
    { name: 'RIPPER_DATA_DIR', meaning: 'folder of the embedded database and the demo keys' },
    '.ripper',
  ),
  host: textSetting({ name: 'RIPPER_HOST', meaning: 'address to listen on' }, '127.0.0.1'),
  port: wholeNumberSetting(
    { name: 'RIPPER_PORT', meaning: 'port to listen on, 0 for any free one' },
    { fallback: 8080, ...ports },
  ),
  metrics_port: optional(
    {
      name: 'RIPPER_METRICS_PORT',
      meaning: 'port that serves /metrics alone, which RIPPER_PORT then does not; 0 for any free one',
      fallback: '/metrics is at RIPPER_PORT',
    },
    (value, name) => numberIn(value, name, ports),
  ),
  base_url: optional(
    {
      name: 'RIPPER_BASE_URL',
      meaning: 'public address of the API',
      fallback: 'the address listened on',
    },
    origin,
  ),
  pay_url: optional(
    {
      name: 'RIPPER_PAY_URL',
      meaning: 'public address of the hosted page',
      fallback: 'RIPPER_BASE_URL + /pay',
    },
    address,
  ),
  dashboard_url: optional(
    {
      name: 'RIPPER_DASHBOARD_URL',
      meaning: "origin of the dashboard's own host, such as https://staff.shop.example",
      fallback: 'the dashboard is at RIPPER_BASE_URL + /dashboard',
    },
    readOrigin,
  ),
  sign_in: oneOf(
    {
      name: 'RIPPER_SIGN_IN',
      meaning: 'passkey_and_password: whoever signs in to the dashboard has to show both',
    },
    { words: ['any', 'passkey_and_password'], fallback: 'any' },
  ),
  single_sign_on: singleSignOnSettings,
  database_url: optional(
    {
      name: 'RIPPER_DATABASE_URL',
      meaning: 'a PostgreSQL 15 or later',
      fallback: 'the embedded database',
      secret: true,
    },
    readDatabaseUrl,
  ),
  database_connections: wholeNumberSetting(
    { name: 'RIPPER_DATABASE_CONNECTIONS', meaning: 'connections to the database' },
    { fallback: 8, least: 1, most: 200, says_range: true },
  ),
  /** Null if the service creates them and keeps them in the data folder. */
  master_keys: optional(
    {
      name: 'RIPPER_MASTER_KEY',
      meaning: '32 bytes in base64; several, comma separated: the first seals, all open',
      fallback: 'made and kept in the data folder, for the embedded database only',
      secret: true,
    },
    readMasterKeys,
  ),
  three_ds: optional(
    {
      name: 'RIPPER_THREE_DS_FILE',
      meaning: 'JSON file that names the live Directory Servers',
      fallback: 'none',
    },
    (path, name) => {
      const reading = readThreeDsFile(path)
      return typeof reading === 'string' ? fail(name, reading) : reading
    },
  ),
  simulator: oneOf(
    { name: 'RIPPER_SIMULATOR', meaning: 'off: the simulated bank of test mode does not run' },
    { words: ['on', 'off'], fallback: 'on' },
  ),
  trusted_proxies: networkList({
    name: 'RIPPER_TRUSTED_PROXIES',
    meaning: 'addresses or CIDR networks whose X-Forwarded-For is believed (Forwarded is not read), comma separated',
  }),
  connection_allowed_networks: networkList({
    name: 'RIPPER_CONNECTION_ALLOWED_NETWORKS',
    meaning: 'private networks that the api_url of a connection may lead to, by http too, comma separated',
  }),
  webhooks: {
    allowed_networks: networkList({
      name: 'RIPPER_WEBHOOK_ALLOWED_NETWORKS',
      meaning: 'private networks that webhooks may be sent to, comma separated, such as 127.0.0.0/8 to try them here',
    }),
    /** Seconds after each failed attempt: n delays make n + 1 attempts. */
    retry_schedule: retrySchedule({
      name: 'RIPPER_WEBHOOK_RETRY_SCHEDULE',
      meaning: 'seconds after each failed attempt, comma separated; a last failure gives the delivery up',
    }),
    timeout_seconds: wholeNumberSetting(
      {
        name: 'RIPPER_WEBHOOK_TIMEOUT',
        meaning: 'seconds that a receiver has in all, body included',
      },
      { fallback: 15, least: 1, most: 60, says_range: true },
    ),
    connect_timeout_seconds: wholeNumberSetting(
      { name: 'RIPPER_WEBHOOK_CONNECT_TIMEOUT', meaning: 'seconds to connect to a receiver' },
      { fallback: 5, least: 1, most: 60, says_range: true },
    ),
  },
  gateway_limit: wholeNumberSetting(
    { name: 'RIPPER_GATEWAY_LIMIT', meaning: 'requests a minute and address, 0 for no limit' },
    { fallback: 600, least: 0, most: 1_000_000 },
  ),
  connection_limit: wholeNumberSetting(
    { name: 'RIPPER_CONNECTION_LIMIT', meaning: 'connections that callers may hold at once' },
    { fallback: 10_000, least: 100, most: 100_000, says_range: true },
  ),
  drain_seconds: wholeNumberSetting(
    {
      name: 'RIPPER_DRAIN_SECONDS',
      meaning: 'seconds for which a stopping service still takes requests while /readyz is 503',
    },
    { fallback: 0, least: 0, most: 60, says_range: true },
  ),
  unpaid_sessions_days: wholeNumberSetting(
    {
      name: 'RIPPER_UNPAID_SESSIONS_DAYS',
      meaning: 'days for which sessions that nobody paid are kept, 1 to 3650; those of test mode 2 at most',
    },
    { fallback: 30, least: 1, most: 3650 },
  ),
  unknown_authorisations: oneOf(
    {
      name: 'RIPPER_UNKNOWN_AUTHORISATIONS',
      meaning: 'what becomes of authorisations of ours that nothing here knows: hold for a person, or reverse',
    },
    { words: ['hold', 'reverse'], fallback: 'hold' },
  ),
  mail: {
    smtp: optional(
      {
        name: 'RIPPER_SMTP_URL',
        meaning: 'mail server for receipts: smtp://user:password@host:587 or smtps://user:password@host',
        fallback: 'none: no receipts are sent',
        secret: true,
      },
      (url, name) => {
        const smtp = readSmtpAddress(url)
        if (typeof smtp === 'string') throw new ConfigError(name, smtp)
        return smtp
      },
    ),
    /** The address without a display name. */
    from: optional(
      {
        name: 'RIPPER_MAIL_FROM',
        meaning: "address that receipts come from; the merchant's name stands before it",
        fallback: 'none',
      },
      (from, name) => (isSender(from) ? from : fail(name, 'one address such as receipts@shop.example, without a name')),
    ),
    test_mode: oneOf(
      {
        name: 'RIPPER_MAIL_TEST_MODE',
        meaning: 'on: receipts are sent for payments in test mode, too',
      },
      { words: ['off', 'on'], fallback: 'off' },
    ),
  },
  /** The key that commands send to the running service; the service itself needs none. */
  secret_key: optional(
    {
      name: 'RIPPER_SECRET_KEY',
      meaning: 'secret key that commands present to the running service; the service needs none',
      fallback: "the demo merchant's",
      secret: true,
    },
    (key) => key,
  ),
  request_log: oneOf(
    {
      name: 'RIPPER_REQUEST_LOG',
      meaning: 'off: refused requests are not kept for the dashboard; otherwise for 30 days',
    },
    { words: ['on', 'off'], fallback: 'on' },
  ),
  log_level: oneOf(
    { name: 'RIPPER_LOG_LEVEL', meaning: 'debug, info, warn, error or silent' },
    { words: ['debug', 'info', 'warn', 'error', 'silent'], fallback: 'info' },
  ),
  traces: traceSettings,
  clock_offset_seconds: wholeNumberSetting(
    {
      name: 'RIPPER_CLOCK_OFFSET_SECONDS',
      meaning: "shifts the service's clock, to see expiry without waiting; refused where a live merchant exists",
    },
    { fallback: 0, least: -1e9, most: 1e9 },
  ),
}

/** Passkeys and sign-in need https, except on the machine itself. */
function readOrigin(value: string, name: string): string {
  const url = URL.parse(value)
  const is_safe = url?.protocol === 'https:' || url?.hostname === 'localhost'
  if (url && is_safe && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) {
    return url.origin
  }
  return fail(name, 'an https origin without a path, such as https://staff.shop.example')
}

function readDatabaseUrl(value: string, name: string): string {
  if (!/^postgres(ql)?:\/\//.test(value)) {
    return fail(name, 'an address such as postgresql://user:password@host:5432/name')
  }
  try {
    readDatabaseAddress(value)
    return value
  } catch (error) {
    throw new ConfigError(name, (error as Error).message)
  }
}

function readMasterKeys(value: string, name: string): Buffer[] {
  const keys = value.split(',').map((each) => Buffer.from(each.trim(), 'base64'))
  if (keys.every((key) => key.length === 32)) return keys
  return fail(name, '32 bytes in base64, or several such keys separated by commas')
}

function retrySchedule(about: { name: string; meaning: string }): Setting<number[]> {
  return {
    ...about,
    fallback: default_retry_schedule.join(','),
    read(value) {
      if (value === null) return default_retry_schedule
      const delays = value.split(',').map((each) => each.trim())
      const isDelay = (each: string) => /^\d+$/.test(each) && Number(each) <= retry_delay_max_seconds
      if (delays.length <= 30 && delays.every(isDelay)) return delays.map(Number)
      return fail(
        about.name,
        `at most 30 whole numbers of seconds, each up to ${retry_delay_max_seconds}, separated by commas`,
      )
    },
  }
}
