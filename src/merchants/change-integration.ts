// Changing and deleting integrations: which values are allowed, and which exclude others. A deleted integration's row stays, because its sessions still follow its rules.

import { z } from 'zod'
import type { AnySql } from '../database/open.ts'
import { currency } from '../http/currency.ts'
import { withFault } from '../http/validate.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Fault } from '../kernel/field-rules.ts'
import { amount_max, unshown } from '../kernel/values.ts'
import { integrationChangeLines } from './account-lines.ts'
import {
  appearanceRules,
  confirmationUrlFault,
  type Integration,
  type IntegrationRules,
  isOrigin,
  priceList,
} from './integration.ts'
import { linkFault } from './links.ts'
import type { ManageContext } from './manage.ts'
import {
  assignRoles,
  findMerchantOfIntegration,
  type IntegrationRole,
  lockIntegrations,
  notifyOfChange,
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
  { take = [] }: { take?: IntegrationRole[] } = {},
): Promise<IntegrationUpdate> {
  return locked(context, integration_id, async (tx, before, verdict) => {
    const integration = decide(before, verdict)
    const lines = integrationChangeLines(context, [before, integration], context.clock.now())
    if (lines === null) return { integration, losers: [] }
    if (!isSame(before.test_connections, integration.test_connections)) {
      await judgeTestConnections(tx, integration)
    }
    const takenRoles = take.filter((role) => integration[role] && !before[role])
    const losers = await assignRoles(tx, integration, lines.loses, takenRoles)
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

/** Hardly any authorisation lives this long. */
export const review_window_max = 30 * 24 * 3600
/** If the pay address has no path, handles stand beside these paths. */
const taken_paths = ['docs', 'healthz', 'readyz', 'metrics', 'dashboard']
const taken_words = `must not be one of ${taken_paths.join(', ')}, which are pages of the service`
const origin_words = 'must be scheme, host and port alone, such as https://shop.example; http only for localhost'

export const origin = z.string().refine(isOrigin, origin_words)

const seconds = z.int().min(1).max(review_window_max)
const amount = z.int().min(1).max(amount_max)
const link = z
  .string()
  .superRefine((url, context) => {
    const words = linkFault(url)
    if (words === null) return
    const { error: message, params } = withFault('web_address', words)
    context.addIssue({ code: 'custom', message, params })
  })
  .nullable()

const name_words = 'must have 1 to 100 characters, and none that controls text or turns it round'

/** A name that people give to something. */
export const shownName = z
  .string(name_words)
  .trim()
  .min(1, name_words)
  .max(100, name_words)
  .refine((name) => !unshown.test(name), name_words)

/** Each member may be left out. */
export const integrationChange = z
  .strictObject({
    name: shownName,
    is_default: z.literal(true),
    is_hosted_page: z.boolean(),
    handle: z
      .string()
      .regex(/^[a-z0-9-]{3,64}$/, 'must have 3 to 64 characters of a-z, 0-9 and -')
      .refine((handle) => !taken_paths.includes(handle), withFault('reserved', taken_words))
      .nullable(),
    mode_setting: z.enum(['auto', 'test']),
    allowed_origins: z.array(origin).max(100),
    confirmation_url: z.string().max(2000).nullable(),
    default_amount: amount.nullable(),
    default_currency: currency.nullable(),
    price_list: priceList.nullable(),
    require_verified_amount: z.boolean(),
    order_reference_metadata_key: z.string().min(1).max(100).nullable(),
    on_3ds_unavailable: z.enum(['proceed', 'decline']),
    review_window_seconds: seconds,
    at_deadline: z.enum(['void', 'capture']),
    escalate_after_seconds: seconds.nullable(),
    capture_below: amount.nullable(),
    capture: z.enum(['automatic', 'manual']),
    /** Labels of connections of mode `sandbox`. The code that stores them checks that they exist. */
    test_connections: z.array(z.string().max(64)).max(2),
    appearance: appearanceRules.nullable(),
    terms_url: link,
    support_url: link,
    back_url: link,
  })
  .partial()

export type RulesFault = { field: keyof IntegrationRules; words: string; fault?: Fault }

/** Which rules of an integration contradict each other; null if none do. */
export function rulesFault(rules: IntegrationRules): RulesFault | null {
  const { is_hosted_page, handle, default_amount, default_currency, confirmation_url } = rules
  const { escalate_after_seconds, review_window_seconds, allowed_origins } = rules
  if (is_hosted_page && handle === null) {
    return { field: 'handle', words: 'is needed for the hosted page', fault: 'needs_handle' }
  }
  if (default_amount !== null && default_currency === null) {
    const words = 'is needed beside default_amount'
    return { field: 'default_currency', words, fault: 'needs_currency' }
  }
  if (escalate_after_seconds !== null && escalate_after_seconds >= review_window_seconds) {
    const words = `must be below review_window_seconds, which is ${review_window_seconds}`
    return { field: 'escalate_after_seconds', words, fault: 'after_the_window' }
  }
  if (confirmation_url === null) return null
  const fault = confirmationUrlFault(confirmation_url, allowed_origins, { is_setting: true })
  return fault && { field: 'confirmation_url', ...fault }
}
