// `ripper key create|revoke`: secret keys of merchants' servers, and the publishable keys of their pages.

import { type Permission, permissions } from '../http/access.ts'
import { timestamp, timestampOrNull } from '../kernel/values.ts'
import { isOrigin } from '../merchants/integration.ts'
import { type KeySummary, listKeys } from '../merchants/key-store.ts'
import { createKey, merchantOrRefuse, withdrawKey, withdrawPublishableKey } from '../merchants/manage.ts'
import { realClock } from '../outgoing/real-world.ts'
import {
  choice,
  choices,
  everyMerchantOption,
  list,
  nameOf,
  networks,
  text,
  time,
  withCommandContext,
} from './command-context.ts'
import { type Command, type Options, UsageError } from './terminal/command.ts'
import { paintState, print, printJson, printLine, printTable, shortTime } from './terminal/print.ts'

export const keyCreate: Command = {
  name: 'key create',
  summary: 'Makes a secret key, which is shown this once',
  options: {
    merchant: { value: 'ID', required: true, meaning: 'the merchant' },
    name: { value: 'NAME', meaning: 'what uses it, for people' },
    permission: {
      value: 'NAME',
      many: true,
      meaning: `one of ${permissions.join(', ')}; all by default`,
    },
    mode: { value: 'any|test_only|live_only', meaning: 'which sessions it may make' },
    'expires-at': { value: 'TIME', meaning: 'ISO 8601' },
    'allow-address': { value: 'CIDR', many: true, meaning: 'addresses it may be used from' },
    'allow-origin': { value: 'URL', many: true, meaning: 'origins it may be used from' },
    'no-publishable-key': { meaning: 'do not pair it with a publishable key' },
  },
  async run({ options, json }) {
    const asked = {
      name: nameOf(options),
      permissions: permissionsOf(options),
      mode: choice(options, 'mode', ['any', 'test_only', 'live_only']) ?? ('any' as const),
      expires_at: laterTime(options),
      allowed_addresses: networks(options, 'allow-address'),
      allowed_origins: originsOf(options),
      pair: options['no-publishable-key'] !== true,
    }
    const merchant_id = text(options, 'merchant')!
    const { secret_key, key } = await withCommandContext((context) => createKey(context, merchant_id, asked))
    const { key_id, publishable_key, mode } = key
    print({ key_id, secret_key, publishable_key, permissions: key.permissions, mode }, json)
  },
}

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'Revokes a secret key, or a publishable key (rip_pk_…), for every process at once',
  positionals: ['KEY_ID'],
  options: {},
  async run({ positionals, json }) {
    const [id] = positionals as [string]
    if (id.startsWith('rip_sk_')) throw new UsageError('takes the key_id (key_…) of a secret key')
    if (id.startsWith('rip_pk_')) {
      const revoked = await withCommandContext((context) => withdrawPublishableKey(context, id))
      const { publishable_key, revoked_at } = revoked
      print({ publishable_key, revoked_at: timestamp(revoked_at) }, json)
      return
    }
    const key = await withCommandContext((context) => withdrawKey(context, id))
    print({ key_id: key.key_id, revoked_at: timestamp(key.revoked_at!) }, json)
  },
}

function laterTime(options: Options): Date | null {
  const at = time(options, 'expires-at')
  if (at && at <= realClock().now()) throw new UsageError('--expires-at lies in the past')
  return at
}

function permissionsOf(options: Options): Permission[] {
  const named = choices(options, 'permission', permissions)
  return named.length === 0 ? [...permissions] : named
}

function originsOf(options: Options): string[] {
  const origins = list(options, 'allow-origin')
  if (!origins.every(isOrigin)) throw new UsageError('--allow-origin must be an origin, such as https://shop.example')
  return origins
}

/**
 * `ripper key list`: the keys of merchants, and which of them can be used. It cannot show secret keys, of which only
 * hashes are stored.
 */
