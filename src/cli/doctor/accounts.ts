// Checks accounts: live merchants that lack something, keys that end, and the demo merchant's file.

import type { Config } from '../../config/config.ts'
import type { Connection } from '../../connections/connection.ts'
import { listConnections } from '../../connections/connection-store.ts'
import { connectors } from '../../connections/connectors.ts'
import type { Sql } from '../../database/open.ts'
import { hashOfKey } from '../../http/access.ts'
import { type ConnectionKind, usableConnection } from '../../merchants/account-connection.ts'
import { findKeyByHash } from '../../merchants/key-store.ts'
import { type Merchant, readAcquiringProfile } from '../../merchants/merchant.ts'
import { testConnectionsFault } from '../../merchants/test-connections.ts'
import { type Demo, readDemo } from '../../service/demo.ts'
import {
  countMerchants,
  listEndingKeys,
  listLiveMerchants,
  listTesting,
  listWithoutPair,
  type TestingIntegration,
} from './doctor-store.ts'
import { type Check, counted, named, ok, problem, warning } from './finding.ts'

export type AccountFacts = {
  merchants: { active: number; suspended: number }
  /** A start makes the demo merchant by itself where the database is embedded. */
  is_embedded: boolean
  /** The active live merchants. */
  live_merchants: {
    merchant_id: string
    /** What its acquiring profile lacks. */
    missing: string[]
    /** What the profile names and new payments cannot use: `acquirer main, which is disabled`. */
    unusable: string[]
    has_three_ds: boolean
  }[]
  /** Integrations with a test connection that cannot be used: `web of m_…: trial, which is disabled`. */
  unusable_tests: string[]
  /** Whether any integration names a test connection. */
  has_test_connections: boolean
  /** Keys that are not revoked, but end soon or ended lately. */
  ending_keys: { key_id: string; expires_at: Date }[]
  /** Merchants whose secret keys may create payments, but none of which has a publishable key. */
  without_pair: string[]
  /** Why the keys of demo.json are useless; null if they are useful, or if there is no such file. */
  demo_fault: string | null
  base_url: string | null
  pay_url: string | null
  has_directory_servers: boolean
  /** The value of RIPPER_SIMULATOR. */
  simulator: 'on' | 'off'
  now: Date
}

