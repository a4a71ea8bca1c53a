// Every request needs accounts, keys and integrations. They are read once and kept in this process. A change anywhere is
// announced on the settings channel and empties the directory. An age limit covers a lost channel.

import { BlockList } from 'node:net'
import type { Database, Sql } from '../database/open.ts'
import type { SecretKey } from '../http/access.ts'
import { likelyRoutings, routingsIn } from '../kernel/ids.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { MerchantId } from '../kernel/values.ts'
import type { Clock } from '../kernel/world.ts'
import type { AccountConnection } from './account-connection.ts'
import { defaultRules, type Integration, type IntegrationRules } from './integration.ts'
import {
  findKeyByHash,
  findPublishableKey,
  newestPublishableKey,
  type PublishableKey,
  type SecretKeyRow,
} from './key-store.ts'
import type { Merchant } from './merchant.ts'
import {
  findConnectedMerchant,
  findMerchantByHandle,
  findMerchantByRouting,
  listAllowedOrigins,
  listIntegrations,
  settings_channel,
} from './store.ts'

export type Account = {
  merchant: Merchant
  integrations: Integration[]
  connections: AccountConnection[]
}

export type Directory = Changes & {
  secretKey(hash: string): Promise<SecretKey | null>
  /** Null if the key is unknown or revoked. */
  publishableKey(key: string): Promise<PublishableKey | null>
  newestPublishableKey(merchant_id: string): Promise<string | null>
  account(merchant_id: string): Promise<Account | null>
  /** The merchant whose routing number is in a session id. */
  merchantIdOfSession(session_id: string): Promise<MerchantId | null>
  /** The merchant whose routing number is in a threeDSServerTransID. */
  merchantIdOfTransaction(server_transaction_id: string): Promise<MerchantId | null>
  /** The merchant that has an integration with this handle. */
  merchantIdOfHandle(handle: string): Promise<MerchantId | null>
  /** The allowed origins of all integrations of the service. */
  allowedOrigins(): Promise<Set<string>>
}

const age_max_ms = 30_000
const entries_max = 10_000

export async function openDirectory(parts: {
  database: Pick<Database, 'sql' | 'listen'>
  clock: Clock
  keyring: Keyring
}): Promise<Directory> {
  const { clock, keyring } = parts
  const { sql } = parts.database
  const cache = keep(clock)
  const changes = await hearChanges(parts.database)
  changes.whenChanged(cache.forget)

  async function ofRoutedId(id: string): Promise<MerchantId | null> {
    // One of them is right. If it is kept, the others need no look-up, which would find nothing each time.
    for (const routing of likelyRoutings(id, keyring)) {
      const cached_id = cache.find<MerchantId>(`routing ${routing}`)
      if (cached_id) return cached_id
    }
    for (const routing of routingsIn(id, keyring)) {
      const merchant_id = await cache.read(`routing ${routing}`, async () => {
        const merchant = await findMerchantByRouting(sql, routing)
        return merchant?.merchant_id ?? null
      })
      if (merchant_id) return merchant_id
    }
    return null
  }

  return {
    secretKey: (hash) =>
      cache.read(`key ${hash}`, async () => {
        const row = await findKeyByHash(sql, Buffer.from(hash, 'hex'))
        return row ? secretKeyOf(row) : null
      }),
    publishableKey: (key) =>
      cache.read(`publishable key ${key}`, async () => {
        // The key's mode may change when a secret key expires. The age limit covers that too.
        return (await findPublishableKey(sql, key, clock.now())) ?? null
      }),
    newestPublishableKey: (merchant_id) =>
      cache.read(`newest key ${merchant_id}`, () => newestPublishableKey(sql, merchant_id)),
    account: (merchant_id) => cache.read(`account ${merchant_id}`, () => findAccount(sql, merchant_id)),
    merchantIdOfSession: ofRoutedId,
    merchantIdOfTransaction: ofRoutedId,
    merchantIdOfHandle: (handle) =>
      cache.read(`handle ${handle}`, async () => {
        const merchant = await findMerchantByHandle(sql, handle)
        return merchant?.merchant_id ?? null
      }),
    allowedOrigins: () => cache.read('allowed origins', async () => new Set(await listAllowedOrigins(sql))),
    ...changes,
  }
}

/** Reads the account as it is now. */
export async function findAccount(sql: Sql, merchant_id: string): Promise<Account | null> {
  const merchant = await findConnectedMerchant(sql, merchant_id)
  return merchant ? { ...merchant, integrations: await listIntegrations(sql, merchant_id) } : null
}

export function defaultIntegration(account: Account): Integration | null {
  return account.integrations.find((integration) => integration.is_default) ?? null
}

/** The rules that a session was created under. A merchant without integrations gets the defaults. */
export function integrationOf(account: Account, integration_id: string | null): IntegrationRules {
  const integration = account.integrations.find((each) => each.integration_id === integration_id)
  return integration ?? defaultRules
}

/**
 * Keeps only values that were found. Missing ones are read again each time, so that strangers cannot fill the memory.
 */
function keep(clock: Clock) {
  let entries = new Map<string, { value: unknown; asked_ms: number }>()
  let questions = new Map<string, Promise<unknown>>()

  async function ask(name: string, find: () => Promise<unknown>): Promise<unknown> {
    const generation = entries
    // The time before the read: if the process pauses during the read, the value is as old as the read.
    const asked_ms = clock.now().getTime()
    const value = await find()
    // A read that began before the directory was emptied may be outdated. Its value is used once but not kept.
    if (value !== null && generation === entries) {
      if (entries.size >= entries_max) entries.clear()
      entries.set(name, { value, asked_ms })
    }
    return value
  }

  /** An entry from the future also counts as old, since the clock was put back after the read. */
  function isYoung({ asked_ms }: { asked_ms: number }): boolean {
    const age_ms = clock.now().getTime() - asked_ms
    return age_ms >= 0 && age_ms < age_max_ms
  }

  /** Null if no recent value is kept. */
  function keptOf<T>(name: string): T | null {
    const entry = entries.get(name)
    return entry && isYoung(entry) ? (entry.value as T) : null
  }

  return {
    find: keptOf,
    async read<T>(name: string, find: () => Promise<T>): Promise<T> {
      const value = keptOf<T>(name)
      if (value !== null) return value
      const running = questions
      let question = running.get(name)
      if (!question) {
        question = ask(name, find).finally(() => running.delete(name))
        running.set(name, question)
      }
      return question as Promise<T>
    },
    forget() {
      entries = new Map()
      questions = new Map()
    },
  }
}

function secretKeyOf(row: SecretKeyRow): SecretKey {
  return {
    ...row,
    merchant_id: row.merchant_id as MerchantId,
    allowed_addresses: row.allowed_addresses.length === 0 ? null : blockListOf(row.allowed_addresses),
  }
}

function blockListOf(networks: string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address, bits] = network.split('/') as [string, string | undefined]
    const family = address.includes(':') ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return list
}

export type Changes = {
  /** Calls the listener after each change, and whenever one may have been missed. */
  whenChanged(listener: () => void): void
  close(): Promise<void>
}

/**
 * Listens for changes to accounts, keys, integrations and connections, so that a process reads its kept values again at
 * once.
 */
export async function hearChanges({ listen }: Pick<Database, 'listen'>): Promise<Changes> {
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  // The channel is opened again after a loss, and announcements in between were missed.
  const close = await listen(settings_channel, { heard: changed, opened: changed })
  return {
    whenChanged(listener) {
      listeners.add(listener)
    },
    close,
  }
}
