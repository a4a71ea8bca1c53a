// `ripper key create|revoke|list`: secret keys of merchants' servers, and the publishable keys of their pages.

import { z } from 'zod'
import { isNetwork } from '../config/config.ts'
import { permissions } from '../http/access.ts'
import { origin, shownName } from '../merchants/change-integration.ts'
import { type KeySummary, listKeys } from '../merchants/key-store.ts'
import { createKey, withdrawKey, withdrawPublishableKey } from '../merchants/manage.ts'
import { realClock } from '../outgoing/real-world.ts'
import { everyMerchantOption, merchantNamed, withCommandContext } from './command-context.ts'
import { UsageError } from './terminal/command.ts'
import { command, flag, needed, option, time, withDefault } from './terminal/option.ts'
import { hasNo, ofMerchants, paintState, print, printJson, printList, shortTime } from './terminal/print.ts'

const network = z.string().refine(isNetwork, 'must be an IP address or a CIDR network, such as 10.0.0.0/8')
const later = time.refine((at) => at > realClock().now(), 'lies in the past')

export const keyCreate = command({
  name: 'key create',
  summary: 'Makes a secret key, which is shown this once',
  options: {
    merchant: needed(option('ID', 'the merchant')),
    name: option('NAME', 'what uses it, for people', shownName),
    permission: withDefault(
      option('NAME', `one of ${permissions.join(', ')}; all by default`, z.array(z.enum(permissions))),
      [...permissions],
    ),
    mode: withDefault(option(null, 'which sessions it may make', z.enum(['any', 'test_only', 'live_only'])), 'any'),
    'expires-at': option('TIME', 'ISO 8601', later),
    'allow-address': withDefault(option('CIDR', 'addresses it may be used from', z.array(network)), []),
    'allow-origin': withDefault(option('URL', 'origins it may be used from', z.array(origin)), []),
    'no-publishable-key': flag('do not pair it with a publishable key'),
  },
  async run({ options, json }) {
    const wish = {
      name: options.name ?? null,
      permissions: options.permission,
      mode: options.mode,
      expires_at: options['expires-at'] ?? null,
      allowed_addresses: options['allow-address'],
      allowed_origins: options['allow-origin'],
      pair: !options['no-publishable-key'],
    }
    const { secret_key, key } = await withCommandContext((context) => createKey(context, options.merchant, wish))
    const { key_id, publishable_key, mode } = key
    print({ key_id, secret_key, publishable_key, permissions: key.permissions, mode }, json)
  },
})

export const keyRevoke = command({
  name: 'key revoke',
  summary: 'Revokes a secret key, or a publishable key (rip_pk_…), for every process at once',
  positionals: ['KEY_ID'],
  options: {},
  async run({ positionals, json }) {
    const [id] = positionals as [string]
    if (id.startsWith('rip_sk_')) throw new UsageError('takes the key_id (key_…) of a secret key')
    if (id.startsWith('rip_pk_')) {
      const { publishable_key, revoked_at } = await withCommandContext((each) => withdrawPublishableKey(each, id))
      print({ publishable_key, revoked_at }, json)
      return
    }
    const key = await withCommandContext((context) => withdrawKey(context, id))
    print({ key_id: key.key_id, revoked_at: key.revoked_at }, json)
  },
})

export const keyList = command({
  name: 'key list',
  summary: 'Lists the keys of a merchant, or of all, oldest first; no secret key is shown',
  options: { merchant: everyMerchantOption, all: flag('those that ended, too') },
  remarks: [
    'A row is a secret key with its publishable key. A publishable key by itself has no key id. ripper key revoke takes\n' +
      'either.',
    'fingerprint: how the SHA-256 of the secret key begins, to find the row of one that has leaked:\n' +
      "printf %s 'rip_sk_…' | sha256sum | cut -c1-8",
    'used: when the service was last asked by the key, to within an hour.',
  ],
  async run({ options: { merchant, all }, json }) {
    const { merchant_id, keys } = await withCommandContext(async ({ sql, clock }) => {
      const merchant_id = await merchantNamed(sql, merchant)
      const rows = await listKeys(sql, merchant_id)
      return { merchant_id, keys: rows.map((key) => viewKey(key, clock.now())) }
    })
    const listedKeys = keys.filter(({ state }) => all || state === 'usable')
    const ended = keys.length > 0 ? '--all lists those that ended; ' : ''
    if (json) printJson({ merchant_id, keys: listedKeys })
    else {
      printList(listedKeys, {
        ...ofMerchants(merchant_id, { headings, cells }),
        notes,
        nothing: `${hasNo('key that can be used', merchant_id)}. ${ended}ripper key create makes one.`,
      })
    }
  },
})

/** For a publishable key by itself, these are its own properties. */
function viewKey(key: KeySummary, now: Date) {
  const { key_id, merchant_id, name, fingerprint, publishable_key, mode } = key
  const { allowed_addresses, allowed_origins, made_by } = key
  const revoked_at = key_id === null ? key.publishable_key_revoked_at : key.revoked_at
  const has_expired = key.expires_at !== null && key.expires_at <= now
  return {
    key_id,
    merchant_id,
    name,
    fingerprint,
    publishable_key,
    state: revoked_at !== null ? 'revoked' : has_expired ? 'expired' : 'usable',
    permissions: key.permissions,
    mode,
    allowed_addresses,
    allowed_origins,
    created_at: key.created_at,
    last_used_at: key.last_used_at,
    made_by,
    expires_at: key.expires_at,
    revoked_at,
    publishable_key_revoked_at: key.publishable_key_revoked_at,
  }
}

type KeyOutput = ReturnType<typeof viewKey>

const headings = ['key', 'state', 'mode', 'created', 'used', 'permissions']

function cells({ key_id, state, mode, created_at, last_used_at, ...key }: KeyOutput): string[] {
  const all = permissions.every((each) => key.permissions.includes(each))
  const may = key_id === null ? '–' : all ? 'all' : key.permissions.join(', ')
  const of_key = [key_id ?? 'publishable', paintState(state), key_id === null ? '–' : mode]
  return [...of_key, shortTime(created_at), shortTime(last_used_at), may]
}

function notes(key: KeyOutput) {
  const { publishable_key, expires_at, revoked_at, allowed_addresses, allowed_origins } = key
  const is_pair_revoked = key.key_id !== null && key.publishable_key_revoked_at !== null
  return [
    key.name,
    key.fingerprint && `fingerprint ${key.fingerprint}`,
    publishable_key && `${publishable_key}${is_pair_revoked ? ' (revoked)' : ''}`,
    revoked_at && `revoked at ${shortTime(revoked_at)}`,
    expires_at && `${key.state === 'expired' ? 'expired' : 'expires'} at ${shortTime(expires_at)}`,
    allowed_addresses.length > 0 && `from ${allowed_addresses.join(', ')} alone`,
    allowed_origins.length > 0 && `from pages of ${allowed_origins.join(', ')} alone`,
  ]
}