export const accountChecks: Check<AccountFacts>[] = [
  {
    name: 'Merchants',
    judge({ merchants: { active, suspended }, is_embedded }) {
      if (active + suspended === 0) {
        const start = is_embedded ? 'Start the service' : 'Start the service by ripper serve --demo'
        return warning(
          'there is none',
          `${start} for the demo merchant, or make one of your own: ripper merchant create.`,
        )
      }
      return ok(`${active} active, ${suspended} suspended`)
    },
  },
  {
    name: 'Live payments',
    judge({ live_merchants, has_directory_servers, is_embedded }) {
      if (live_merchants.length === 0) return ok('no merchant is live')
      const lacking = live_merchants.filter(({ missing }) => missing.length > 0)
      if (lacking.length > 0) {
        const words = lacking.map(({ merchant_id, missing }) => `${merchant_id} (${missing.join(', ')})`)
        return problem(
          `live without a complete acquiring profile: ${named(words)}`,
          'Run ripper merchant update ID --acquiring-profile FILE.json. Until then their live sessions are refused.',
        )
      }
      const unusable = live_merchants.filter((each) => each.unusable.length > 0)
      if (unusable.length > 0) {
        const words = unusable.map((each) => `${each.merchant_id} (${each.unusable.join(', ')})`)
        return problem(
          `acquiring profiles name connections that cannot be used: ${named(words)}`,
          'ripper connection list shows what there is, ripper connection create makes one; correct the profile.',
        )
      }
      const without = live_merchants.filter(({ has_three_ds }) => !has_three_ds)
      if (has_directory_servers || without.length === 0) {
        const counts_text = counted(live_merchants.length, 'live merchant')
        if (!is_embedded) return ok(counts_text)
        return warning(
          `${counts_text} on the embedded database, which has no copy elsewhere`,
          'Bring it along to a PostgreSQL of your own: "From the embedded database to your own" in docs/operations/backup.md.',
        )
      }
      return warning(
        `3-D Secure is unavailable to live payments of ${named(without.map(({ merchant_id }) => merchant_id))}`,
        'Name a 3-D Secure connection in their acquiring profiles, or set RIPPER_THREE_DS_FILE.',
      )
    },
  },
  {
    name: 'Test connections',
    judge({ unusable_tests, has_test_connections, simulator }) {
      if (!has_test_connections) return ok('no integration has one')
      if (unusable_tests.length > 0) {
        return problem(
          `integrations send their test sessions to what cannot be used: ${named(unusable_tests)}`,
          'Their test sessions are refused: ripper integration update ID --test-connection LABEL, or --clear test-connection.',
        )
      }
      if (simulator === 'on') return ok('those that integrations name can be used')
      return warning(
        'integrations name test connections, but the simulated bank that authenticates their test sessions does not run',
        'Set RIPPER_SIMULATOR=on.',
      )
    },
  },
  { name: 'Test mode', judge: ({ simulator }) => ok(simulator === 'off' ? 'off, as RIPPER_SIMULATOR asks' : 'on') },
  {
    name: 'Public address',
    judge({ live_merchants, base_url, pay_url }) {
      const insecure = [
        ['RIPPER_BASE_URL', base_url] as const,
        // If it is not set, it follows the other.
        ...(pay_url === null ? [] : [['RIPPER_PAY_URL', pay_url] as const]),
      ].filter(([, url]) => !url?.startsWith('https:'))
      if (live_merchants.length === 0 || insecure.length === 0) {
        return ok(base_url ?? 'the address listened on')
      }
      return problem(
        `there are live merchants, and ${insecure.map(([name, url]) => `${name} is ${url ?? 'not set'}`).join(', ')}`,
        'Set it to the https address that shoppers reach, because cards must not go over http.',
      )
    },
  },
  {
    name: 'Secret keys',
    judge({ ending_keys, without_pair, now }) {
      const ended = ending_keys.filter(({ expires_at }) => expires_at <= now)
      const ending = ending_keys.filter(({ expires_at }) => expires_at > now)
      const findings = [
        ended.length > 0 && `expired: ${named(ended.map(({ key_id }) => key_id))}`,
        ending.length > 0 && `expires soon: ${named(ending.map(endOf))}`,
        without_pair.length > 0 &&
          `no secret key has a publishable key, so none can create sessions: ${named(without_pair)}`,
      ].filter((each) => each !== false)
      if (findings.length === 0) return ok('none ends within 14 days')
      return warning(
        findings.join('; '),
        'ripper key create makes another with its publishable key; ripper key revoke ends one that nobody needs.',
      )
    },
  },
  {
    name: 'Demo merchant',
    judge({ demo_fault }) {
      if (demo_fault === null) return ok('its keys work, or there is none')
      return warning(demo_fault, 'Remove demo.json and start the service: it makes new keys.')
    },
  },
]

function endOf({ key_id, expires_at }: AccountFacts['ending_keys'][0]): string {
  return `${key_id} on ${expires_at.toISOString().slice(0, 10)}`
}

const days_ms = 24 * 3600 * 1000
const soon_ms = 14 * days_ms