export const keyList: Command = {
  name: 'key list',
  summary: 'Lists the keys of a merchant, or of all, oldest first; no secret key is shown',
  options: { merchant: everyMerchantOption, all: { meaning: 'those that ended, too' } },
  remarks: [
    'A row is a secret key with its publishable key. A publishable key by itself has no key id. ripper key revoke takes\n' +
      'either.',
    'fingerprint: how the SHA-256 of the secret key begins, to find the row of one that has leaked:\n' +
      "printf %s 'rip_sk_…' | sha256sum | cut -c1-8",
    'used: when the service was last asked by the key, to within an hour.',
  ],
  async run({ options, json }) {
    const named = text(options, 'merchant')
    const { merchant_id, found, now } = await withCommandContext(async ({ sql, clock }) => {
      const merchant_id = named && (await merchantOrRefuse(sql, named)).merchant_id
      return { merchant_id, found: await listKeys(sql, merchant_id), now: clock.now() }
    })
    const keys = found.map((key) => viewKey(key, now))
    const shown = keys.filter(({ state }) => options.all === true || state === 'usable')
    if (json) printJson({ merchant_id, keys: shown })
    else if (shown.length === 0) {
      const whose = merchant_id === null ? 'There is' : `The merchant ${merchant_id} has`
      const ended = keys.length > 0 ? '--all lists those that ended; ' : ''
      printLine(`${whose} no key that can be used. ${ended}ripper key create makes one.`)
    } else printKeys(shown, merchant_id === null)
  },
}

/** For a publishable key by itself, these are its own properties. */
function viewKey(key: KeySummary, now: Date) {
  const { key_id, merchant_id, publishable_key, mode, allowed_addresses, allowed_origins } = key
  const revoked_at = key_id === null ? key.publishable_key_revoked_at : key.revoked_at
  return {
    key_id,
    merchant_id,
    name: key.name,
    fingerprint: key.fingerprint,
    publishable_key,
    state: stateOf({ ...key, revoked_at }, now),
    permissions: key.permissions,
    mode,
    allowed_addresses,
    allowed_origins,
    created_at: timestamp(key.created_at),
    last_used_at: timestampOrNull(key.last_used_at),
    made_by: key.made_by,
    expires_at: timestampOrNull(key.expires_at),
    revoked_at: timestampOrNull(revoked_at),
    publishable_key_revoked_at: timestampOrNull(key.publishable_key_revoked_at),
  }
}

type KeyOutput = ReturnType<typeof viewKey>

function stateOf({ revoked_at, expires_at }: KeySummary, now: Date) {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && expires_at <= now ? 'expired' : 'usable'
}

function printKeys(keys: KeyOutput[], with_merchant: boolean): void {
  const headings = ['key', 'state', 'mode', 'created', 'used', 'permissions']
  printTable(
    with_merchant ? ['merchant', ...headings] : headings,
    keys.map((key) => (with_merchant ? [key.merchant_id, ...rowOf(key)] : rowOf(key))),
    keys.map(notesOf),
  )
}

function rowOf({ key_id, state, mode, created_at, last_used_at, ...key }: KeyOutput): string[] {
  const all = permissions.every((each) => key.permissions.includes(each))
  const may = key_id === null ? '–' : all ? 'all' : key.permissions.join(', ')
  return [
    key_id ?? 'publishable',
    paintState(state),
    key_id === null ? '–' : mode,
    shortTime(created_at),
    last_used_at === null ? '–' : shortTime(last_used_at),
    may,
  ]
}

function notesOf(key: KeyOutput): string[] {
  const { publishable_key, expires_at, revoked_at, allowed_addresses, allowed_origins } = key
  const is_pair_revoked = key.key_id !== null && key.publishable_key_revoked_at !== null
  return [
    key.name,
    key.fingerprint && `fingerprint ${key.fingerprint}`,
    publishable_key && `${publishable_key}${is_pair_revoked ? ' (revoked)' : ''}`,
    revoked_at ? `revoked at ${shortTime(revoked_at)}` : null,
    expires_at && `${key.state === 'expired' ? 'expired' : 'expires'} at ${shortTime(expires_at)}`,
    allowed_addresses.length > 0 ? `from ${allowed_addresses.join(', ')} alone` : null,
    allowed_origins.length > 0 ? `from pages of ${allowed_origins.join(', ')} alone` : null,
  ].filter((note) => note !== null)
}
