// POST /v1/checkout/sessions: a merchant's server opens a session for one amount and one shopper.

import { z } from 'zod'
import type { Context } from '../context.ts'
import { Refusal } from '../errors.ts'
import { type SecretKey, secretKey } from '../http/access.ts'
import { route } from '../http/route.ts'
import { admitMerchant } from '../merchants/admit.ts'
import { type Account, defaultIntegration } from '../merchants/directory.ts'
import { confirmationUrlFault, type Integration } from '../merchants/integration.ts'
import { modeOf, readAcquiringProfile } from '../merchants/merchant.ts'
import { type Mode, timestamp } from '../values.ts'
import { clientSecretOf } from './client-secret.ts'
import { priceItems } from './price-check.ts'
import { type SessionCreate, sessionCreate } from './purchase.ts'
import { type Session, secondsLeft, session_life_ms } from './session.ts'
import { mode, time } from './views.ts'

export const sessionCreated = z.object({
  id: z.string(),
  client_secret: z.string(),
  status: z.string(),
  mode,
  amount: z.int(),
  currency: z.string(),
  public_key: z.string(),
  config_url: z.string(),
  created_at: time,
  expires_at: time,
  expires_in_seconds: z.int(),
})

export const createSession = route({
  method: 'POST',
  path: '/v1/checkout/sessions',
  tag: 'Checkout sessions',
  summary: 'Create a checkout session',
  door: secretKey('create_payments'),
  dialect: 'checkout',
  idempotency: 'required',
  body: sessionCreate,
  status: 201,
  reply: sessionCreated,
  refusals: [
    'public_key_missing',
    'card_data_rejected',
    'metadata_too_large',
    'key_live_only',
    'acquiring_profile_incomplete',
  ],
  admit: async (context: Context, key: SecretKey) => {
    if (!key.publishable_key) {
      throw new Refusal(
        'public_key_missing',
        'The secret key has no publishable key paired with it.',
      )
    }
    await admitMerchant(context, key.merchant_id)
  },
  handle: async (context: Context, { body, holder: key, now, recordReply }) => {
    const account = await admitMerchant(context, key.merchant_id)
    const integration = defaultIntegration(account)
    const session = newSession(context, { account, integration, key, body, now })
    const reply = viewCreated(session, clientSecretOf(context.keyring, session.session_id), now)
    await context.writeSession(session, recordReply(reply))
    return reply
  },
})

type Asked = {
  account: Account
  integration: Integration | null
  key: SecretKey
  body: SessionCreate
  now: Date
}

function newSession(context: Context, asked: Asked): Session {
  const { account, integration, key, body, now } = asked
  const items = body.items && body.items.length > 0 ? body.items : null
  // What is wrong with the body is told before what is wrong with the account.
  const confirmation_url = confirmationUrl(body.confirmation_url ?? null, integration)
  return {
    merchant_id: key.merchant_id,
    session_id: context.ids.session(account.merchant.routing),
    mode: modeOrRefuse(asked),
    status: 'requires_payment',
    amount: body.amount,
    currency: body.currency,
    items: items && priceItems(items, integration?.price_list ?? null, body.currency),
    customer: body.customer ?? null,
    metadata: body.metadata ?? {},
    statement_descriptor_suffix: body.statement_descriptor_suffix ?? null,
    order_reference: body.order_reference ?? null,
    confirmation_url,
    integration_id: integration?.integration_id ?? null,
    integration: integration?.name ?? null,
    minted_by: 'server',
    public_key: key.publishable_key,
    // The merchant's own server named the amount: there is nothing more to check it against.
    amount_verified: true,
    amount_verification_source: 'server_minted',
    amount_verification_detail: null,
    attempt_count: 0,
    last_decline: null,
    payment_id: null,
    settlement: null,
    answer_by: null,
    created_at: now,
    expires_at: new Date(now.getTime() + session_life_ms),
  }
}

function modeOrRefuse({ account, integration, key }: Asked): Mode {
  const mode = modeOf({ merchant: account.merchant, integration, key_mode: key.mode })
  if (mode === 'test') {
    if (key.mode !== 'live_only') return mode
    throw new Refusal('key_live_only', 'The key is live-only and this session would be a test one.')
  }
  const profile = readAcquiringProfile(account.merchant.acquiring_profile)
  if ('profile' in profile) return mode
  throw new Refusal(
    'acquiring_profile_incomplete',
    `The account's acquiring profile lacks a valid ${profile.missing.join(', ')}.`,
  )
}

function confirmationUrl(url: string | null, integration: Integration | null): string | null {
  if (url === null) return null
  const fault = confirmationUrlFault(url, integration?.allowed_origins ?? [])
  if (fault === null) return url
  throw new Refusal('invalid_request', `confirmation_url ${fault}.`, { field: 'confirmation_url' })
}

function viewCreated(
  session: Session,
  client_secret: string,
  now: Date,
): z.input<typeof sessionCreated> {
  return {
    id: session.session_id,
    client_secret,
    status: session.status,
    mode: session.mode,
    amount: session.amount,
    currency: session.currency,
    public_key: session.public_key!,
    config_url: `/v1/checkout/config/${session.public_key}`,
    created_at: timestamp(session.created_at),
    expires_at: timestamp(session.expires_at),
    expires_in_seconds: secondsLeft(session, now),
  }
}
