// Checkout Sessions of the other platform, read: one, its lines, and a list.

import { z } from 'zod'
import { bearerKey, type SecretKey } from '../../http/access.ts'
import type { ModeRule } from '../../http/only-mode.ts'
import { type Route, route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { idsFrom } from '../../kernel/ids.ts'
import { admitKey } from '../../merchants/admit.ts'
import { checkoutStatuses, type StandingCheckout } from '../../payments/checkout-session.ts'
import {
  findCheckoutMode,
  findCheckoutSession,
  listCheckoutSessions,
} from '../../payments/checkout-sessions/checkout-session-store.ts'
import { checkoutUrl } from '../../payments/checkout-sessions/checkout-url.ts'
import type { Context } from '../../payments/context.ts'
import { must } from '../../payments/fields.ts'
import type { Address } from '../addresses.ts'
import { expandInList, expandOf } from '../expand.ts'
import { explain } from '../faults.ts'
import { expandIntents } from '../intents/expand-intents.ts'
import { viewIntent } from '../intents/intent.ts'
import { findIntents } from '../intents/intent-store.ts'
import { listMembers, noEdge, pageOf, pageRequestOf, queryOf, viewList } from '../lists.ts'
import { checkoutParts } from './checkout-body.ts'
import {
  type CheckoutSessionView,
  checkoutList,
  checkoutSession,
  lineItems,
  lineItemsUrl,
  viewCheckout,
  viewLines,
} from './checkout-session.ts'
import { viewLine } from './sold-line.ts'

type Expand = ReadonlySet<(typeof checkoutParts)[number]> | undefined

const shared = {
  method: 'GET',
  tag: 'Compatible',
  access: bearerKey('read_transactions'),
  dialect: 'compatible',
  explain,
  status: 200,
  refusals: ['resource_not_found'],
  admit: admitKey,
} as const

/** Of the Checkout Session at that address. */
export const checkoutMode: ModeRule = {
  of: (sql, { merchant_id, params }) =>
    findCheckoutMode(sql, { merchant_id, checkout_session_id: params.session_id ?? '' }),
  unknown: noCheckoutSession,
}

/** The addresses of one Checkout Session, or of what is behind it. */
export function oneAt({ path, alias_of }: Address, behind = '') {
  const rest = `/{session_id}${behind}`
  return { path: path + rest, alias_of: alias_of && alias_of + rest }
}

export const readCheckoutAt = (address: Address): Route<Context> =>
  route({
    ...shared,
    ...oneAt(address),
    summary: 'Read a compatible Checkout Session',
    mode: { of: 'reply', unknown: noCheckoutSession },
    query: queryOf({ expand: expandOf(checkoutParts) }),
    reply: checkoutSession,
    unknownId: noCheckoutSession,
    handle: async (context: Context, { holder, params, query, now }) => {
      const checkout = await checkoutSessionOrRefuse(context, { holder, params, now })
      const [view] = await viewCheckoutSessions(context, [checkout], { key: holder, expand: query.expand, now })
      return view!
    },
  })

export const listCheckoutsAt = (address: Address): Route<Context> =>
  route({
    ...shared,
    ...address,
    summary: 'List compatible Checkout Sessions',
    mode: 'handler',
    query: queryOf({
      ...listMembers,
      payment_intent: z.string(must('be text')).min(1, must('not be empty')).optional(),
      status: z.enum(checkoutStatuses, must(`be one of ${checkoutStatuses.join(', ')}`)).optional(),
      expand: expandInList(checkoutParts),
    }),
    reply: checkoutList,
    handle: async (context: Context, { holder, query, now, only_mode: mode }) => {
      const { sql } = context
      const { merchant_id } = holder
      const request = pageRequestOf(query)
      const { direction, limit, edge: edge_id, created_from, created_before } = request
      const edge =
        edge_id === null ? null : await findCheckoutSession(sql, { merchant_id, checkout_session_id: edge_id }, now)
      if (edge === undefined || (edge && mode && edge.mode !== mode)) throw noEdge(request, 'Checkout Session')
      const { status, payment_intent: session_id } = query
      const filters = { merchant_id, mode, status, session_id, created_from, created_before }
      const found = await listCheckoutSessions(sql, filters, { direction, edge, limit: limit + 1, now })
      const ended_at = found.ended_at && idsFrom(found.ended_at)
      const { rows, has_more } = pageOf({ rows: found.rows, ended_at }, request, 'Checkout Session')
      const data = await viewCheckoutSessions(context, rows, { key: holder, expand: query.expand, now })
      return viewList('/v1/checkout/sessions', data, has_more)
    },
  })

export const readLinesAt = (address: Address): Route<Context> =>
  route({
    ...shared,
    ...oneAt(address, '/line_items'),
    summary: 'List the lines of a compatible Checkout Session',
    mode: checkoutMode,
    query: queryOf({
      limit: listMembers.limit,
      starting_after: listMembers.starting_after,
      ending_before: listMembers.ending_before,
    }),
    reply: lineItems,
    unknownId: noCheckoutSession,
    handle: async (context: Context, { holder, params, query, now }) => {
      const checkout = await checkoutSessionOrRefuse(context, { holder, params, now })
      const { checkout_session_id: id, lines } = checkout
      const request = pageRequestOf(query)
      const { edge, direction, limit } = request
      const at = edge === null ? -1 : lines.findIndex(({ line_id }) => line_id === edge)
      if (edge !== null && at === -1) throw noEdge(request, 'line')
      const rest = direction === 'older' ? lines.slice(at + 1) : lines.slice(0, at)
      const page = direction === 'older' ? rest.slice(0, limit) : rest.slice(-limit)
      const data = page.map((line) => viewLine(line, checkout))
      return viewList(lineItemsUrl(id), data, rest.length > page.length)
    },
  })

type One = { holder: SecretKey; params: Record<string, string>; now: Date }

/** Throws `resource_not_found`, for a session of ours, too. */
export async function checkoutSessionOrRefuse(
  context: Context,
  { holder, params, now }: One,
): Promise<StandingCheckout> {
  const key = { merchant_id: holder.merchant_id, checkout_session_id: params.session_id! }
  const checkout = await findCheckoutSession(context.sql, key, now)
  if (!checkout) throw noCheckoutSession()
  return checkout
}

export function noCheckoutSession(): Refusal {
  return new Refusal('resource_not_found', 'There is no Checkout Session with this id.', { field: 'session' })
}

type Asked = { key: Pick<SecretKey, 'merchant_id' | 'permissions'>; expand: Expand; now: Date }

/** Checkout Sessions as a key may see them, with what is expanded of them. */
export async function viewCheckoutSessions(
  context: Context,
  checkouts: StandingCheckout[],
  { key, expand, now }: Asked,
): Promise<CheckoutSessionView[]> {
  const may_send = key.permissions.includes('create_payments')
  const intents = await intentsOf(context, checkouts, { key, expand, now })
  return checkouts.map((checkout) => ({
    ...viewCheckout(checkout, may_send ? checkoutUrl(context, checkout) : null),
    ...(checkout.session_id &&
      intents.has(checkout.session_id) && { payment_intent: intents.get(checkout.session_id)! }),
    ...(expand?.has('line_items') && { line_items: viewLines(checkout) }),
  }))
}

async function intentsOf({ sql }: Context, checkouts: StandingCheckout[], { key, expand, now }: Asked) {
  const has_charge = expand?.has('payment_intent.latest_charge')
  if (!has_charge && !expand?.has('payment_intent')) return new Map()
  const { merchant_id } = key
  const rows = await findIntents(
    sql,
    merchant_id,
    checkouts.flatMap(({ session_id }) => session_id ?? []),
  )
  const intents = await expandIntents(sql, merchant_id, {
    intents: rows.map((row) => viewIntent(row, { now })),
    expand: has_charge ? new Set(['latest_charge'] as const) : undefined,
  })
  return new Map(intents.map((intent) => [intent.id, intent]))
}
