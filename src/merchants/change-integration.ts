// Changing and deleting integrations. A deleted integration's row stays, because its sessions still follow its rules.

import type { AnySql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import { integrationChangeLines } from './account-lines.ts'
import type { Integration } from './integration.ts'
import type { ManageContext } from './manage.ts'
import {
  assignRoles,
  findMerchantOfIntegration,
  lockIntegrations,
  notifyOfChange,
  type Role,
  type RoleTransfer,
  updateIntegration,
} from './store.ts'
import { judgeTestConnections } from './test-connections.ts'
import { beginAs, type VerdictOf } from './write-as.ts'

export type IntegrationUpdate = { integration: Integration; losers: RoleTransfer[] }

/**
 * Replaces an integration by the result of `decide`, which may throw; `verdict` is that of the writer's judge. The roles in `take`
 * are taken from the integrations that have them. Throws `resource_not_found`, or `invalid_request` for a connection that test
 * sessions cannot use; a role, name or handle that another integration has is a unique violation.
 */
export async function changeIntegration<Writing extends ManageContext>(
  context: Writing,
  integration_id: string,
  decide: (before: Integration, verdict: VerdictOf<Writing>) => Integration,
  { take = [] }: { take?: Role[] } = {},
): Promise<IntegrationUpdate> {
  return locked(context, integration_id, async (tx, before, verdict) => {
    const integration = decide(before, verdict)
    const lines = integrationChangeLines(context, [before, integration], context.clock.now())
    if (lines === null) return { integration, losers: [] }
    if (!isSame(before.test_connections, integration.test_connections)) {
      await judgeTestConnections(tx, integration)
    }
    const taken = take.filter((role) => integration[role] && !before[role])
    const losers = await assignRoles(tx, integration, lines.loses, taken)
    await updateIntegration(tx, integration, lines.changed)
    return { integration, losers }
  })
}

/** The integration as deleted. Its name and handle become free for others. */
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

/** Replaces the origin of the service's previous start by the current one. `null` means that the previous origin is unknown. */
export async function moveOrigin(
  context: ManageContext,
  integration_id: string,
  { from, to }: { from: string | null; to: string },
): Promise<void> {
  await changeIntegration(context, integration_id, (before) => {
    const { allowed_origins } = before
    if (allowed_origins.includes(to)) return before
    const others = allowed_origins.filter((origin) => origin !== from)
    return { ...before, allowed_origins: [...others, to] }
  })
}

/** Locks all of the merchant's integrations, runs the work on one that is not deleted, and notifies every process. */
async function locked<Result, Writing extends ManageContext>(
  context: Writing,
  integration_id: string,
  work: (tx: AnySql, before: Integration, verdict: VerdictOf<Writing>) => Promise<Result>,
): Promise<Result> {
  const { sql } = context
  const merchant_id = await findMerchantOfIntegration(sql, integration_id)
  if (merchant_id === undefined) throw notFound(integration_id)
  return beginAs(sql, context, async (tx, verdict) => {
    const all = await lockIntegrations(tx, merchant_id)
    const before = all.find((each) => each.integration_id === integration_id)
    if (!before || before.deleted_at !== null) throw notFound(integration_id)
    const result = await work(tx, before, verdict)
    await notifyOfChange(tx, merchant_id)
    return result
  })
}

function isSame(some: string[], others: string[]): boolean {
  return some.join() === others.join()
}

function notFound(integration_id: string): Refusal {
  return new Refusal('resource_not_found', `There is no integration ${integration_id}.`)
}