/** Reads the facts for the checks of accounts. */
export async function readAccounts(config: Config, sql: Sql, now: Date): Promise<AccountFacts> {
  const [from, until] = [new Date(now.getTime() - soon_ms), new Date(now.getTime() + soon_ms)]
  const live = await listLiveMerchants(sql)
  const connections = await listConnections(sql, null)
  return {
    merchants: await countMerchants(sql),
    is_embedded: config.database_url === null,
    live_merchants: live.map((merchant) => judgeMerchant(merchant, connections)),
    ...testConnectionsIn(await listTesting(sql), connections),
    ending_keys: await listEndingKeys(sql, { from, until }),
    without_pair: await listWithoutPair(sql, now),
    demo_fault: await demoFault(sql, readDemo(config.data_dir), now),
    base_url: config.base_url,
    pay_url: config.pay_url,
    has_directory_servers: config.three_ds !== null,
    simulator: config.simulator,
    now,
  }
}

function testConnectionsIn(
  integrations: TestingIntegration[],
  all: Connection[],
): Pick<AccountFacts, 'unusable_tests' | 'has_test_connections'> {
  const unusable_tests = integrations.flatMap(({ merchant_id, name, test_connections }) => {
    const own = all.filter((each) => each.merchant_id === merchant_id)
    const fault = testConnectionsFault(own, test_connections)
    return fault === null ? [] : [`${name} of ${merchant_id}: ${fault}`]
  })
  return { unusable_tests, has_test_connections: integrations.length > 0 }
}

function judgeMerchant(
  { merchant_id, acquiring_profile }: Pick<Merchant, 'merchant_id' | 'acquiring_profile'>,
  all: Connection[],
): AccountFacts['live_merchants'][0] {
  const acquiringProfile = readAcquiringProfile(acquiring_profile)
  if ('missing' in acquiringProfile) {
    return { merchant_id, missing: acquiringProfile.missing, unusable: [], has_three_ds: false }
  }
  const { acquirer, fallback_acquirer, three_ds, acquirer_bin, acquirer_merchant_id } = acquiringProfile.profile
  const connections = all.filter((each) => each.merchant_id === merchant_id)
  const faultOf = (kind: ConnectionKind, label: string) =>
    usableConnection({ connections }, kind, label)
      ? []
      : [
          `${kind} ${label}, ${stateWords(
            connections.find((each) => each.label === label),
            kind,
          )}`,
        ]
  const provider = usableConnection({ connections }, 'three_ds', three_ds)
  const connector = provider && connectors.find(({ name }) => name === provider.connector)
  const lacking = Object.entries({ acquirer_bin, acquirer_merchant_id }).flatMap(([name, value]) =>
    connector?.needs_acquirer_ids && value === undefined ? [name] : [],
  )
  return {
    merchant_id,
    missing: [],
    has_three_ds: connector?.openThreeDs !== undefined,
    unusable: [
      ...faultOf('acquirer', acquirer),
      ...(fallback_acquirer === undefined ? [] : faultOf('acquirer', fallback_acquirer)),
      ...(fallback_acquirer === acquirer ? [`acquirer ${acquirer}, which is its own fallback`] : []),
      ...(three_ds === undefined ? [] : faultOf('three_ds', three_ds)),
      ...(lacking.length > 0 ? [`three_ds ${three_ds}, without ${lacking.join(' and ')}`] : []),
    ],
  }
}

function stateWords(connection: Connection | undefined, kind: ConnectionKind): string {
  if (!connection) return 'which is missing'
  if (connection.kind !== kind) return `which is of the kind ${connection.kind}`
  return connection.state === 'disabled' ? 'which is disabled' : `of mode ${connection.mode}`
}

async function demoFault(sql: Sql, demo: Demo | null, now: Date): Promise<string | null> {
  if (demo === null) return null
  const key = await findKeyByHash(sql, hashOfKey(demo.secret_key))
  if (key?.merchant_id !== demo.merchant_id) return 'demo.json belongs to another database'
  const has_ended = key.expires_at !== null && key.expires_at <= now
  if (key.revoked_at !== null || has_ended) return 'the secret key in demo.json has ended'
  // A key whose publishable key was revoked comes without it.
  if (key.publishable_key === demo.publishable_key) return null
  return 'the publishable key in demo.json was revoked'
}
