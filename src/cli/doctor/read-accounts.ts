// Reads what the checks of accounts judge.

import { liveAcquirers } from '../../acquirers/open.ts'
import type { Config } from '../../config/config.ts'
import type { Sql } from '../../database/open.ts'
import { hashOfKey } from '../../http/access.ts'
import { findKeyByHash } from '../../merchants/key-store.ts'
import { readAcquiringProfile } from '../../merchants/merchant.ts'
import { type Demo, readDemo } from '../../service/demo.ts'
import type { AccountFacts } from './accounts.ts'
import {
  countMerchants,
  listEndingKeys,
  listLiveMerchants,
  listWithoutPair,
} from './doctor-store.ts'

const days_ms = 24 * 3600 * 1000
const soon_ms = 14 * days_ms

export async function readAccounts(config: Config, sql: Sql, now: Date): Promise<AccountFacts> {
  const [from, until] = [new Date(now.getTime() - soon_ms), new Date(now.getTime() + soon_ms)]
  const live = await listLiveMerchants(sql)
  return {
    merchants: await countMerchants(sql),
    live_merchants: live.map(({ merchant_id, acquiring_profile }) => {
      const read = readAcquiringProfile(acquiring_profile)
      return 'profile' in read
        ? { merchant_id, missing: [], acquirer: read.profile.acquirer }
        : { merchant_id, missing: read.missing, acquirer: null }
    }),
    live_acquirers: Object.keys(liveAcquirers),
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

async function demoFault(sql: Sql, demo: Demo | null, now: Date): Promise<string | null> {
  if (demo === null) return null
  const key = await findKeyByHash(sql, hashOfKey(demo.secret_key))
  if (key?.merchant_id !== demo.merchant_id) return 'demo.json is of another database'
  const has_ended = key.expires_at !== null && key.expires_at <= now
  if (key.revoked_at !== null || has_ended) return 'the secret key in demo.json has ended'
  // It comes without a publishable key that was revoked.
  if (key.publishable_key === demo.publishable_key) return null
  return 'the publishable key in demo.json was revoked'
}
