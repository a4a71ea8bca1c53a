// The environment, read once into a Config: the only reader of process.env.

import { ConfigError, type Setting } from './setting.ts'
import { settings } from './settings.ts'
import { type SingleSignOnConfig, singleSignOnOf } from './single-sign-on.ts'

export { ConfigError, isNetwork } from './setting.ts'
export type { SingleSignOnConfig } from './single-sign-on.ts'
export type { ThreeDsFile } from './three-ds-file.ts'

export type Environment = Record<string, string | undefined>
type Read<S> = S extends Setting<infer T> ? T : { [K in keyof S]: Read<S[K]> }
type Settings = Read<typeof settings>
type Mail = Settings['mail']

export type Config = Omit<Settings, 'mail' | 'single_sign_on'> & {
  /** Null without a provider. */
  single_sign_on: SingleSignOnConfig | null
  /** Null if no receipts are sent. */
  mail: MailConfig | null
  /** What people here type before a command. */
  program: string
}

export type MailConfig = {
  smtp: NonNullable<Mail['smtp']>
  from: string
  /** Receipts are sent for test payments, too. */
  test_mode: boolean
}

/** Every setting, in the order of `ripper config`. */
export const allSettings: readonly Setting<unknown>[] = listSettings(settings)

function listSettings(some: object): Setting<unknown>[] {
  return Object.values(some).flatMap((each) => ('read' in each ? [each] : listSettings(each)))
}

/** Throws ConfigError for the first wrong variable. */
export function readConfig(environment: Environment = process.env): Config {
  const { mail, single_sign_on, ...config } = readAll(settings, environment)
  if (config.database_url !== null && config.master_keys === null) {
    throw new ConfigError(
      settings.master_keys.name,
      'must be set where RIPPER_DATABASE_URL is: 32 random bytes in base64, ' +
        'such as `head -c 32 /dev/urandom | base64` prints. Keep it: without it nothing that was sealed can be opened.',
      settings.database_url.name,
    )
  }
  // 0 stands for any free port.
  if (config.metrics_port && config.metrics_port === config.port) {
    const words = `must be another port than ${settings.port.name}.`
    throw new ConfigError(settings.metrics_port.name, words)
  }
  const program = programName(environment)
  return { ...config, mail: mailOf(mail), single_sign_on: singleSignOnOf(single_sign_on), program }
}

/**
 * npm passes its own command to the programs that it starts: after `npm start` or `npx`, people have no `ripper`
 * command.
 */
export function programName(environment: Environment = process.env): string {
  return environment.npm_command ? 'npx ripper' : 'ripper'
}

function readAll<S extends object>(some: S, environment: Environment): Read<S> {
  const values = Object.entries(some).map(([key, each]) => [
    key,
    'read' in each ? each.read(textOf(each, environment)) : readAll(each, environment),
  ])
  return Object.fromEntries(values)
}

function textOf({ name }: Pick<Setting<unknown>, 'name'>, environment: Environment) {
  return environment[name]?.trim() || null
}

function mailOf({ smtp, from, test_mode }: Mail): MailConfig | null {
  if (smtp === null) return null
  if (from !== null) return { smtp, from, test_mode: test_mode === 'on' }
  const words = 'must be set where RIPPER_SMTP_URL is: the address that receipts come from.'
  throw new ConfigError(settings.mail.from.name, words, settings.mail.smtp.name)
}

/** Any text is accepted here, so that other variables can be reported even if they are wrong. */
export function readDataDir(environment: Environment = process.env): string {
  return settings.data_dir.read(textOf(settings.data_dir, environment))
}

/** Every wrong value with what it should be; `readConfig` stops at the first. */
export function configFaults(environment: Environment = process.env): string[] {
  const rest = { ...environment }
  const faults = new Map<string, string>()
  for (;;) {
    try {
      readConfig(rest)
      return [...faults.values()]
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const { variable, beside, message } = error
      // If a wrong master key is left out beside a database address, the key counts as missing.
      if (!faults.has(variable)) faults.set(variable, message)
      delete rest[beside ?? variable]
    }
  }
}

/** Environment variables that look like ours but that the service does not read. */
export function unknownVariables(environment: Environment = process.env): string[] {
  const knownNames = new Set(allSettings.map(({ name }) => name))
  return Object.keys(environment)
    .filter((name) => /^RIPPER_(?!TEST_)/.test(name) && !knownNames.has(name))
    .sort()
}

/** A variable's value as `ripper config` may show it. */
export function shownValue(setting: Setting<unknown>, environment: Environment = process.env) {
  const value = textOf(setting, environment)
  return value !== null && setting.secret ? '(set)' : value
}
