// Changing and deleting integrations. A deleted one stays: sessions that were made with it end under its rules.

import type { AnySql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import { integrationChangeLines } from './account-lines.ts'
import type { Integration } from './integration.ts'
import type { Office } from './manage.ts'
import {
  findMerchantOfIntegration,
  lockIntegrations,
  type Role,
  type RoleLoser,
  takeRoles,
  tell,
  updateIntegration,
} from './store.ts'

export type ChangedIntegration = { integration: Integration; losers: RoleLoser[] }

/**
 * Changes an integration into what `decide` makes of it, which may throw. The roles in `take` are taken from the integrations
 * that have them. Throws `resource_not_found`; a role, name or handle that another has is a unique violation.
 */
export async function changeIntegration(
  office: Office,
  integrationId: string,
  decide: (before: Integration) => Integration,
  { take = [] }: { take?: Role[] } = {},
): Promise<ChangedIntegration> {
  return locked(office, integrationId, async (tx, before) => {
    const integration = decide(before)
    const lines = integrationChangeLines(office, [before, integration], office.clock.now())
    if (lines === null) return { integration, losers: [] }
    const taken = take.filter((role) => integration[role] && !before[role])
    const losers = await takeRoles(tx, integration, lines.loses, taken)
    await updateIntegration(tx, integration, lines.changed)
    return { integration, losers }
  })
}

/** What a deleted integration is called: its name and handle are free for others. */
export function deleted(before: Integration, at: Date): Integration {
  return {
    ...before,
    name: `${before.name} (deleted ${before.integration_id})`,
    is_default: false,
    is_hosted_page: false,
    handle: null,
    deleted_at: at,
  }
}

/** Puts the origin of this start of the service in the place of that of the start before, null where it is not known. */
export async function moveOrigin(
  office: Office,
  integrationId: string,
  { from, to }: { from: string | null; to: string },
): Promise<void> {
  await changeIntegration(office, integrationId, (before) => {
    const { allowed_origins } = before
    if (allowed_origins.includes(to)) return before
    const others = allowed_origins.filter((origin) => origin !== from)
    return { ...before, allowed_origins: [...others, to] }
  })
}

/** Runs work on one that is not deleted, all of its merchant's locked, and tells every process. */
async function locked<Result>(
  { sql }: Office,
  integrationId: string,
  work: (tx: AnySql, before: Integration) => Promise<Result>,
): Promise<Result> {
  const merchantId = await findMerchantOfIntegration(sql, integrationId)
  if (merchantId === undefined) throw notFound(integrationId)
  return sql.begin(async (tx) => {
    const all = await lockIntegrations(tx, merchantId)
    const before = all.find(({ integration_id }) => integration_id === integrationId)
    if (!before || before.deleted_at !== null) throw notFound(integrationId)
    const result = await work(tx, before)
    await tell(tx, merchantId)
    return result
  }) as Promise<Result>
}

function notFound(integrationId: string): Refusal {
  return new Refusal('resource_not_found', `There is no integration ${integrationId}.`)
}
