// Integrations at the dashboard: the list, a new one, changes, and the end of one.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import {
  changeIntegration,
  deleted,
  integrationChange,
  type RulesFault,
  rulesFault,
} from '../../merchants/change-integration.ts'
import {
  appearanceRules,
  defaultRules,
  type HoldRules,
  hold_rules,
  holdRulesOf,
  type Integration,
  priceView,
  viewPrice,
} from '../../merchants/integration.ts'
import { createIntegration } from '../../merchants/manage.ts'
import { findMerchantOfIntegration, listIntegrations } from '../../merchants/store.ts'
import { judgedBy, type Member, notThere, permissionDenied } from '../../users/member.ts'
import { signedIn } from '../../users/signed-in.ts'
import { officeOf } from '../office.ts'

// Its rules may capture what nobody has looked at, and its origins say whose pages may take payments.
const changing = signedIn('manage_integrations', { gravity: 'grave_if_live', mode: 'merchant' })
const shared = { tag: 'Dashboard', dialect: 'dashboard' as const, access: changing }

const integrationView = z.object({
  integration_id: z.string(),
  name: z.string(),
  is_default: z.boolean(),
  is_hosted_page: z.boolean(),
  handle: z.string().nullable(),
  /** The hosted page, for the integration that has it. */
  hosted_page_url: z.string().nullable(),
  mode_setting: z.enum(['auto', 'test']),
  allowed_origins: z.array(z.string()),
  confirmation_url: z.string().nullable(),
  default_amount: z.int().nullable(),
  default_currency: z.string().nullable(),
  price_list: z.array(priceView).nullable(),
  require_verified_amount: z.boolean(),
  order_reference_metadata_key: z.string().nullable(),
  on_3ds_unavailable: z.enum(['proceed', 'decline']),
  review_window_seconds: z.int(),
  at_deadline: z.enum(['void', 'capture']),
  escalate_after_seconds: z.int().nullable(),
  capture_below: z.int().nullable(),
  capture: z.enum(['automatic', 'manual']),
  test_connections: z.array(z.string()),
  appearance: appearanceRules.nullable(),
  terms_url: z.string().nullable(),
  support_url: z.string().nullable(),
  back_url: z.string().nullable(),
  created_at: z.string(),
  deleted_at: z.string().nullable(),
})

export const listIntegrationsHere = route({
  where: 'whole',
  ...shared,
  method: 'GET',
  path: '/dashboard/api/{merchant_id}/integrations',
  summary: 'The integrations of the merchant',
  access: signedIn('manage_integrations'),
  status: 200,
  reply: z.object({ integrations: z.array(integrationView) }),
  refusals: [],
  handle: async ({ sql, addresses }: Context, { holder }) => {
    const found = await listIntegrations(sql, holder.merchant_id)
    const kept = found.filter(({ deleted_at }) => deleted_at === null)
    return { integrations: kept.map((each) => viewIntegration(each, addresses.pay_url())) }
  },
})

export const createIntegrationHere = route({
  where: 'whole',
  ...shared,
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/integrations',
  summary: 'Make an integration; a role that it takes is taken from the one that has it',
  body: integrationChange.required({ name: true }),
  body_kind: 'list',
  status: 201,
  reply: integrationView,
  refusals: [],
  handle: async (context: Context, { holder, body, request_id }) => {
    const rules = { ...defaultRules, ...definedIn(body) }
    refuse(rulesFault(rules))
    const nothing = { ...defaultRules, mode_setting: rules.mode_setting }
    const member = judgedBy(holder, (now) => judgeHoldRules(now, nothing, rules))
    const office = officeOf(context, member, request_id)
    const asked = { ...definedIn(body), name: body.name }
    const { integration } = await createIntegration(office, holder.merchant_id, asked, {
      take: ['is_default', 'is_hosted_page'],
    }).catch(refuseTaken)
    return viewIntegration(integration, context.addresses.pay_url())
  },
})

