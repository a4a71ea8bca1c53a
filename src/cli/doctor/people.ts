// Checks the people of the dashboard: whether anybody can sign in, where, and whose account nobody uses.

import type { Config } from '../../config/config.ts'
import type { Sql } from '../../database/open.ts'
import { liveMerchantExists } from '../../merchants/store.ts'
import { warned_after_days } from '../../users/keep-users.ts'
import { listUnused } from '../../users/user.ts'
import { countPeople, listWithoutBoth, listWithoutSecondFactor } from './doctor-store.ts'
import { type Check, counted, named, ok, warning } from './finding.ts'

export type PeopleFacts = {
  /** Those who are not disabled. */
  people: number
  operators: number
  /** Addresses of people whom nobody has seen for so long that they will be disabled soon. */
  unused: string[]
  /** Of live merchants: people with a password and neither one-time codes nor a passkey. */
  without_second_factor: string[]
  /** Where RIPPER_SIGN_IN asks for both: people who lack a passkey or a password. */
  without_both: string[]
  has_live_merchant: boolean
  /** RIPPER_DASHBOARD_URL; null where the dashboard shares the service's address. */
  dashboard_url: string | null
  /** RIPPER_BASE_URL; null where it is the address listened on. */
  base_url: string | null
}

export const peopleChecks: Check<PeopleFacts>[] = [
  {
    name: 'Dashboard',
    judge({ dashboard_url, base_url, has_live_merchant }) {
      const address = dashboard_url ?? base_url
      if (address?.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(address)) {
        return warning(
          `nobody can sign in over plain http: ${address}`,
          'Put a proxy with https before it and set RIPPER_DASHBOARD_URL or RIPPER_BASE_URL.',
        )
      }
      if (has_live_merchant && dashboard_url === null) {
        return warning(
          "it shares an origin with the shoppers' pages, and a merchant is live",
          'Give it a host of its own by RIPPER_DASHBOARD_URL, so that a fault in one does not reach the other.',
        )
      }
      return ok(dashboard_url === null ? "at the service's address" : `at ${dashboard_url}/dashboard`)
    },
  },
  {
    name: 'People',
    judge({ people, operators, unused, without_second_factor, without_both }) {
      if (people === 0) {
        return ok('nobody may sign in to the dashboard yet: ripper user link makes a link for the first')
      }
      if (without_second_factor.length > 0) {
        return warning(
          `people of live merchants with a password alone: ${named(without_second_factor)}`,
          'They set up one-time codes or a passkey in My account; until then they see nothing of the merchant.',
        )
      }
      if (without_both.length > 0) {
        return warning(
          `people without a passkey or without a password, and both are asked for: ${named(without_both)}`,
          'They set up what is missing in My account; until then they see nothing of a merchant.',
        )
      }
      if (unused.length > 0) {
        return warning(
          `seen by nobody for long, and soon disabled: ${named(unused)}`,
          'Have them sign in, or run ripper user disable.',
        )
      }
      return ok(`${counted(people, 'account')}, ${counted(operators, 'operator')}`)
    },
  },
]

const day_ms = 24 * 3600_000

/** Reads the facts of the checks of people. */
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
