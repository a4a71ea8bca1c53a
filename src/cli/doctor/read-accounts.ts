// Reads the facts for the checks of accounts.

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
import type { AccountFacts } from './accounts.ts'
import {
  countMerchants,
  listEndingKeys,
  listLiveMerchants,
  listTesting,
  listWithoutPair,
  type TestingIntegration,
} from './doctor-store.ts'

const days_ms = 24 * 3600 * 1000
const soon_ms = 14 * days_ms

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
  const read = readAcquiringProfile(acquiring_profile)
  if ('missing' in read) {
    return { merchant_id, missing: read.missing, unusable: [], has_three_ds: false }
  }
  const { acquirer, fallback_acquirer, three_ds, acquirer_bin, acquirer_merchant_id } = read.profile
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

function stateWords(named: Connection | undefined, kind: ConnectionKind): string {
  if (!named) return 'which is missing'
  if (named.kind !== kind) return `which is of the kind ${named.kind}`
  return named.state === 'disabled' ? 'which is disabled' : `of mode ${named.mode}`
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