export const changeIntegrationHere = route({
  where: 'whole',
  ...shared,
  method: 'POST',
  path: '/dashboard/api/{merchant_id}/integrations/{integration_id}',
  summary: 'Change an integration: only the members that are sent',
  body: integrationChange,
  body_kind: 'list',
  status: 200,
  reply: integrationView,
  refusals: [],
  handle: async (context: Context, { holder, params, body, request_id }) => {
    const id = await ownOrRefuse(context, holder.merchant_id, params.integration_id!)
    const decide = (before: Integration, member: Member): Integration => {
      const after = { ...before, ...definedIn(body) }
      refuse(rulesFault(after))
      judgeHoldRules(member, before, after)
      return after
    }
    const office = officeOf(context, holder, request_id)
    const { integration } = await changeIntegration(office, id, decide, {
      take: ['is_default', 'is_hosted_page'],
    }).catch(refuseTaken)
    return viewIntegration(integration, context.addresses.pay_url())
  },
})

export const deleteIntegrationHere = route({
  where: 'whole',
  ...shared,
  method: 'DELETE',
  path: '/dashboard/api/{merchant_id}/integrations/{integration_id}',
  summary: 'Delete an integration that is not the default; its sessions and payments go on',
  status: 204,
  reply: z.null(),
  refusals: ['invalid_request'],
  handle: async (context: Context, { holder, params, now, request_id }) => {
    const id = await ownOrRefuse(context, holder.merchant_id, params.integration_id!)
    await changeIntegration(officeOf(context, holder, request_id), id, (before) => {
      if (!before.is_default) return deleted(before, now)
      const field = 'integration_id'
      const words = `${field} is the default one: make another integration the default one first.`
      throw new Refusal('invalid_request', words, { field, fault: 'is_default' })
    })
    return null
  },
})

type Rules = HoldRules & Pick<Integration, 'mode_setting'>

/**
 * Rules decide the holds of a live merchant's sessions, so they are changed only by whoever may decide those. They are free while an
 * integration is for tests, so others bring it there, and back, by the default rules alone: none that was chosen is lost on the
 * way, and none that was tried goes live.
 */
function judgeHoldRules({ can, mode }: Pick<Member, 'can' | 'mode'>, before: Rules, after: Rules): void {
  const is_for_tests = before.mode_setting === 'test' && after.mode_setting === 'test'
  if (mode === 'test' || is_for_tests || can('decide_holds', 'live')) return
  const [known, live] = [holdRulesOf(before, 'live'), holdRulesOf(after, 'live')]
  const isChanged = (rule: keyof HoldRules) => after[rule] !== known[rule] || live[rule] !== known[rule]
  if (hold_rules.some(isChanged)) throw permissionDenied('decide_holds')
}

/** An integration never changes its merchant. */
async function ownOrRefuse(
  { sql }: Pick<Context, 'sql'>,
  merchant_id: string,
  integration_id: string,
): Promise<string> {
  if ((await findMerchantOfIntegration(sql, integration_id)) === merchant_id) return integration_id
  throw notThere()
}

/** The members that were sent. */
function definedIn(body: z.output<typeof integrationChange>): Partial<Integration> {
  const sent = Object.entries(body).filter(([, value]) => value !== undefined)
  return Object.fromEntries(sent) as Partial<Integration>
}

function refuse(fault: RulesFault | null): void {
  if (fault === null) return
  const { words, ...named } = fault
  throw new Refusal('invalid_request', `${named.field} ${words}.`, named)
}

/** A name or handle that another integration has is a unique violation. */
function refuseTaken(error: unknown): never {
  const { code, constraint = '' } = error as { code?: string; constraint?: string }
  if (code !== '23505') throw error
  const field = constraint.includes('handle') ? 'handle' : 'name'
  const words = `${field} is another integration's already.`
  throw new Refusal('invalid_request', words, { field, fault: 'taken' })
}

function viewIntegration(
  { merchant_id: _, created_at, deleted_at, appearance, price_list, ...rules }: Integration,
  pay_url: string,
): z.input<typeof integrationView> {
  const { is_hosted_page, handle } = rules
  return {
    ...rules,
    hosted_page_url: is_hosted_page && handle !== null ? `${pay_url}/${handle}` : null,
    price_list: price_list?.map(viewPrice) ?? null,
    appearance: appearance as z.input<typeof appearanceRules> | null,
    created_at: timestamp(created_at),
    deleted_at: timestampOrNull(deleted_at),
  }
}
