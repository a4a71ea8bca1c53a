// `ripper key list`: the keys of merchants, and which of them can be used. It cannot show secret keys, of which only hashes are stored.

import { permissions } from '../../http/access.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { type KeySummary, listKeys } from '../../merchants/key-store.ts'
import { merchantOrRefuse } from '../../merchants/manage.ts'
import { everyMerchantOption, text, withCommandContext } from '../command-context.ts'
import type { Command } from '../terminal/command.ts'
import { paintState } from '../terminal/paint.ts'
import { printJson, printLine, printTable, shortTime } from '../terminal/print.ts'

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
