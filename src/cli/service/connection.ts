// Finds the running service for a command: its address, and the merchant's keys for it.

import { readConfig } from '../../config/config.ts'
import { type Demo, demoPath, readDemo } from '../../service/demo.ts'
import { CommandError, UsageError } from '../terminal/command.ts'
import { option, type ValuesOf } from '../terminal/option.ts'
import { terminal } from '../terminal/terminal.ts'
import type { ServiceError } from './call.ts'

export type Connection = {
  /** Without a slash at its end. */
  base_url: string
  secret_key: string
  /** Where the key was found, so that a user can correct it. */
  key_from: string
  /** The demo merchant's publishable key; null if the secret key belongs to another merchant. */
  publishable_key: string | null
  /** Null if only the secret key shows the merchant. */
  merchant_id: string | null
}

export const baseUrlOption = option('URL', "the service's address; by default that of its last start here")

export const connectionOptions = {
  key: option('rip_sk_…', "the merchant's secret key; else RIPPER_SECRET_KEY, else the demo merchant's"),
  merchant: option('ID', 'refuse if the key belongs to another merchant'),
  'base-url': baseUrlOption,
}

type Given = Partial<ValuesOf<typeof connectionOptions>>
type Address = Pick<Given, 'base-url'>

/** Throws a UsageError for a malformed value, and a CommandError if there is no key. */
export function connectionOf(options: Given): Connection {
  const config = readConfig(terminal().environment)
  const demo = readDemo(config.data_dir)
  const [secret_key, key_from] = keyOf(options.key, config, demo)
  const { merchant: merchant_name = null } = options
  if (!/^rip_sk_[\w-]+$/.test(secret_key)) {
    throw new UsageError('--key (or RIPPER_SECRET_KEY) must be a secret key, which begins rip_sk_')
  }
  const own = demo?.secret_key === secret_key ? demo : null
  if (own && merchant_name !== null && merchant_name !== own.merchant_id) {
    throw new CommandError(
      `The key belongs to the merchant ${own.merchant_id}. Give one of ${merchant_name} with --key.`,
    )
  }
  return {
    base_url: baseUrl(options, config, demo),
    secret_key,
    key_from,
    publishable_key: own?.publishable_key ?? null,
    merchant_id: own?.merchant_id ?? merchant_name,
  }
}

/** The secret key, and where it was found. */
function keyOf(
  merchant_name: string | undefined,
  { secret_key, data_dir }: ReturnType<typeof readConfig>,
  demo: Demo | null,
): [string, string] {
  if (merchant_name) return [merchant_name, '--key']
  if (secret_key) return [secret_key, 'RIPPER_SECRET_KEY']
  if (demo?.secret_key) return [demo.secret_key, demoPath(data_dir)]
  throw new CommandError(
    "There is no secret key to use: name one by --key or RIPPER_SECRET_KEY, or start the service once (npm start), which makes a demo merchant's.",
  )
}

/** Says whose key it is and, if the user gave none, how to give another. */
export function merchantWords({ publishable_key }: Connection, merchant_id: string): string {
  if (publishable_key === null) return merchant_id
  return `the demo merchant (${merchant_id}; --key or RIPPER_SECRET_KEY takes another's key)`
}

/** What to do if the service refuses the key. */
export function adviseOnKey(refused: ServiceError, connection: Connection): ServiceError {
  if (refused.status !== 401 && refused.status !== 403) return refused
  return refused.with(adviceOn(refused.code, connection))
}

function adviceOn(code: string, { key_from, base_url }: Connection): string {
  const another = 'ripper key create --merchant ID makes another; give it with --key or RIPPER_SECRET_KEY.'
  if (/permission/.test(code)) return `The key is that of ${key_from}. It lacks a permission: ${another}`
  if (code === 'merchant_not_active') return 'ripper merchant update ID --status active activates the merchant.'
  if (/revoked|expired/.test(code)) return `The key is that of ${key_from}. ${another}`
  if (/_blocked/.test(code)) return `The key is that of ${key_from}; ripper key list says from where it may be used.`
  return (
    `The key is that of ${key_from}. It may belong to another installation than the one at ${base_url}. ripper key list --all\n` +
    `shows the keys of this one, and which of them have ended; ${another}`
  )
}

/** The service's address, for commands that need no key. */
export function baseUrlOf(options: Address): string {
  const config = readConfig(terminal().environment)
  return baseUrl(options, config, readDemo(config.data_dir))
}

/** The address of a hosted page. */
export function hostedPageUrl(handle: string): string {
  return `${hostedPagesUrl()}/${handle}`
}

/** Below which the hosted pages are: from the setting here, else from the service's last start. */
export function hostedPagesUrl(): string {
  const config = readConfig(terminal().environment)
  const demo = readDemo(config.data_dir)
  const pay_url = config.pay_url ?? (config.base_url === null ? demo?.pay_url : null)
  return pay_url ?? `${baseUrl({}, config, demo)}/pay`
}

function baseUrl(options: Address, { base_url, host, port }: ReturnType<typeof readConfig>, demo: Demo | null): string {
  const { 'base-url': address } = options
  if (address === undefined) return base_url ?? demo?.base_url ?? `http://${reachable(host)}:${port}`
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new UsageError('--base-url must be an http or https address without query or fragment')
  }
  return url.href.replace(/\/$/, '')
}

/** A service that listens on all addresses is reached at the machine's own. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
