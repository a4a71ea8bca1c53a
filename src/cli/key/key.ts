// `ripper key create|revoke`: secret keys of merchants' servers, and the publishable keys of their pages.

import { type Permission, permissions } from '../../http/access.ts'
import { timestamp } from '../../kernel/values.ts'
import { isOrigin } from '../../merchants/integration.ts'
import { createKey, withdrawKey, withdrawPublishableKey } from '../../merchants/manage.ts'
import { realClock } from '../../outgoing/real-world.ts'
import { choice, choices, list, nameOf, networks, text, time, withCommandContext } from '../command-context.ts'
import { type Command, type Options, UsageError } from '../terminal/command.ts'
import { print } from '../terminal/print.ts'

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
