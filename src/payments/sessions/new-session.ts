// A new session, for every kind of creator: its mode, its row, its journal line, and the answer to the create.

import { z } from 'zod'
import { type Actor, type JournalLine, journalLine } from '../../audit/journal.ts'
import type { SecretKey } from '../../http/access.ts'
import { Refusal } from '../../kernel/errors.ts'
import { type Mode, timestamp } from '../../kernel/values.ts'
import {
  type ConnectionKind,
  connection_kinds,
  testConnection,
  usableConnection,
} from '../../merchants/account-connection.ts'
import type { Account } from '../../merchants/directory.ts'
import { confirmationUrlFault, type Integration } from '../../merchants/integration.ts'
import { modeOf, readAcquiringProfile } from '../../merchants/merchant.ts'
import type { Context } from '../context.ts'
import { type Item, sessionCreate } from '../purchase.ts'
import { type AmountVerificationSource, type Session, secondsLeft, session_life_ms } from '../session.ts'
import { mode, time } from '../views.ts'
import { clientSecretOf } from './client-secret.ts'
import { verified_sources } from './price-check.ts'

export const sessionCreated = z
  .object({
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
  .meta({ title: 'CheckoutSessionCreated', note: 'A new session. Only here it has its client_secret.' })

/** The owner of the new session, and the publishable key with which its checkout will load it. */
export type Place = {
  account: Account
  integration: Integration | null
  public_key: string
  key_mode: SecretKey['mode']
}

/** The purchase of a create, with its price known. The body's members are also columns of the session. */
export type Purchase = Omit<z.output<typeof sessionCreate>, 'items'> & { items: Item[] | null }

/** Only a session that no page will load has no publishable key. */
type Create = Pick<Place, 'account' | 'integration'> & {
  public_key: string | null
  purchase: Purchase
  mode: Mode
  minted_by: 'server' | 'client'
  verification: { source: AmountVerificationSource; detail: string | null }
  now: Date
}

/** A new session's row, not inserted yet. */
export function newSession(context: Context, create: Create): Session {
  const { account, integration, purchase, verification, now } = create
  return {
    merchant_id: account.merchant.merchant_id,
    session_id: context.ids.session(account.merchant.routing, now),
    mode: create.mode,
    status: 'requires_payment',
    ...columnsOf(purchase),
    metadata: purchase.metadata ?? {},
    checkout_session_id: null,
    payment_link_id: null,
    integration_id: integration?.integration_id ?? null,
    integration: integration?.name ?? null,
    minted_by: create.minted_by,
    public_key: create.public_key,
    amount_verified: verified_sources.includes(verification.source),
    amount_verification_source: verification.source,
    amount_verification_detail: verification.detail,
    attempt_count: 0,
    last_decline: null,
    payment_id: null,
    settlement: null,
    answer_by: null,
    created_at: now,
    expires_at: new Date(now.getTime() + session_life_ms),
    cancellation: null,
  }
}

const members = Object.keys(sessionCreate.shape) as (keyof Purchase)[]

/** The columns with the same names; null for those that were not sent. */
function columnsOf(purchase: Purchase): Pick<Session, keyof Purchase> {
  const columns = members.map((name) => [name, purchase[name] ?? null])
  return Object.fromEntries(columns) as Pick<Session, keyof Purchase>
}

/** The session's journal line: which key created it, the amount, and what the amount was checked against. */
export function sessionLine(
  { ids }: Pick<Context, 'ids'>,
  session: Session,
  cause: { actor: Actor; request_id: string },
): JournalLine {
  const { merchant_id, session_id, mode, amount, currency, created_at } = session
  const { amount_verification_source } = session
  return journalLine(ids, {
    merchant_id,
    session_id,
    subject: session_id,
    change: 'session.created',
    detail: { mode, amount, currency, amount_verification_source },
    ...cause,
    at: created_at,
  })
}

/** The mode of a session created here. Throws `key_live_only` or `acquiring_profile_incomplete`. */
export function modeOrRefuse({ account, integration, key_mode }: Omit<Place, 'public_key'>): Mode {
  const mode = modeOf({ merchant: account.merchant, integration, key_mode })
  if (mode === 'test') {
    if (key_mode === 'live_only') {
      throw new Refusal('key_live_only', 'The key is live-only and this session would be a test one.')
    }
    const isUsable = (kind: ConnectionKind, rules: Integration) => testConnection(account, kind, rules) !== 'unusable'
    if (!integration || connection_kinds.every((kind) => isUsable(kind, integration))) return mode
    throw new Refusal(
      'acquiring_profile_incomplete',
      `The integration ${integration.name} names a test connection that cannot be used.`,
    )
  }
  const profile = readAcquiringProfile(account.merchant.acquiring_profile)
  const fault =
    'missing' in profile
      ? `lacks a valid ${profile.missing.join(', ')}`
      : usableConnection(account, 'acquirer', profile.profile.acquirer)
        ? null
        : 'names no acquirer connection that can be used'
  if (fault === null) return mode
  throw new Refusal('acquiring_profile_incomplete', `The account's acquiring profile ${fault}.`)
}

/** Throws `invalid_request` if shoppers may not be sent to this address after paying. */
export function judgeConfirmationUrl(url: string | null | undefined, integration: Integration | null): void {
  if (url === null || url === undefined) return
  const fault = confirmationUrlFault(url, integration?.allowed_origins ?? [])
  if (fault === null) return
  throw new Refusal('invalid_request', `confirmation_url ${fault.words}.`, {
    field: 'confirmation_url',
  })
}

/** The answer to a create: the only one that carries the client secret. */
export function viewCreated(context: Context, session: Session, now: Date): z.input<typeof sessionCreated> {
  return {
    id: session.session_id,
    client_secret: clientSecretOf(context.keyring, session.session_id),
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
