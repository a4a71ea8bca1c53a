// POST /v1/payment_links: a merchant makes an address by which shoppers pay one amount.

import { z } from 'zod'
import type { Sql } from '../../database/open.ts'
import { secretKey } from '../../http/access.ts'
import { currency } from '../../http/currency.ts'
import type { KeyRow } from '../../http/idempotency.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/ids.ts'
import type { Mode } from '../../kernel/values.ts'
import type { Clock } from '../../kernel/world.ts'
import { accountLine, type LineWriter, writerOf } from '../../merchants/account-lines.ts'
import { admitKey, admitMerchant } from '../../merchants/admit.ts'
import { type Account, defaultIntegration } from '../../merchants/directory.ts'
import { newestPublishableKey } from '../../merchants/key-store.ts'
import { ownDefault } from '../../merchants/own-default.ts'
import { writeAs } from '../../merchants/write-as.ts'
import type { Context } from '../context.ts'
import { amount as amountRule, moment, oneLine, reference, wholeNumber } from '../fields.ts'
import { max_payments_max, type PaymentLink, paymentLinkView, viewLink } from '../payment-link.ts'
import { items } from '../purchase.ts'
import { modeOrRefuse } from '../sessions/new-session.ts'
import { priceBasket } from '../sessions/price-check.ts'
import { insertLink } from './link-store.ts'
import { type AddressContext, linkUrl } from './link-url.ts'

export const linkCreate = z
  .strictObject({
    amount: amountRule,
    currency,
    items: items.nullish(),
    order_reference: reference.nullish(),
    description: oneLine(255).nullish().meta({ description: 'what is paid for; the page shows it' }),
    expires_at: moment
      .nullish()
      .meta({ format: 'date-time', description: 'within five years; never where it is left out' }),
    max_payments: wholeNumber(1, max_payments_max).nullish().meta({ description: 'any number where it is left out' }),
  })
  .meta({ title: 'PaymentLinkCreate', note: 'The body that makes a payment link.' })

export const linkRefusals = [
  'public_key_missing',
  'card_data_rejected',
  'key_live_only',
  'acquiring_profile_incomplete',
] as const

type KeyMode = 'any' | 'test_only' | 'live_only'

export const createPaymentLink = linkRecord(linkCreate, (holder) => (holder as unknown as { mode: KeyMode }).mode)

/** `keyModeOf` makes of a holder and a body in which modes a link may be. */
export function linkRecord<Wish extends z.ZodType<z.output<typeof linkCreate>>>(
  wish: Wish,
  keyModeOf: (holder: object, body: z.output<Wish>) => KeyMode,
) {
  return route({
    method: 'POST',
    path: '/v1/payment_links',
    tag: 'Payment links',
    summary: 'Create a payment link',
    access: secretKey('create_payments'),
    mode: 'handler',
    dialect: 'checkout',
    idempotency: 'required',
    body: wish,
    body_kind: 'basket',
    status: 201,
    reply: paymentLinkView,
    refusals: linkRefusals,
    admit: admitKey,
    handle: async (context: Context, { body, holder, request_id, now, recordReply }) => {
      const account = await admitMerchant(context, holder.merchant_id)
      const request = { account, key_mode: keyModeOf(holder, body), wish: body, now }
      const writer = writerOf(context, { holder, request_id })
      return createLink({ ...context, clock: context.world.clock }, request, writer, recordReply)
    },
  })
}

const life_max_ms = 5 * 366 * 24 * 3600 * 1000

function isInReach(at: Date, now: Date): boolean {
  const ahead_ms = at.getTime() - now.getTime()
  return ahead_ms > 0 && ahead_ms <= life_max_ms
}

type LinkContext = AddressContext & { sql: Sql; ids: Ids; clock: Clock }

type LinkRequest = { account: Account; key_mode: KeyMode; wish: z.output<typeof linkCreate>; now: Date }

/** Throws a refusal if the account does not allow it, or KeyTakenError. */
export async function createLink(
  context: LinkContext,
  { account, key_mode, wish, now }: LinkRequest,
  writer: LineWriter,
  recordReply: (reply: z.input<typeof paymentLinkView>) => KeyRow | null,
): Promise<z.input<typeof paymentLinkView>> {
  const { merchant_id, routing } = account.merchant
  if (wish.expires_at && !isInReach(wish.expires_at, now)) {
    throw new Refusal('invalid_request', 'expires_at must be in the future, within five years.', {
      field: 'expires_at',
    })
  }
  if (!(await newestPublishableKey(context.sql, merchant_id))) {
    throw new Refusal('public_key_missing', 'The account has no publishable key, which the page of a link needs.')
  }
  // Its sessions are of the default integration.
  const integration = defaultIntegration(account) ?? (await ownDefault({ ...writer, ...context }, account))
  const mode: Mode = modeOrRefuse({ account, integration, key_mode })
  const lines = wish.items && wish.items.length > 0 ? wish.items : null
  const link: PaymentLink = {
    merchant_id,
    payment_link_id: context.ids.paymentLink(routing, now),
    proof: context.ids.paymentLinkProof(),
    mode,
    amount: wish.amount,
    currency: wish.currency,
    items: lines && priceBasket(lines, { list: integration.price_list, currency: wish.currency, sent_by: 'server' }),
    order_reference: wish.order_reference ?? null,
    description: wish.description ?? null,
    max_payments: wish.max_payments ?? null,
    created_at: now,
    expires_at: wish.expires_at ?? null,
    disabled_at: null,
  }
  const { payment_link_id, amount, currency, max_payments } = link
  const reply = viewLink({ ...link, payments_count: 0 }, linkUrl(context, link), now)
  const line = accountLine(writer, {
    merchant_id,
    subject: payment_link_id,
    change: 'payment_link.created',
    detail: { mode, amount, currency, max_payments },
    at: now,
  })
  const key = recordReply(reply)
  await writeAs(context.sql, writer, (sql) => insertLink(sql, { link, key, line }))
  return reply
}
