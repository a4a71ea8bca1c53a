// Reads the facts of the checks of people.

import type { Config } from '../../config/config.ts'
import type { Sql } from '../../database/open.ts'
import { liveMerchantExists } from '../../merchants/store.ts'
import { warned_after_days } from '../../users/keep-users.ts'
import { listUnused } from '../../users/user.ts'
import { countPeople, listWithoutBoth, listWithoutSecondFactor } from './doctor-store.ts'
import type { PeopleFacts } from './people.ts'

const day_ms = 24 * 3600_000

export async function readPeople(
  { dashboard_url, base_url, sign_in }: Config,
  sql: Sql,
  now: Date,
): Promise<PeopleFacts> {
  const since = new Date(now.getTime() - warned_after_days * day_ms)
  const unused = await listUnused(sql, since)
  return {
    ...(await countPeople(sql)),
    unused: unused.map(({ email }) => email),
    without_second_factor: await listWithoutSecondFactor(sql),
    without_both: sign_in === 'passkey_and_password' ? await listWithoutBoth(sql) : [],
    has_live_merchant: await liveMerchantExists(sql),
    dashboard_url,
    base_url,
  }
}
