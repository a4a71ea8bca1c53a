// POST …/card_references: takes the card from our card fields and returns a reference for one session. No other route
// receives card numbers.

import { z } from 'zod'
import { type Card, CardError, readCard } from '../../cards/card.ts'
import { sealCard } from '../../cards/vault.ts'
import { clientSecret } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { Refusal } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/values.ts'
import { connection_kinds, testConnection } from '../../merchants/account-connection.ts'
import { admitMerchant } from '../../merchants/admit.ts'
import { type Account, integrationOf } from '../../merchants/directory.ts'
import { ProviderUnavailable } from '../../three-ds/three-ds.ts'
import type { Context } from '../context.ts'
import { must, nullIfEmpty, wholeNumber } from '../fields.ts'
import { limitCardReferences } from '../limits/card-testing.ts'
import { refuseUnlessOpen, type Session, sessionConflicts } from '../session.ts'
import { findSession } from '../sessions/session-store.ts'
import { type Provider, providerForNew } from '../three-ds-provider.ts'
import { time } from '../views.ts'
import { pageToken } from './page-token.ts'
import { insertCard } from './vault-store.ts'

const reference_life_ms = 15 * 60 * 1000

const typedCard = z
  .strictObject({
    number: z.string(must('be text')).max(40, must('be a card number')),
    exp_month: wholeNumber(1, 12),
    exp_year: wholeNumber(2000, 2100),
    cvc: z.string(must('be text')).max(10, must('be a security code')),
    cardholder_name: z
      .string(must('be text'))
      .max(200, must('be a name'))
      .transform(nullIfEmpty)
      .nullish()
      .meta({ description: 'at most 45 characters, no control characters, no card number' }),
  })
  .meta({ title: 'CardReferenceCreate', note: 'A card, as the card fields send it.' })

const cardReferenced = z
  .object({
    card_reference: z.string(),
    brand: z.string(),
    last4: z.string(),
    exp_month: z.int(),
    exp_year: z.int(),
    expires_at: time,
    three_ds_method: z.object({ url: z.string() }).nullable(),
  })
  .meta({ title: 'CardReference', note: 'A reference to a card, for one session.' })

export const referenceCard = route({
  method: 'POST',
  path: '/v1/checkout/sessions/{session_id}/card_references',
  tag: 'In the browser',
  summary: 'Exchange a card for a one-session reference',
  access: clientSecret,
  dialect: 'checkout',
  body: typedCard,
  status: 201,
  reply: cardReferenced,
  refusals: ['merchant_not_active', ...sessionConflicts, 'rate_limit_exceeded'],
  handle: async (context: Context, { body, holder, caller, now }) => {
    const account = await admitMerchant(context, holder.merchant_id)
    const session = await findSession(context.sql, holder)
    if (!session) throw new Refusal('unauthorized', 'The client secret is not one of this session.')
    refuseUnlessOpen(session, now)
    const entry = { session, address: caller.address, now }
    const sandbox_numbers = sandboxNumbers(context, account, session)
    const card = await cardOrRefuse(context, body, { ...entry, sandbox_numbers })
    const reference = context.ids.card(now)
    const identity = {
      merchant_id: session.merchant_id,
      card_reference: reference,
      mode: session.mode,
    }
    const { sealed_number, sealed_security_code, fingerprint } = sealCard(context.keyring, identity, card)
    await limitCardReferences(context, { ...entry, fingerprint })
    const provider = providerForNew(context, account, session)
    const enrolment = provider && (await enrolmentOf(provider, card))
    const { number: _number, cvc: _cvc, ...view } = card
    const row = {
      ...identity,
      ...view,
      session_id: session.session_id,
      fingerprint,
      sealed_number,
      three_ds_version: enrolment?.version ?? null,
      method_url: enrolment?.method_url ?? null,
      server_transaction_id:
        enrolment?.transaction?.server_transaction_id ?? context.ids.serverTransaction(account.merchant.routing, now),
      three_ds_provider: provider?.name ?? null,
      transaction_usable_until: enrolment?.transaction?.usable_until ?? null,
      accept_header: caller.header('accept') ?? '*/*',
      method_opened_at: null,
      method_completed_at: null,
      created_at: now,
      expires_at: new Date(now.getTime() + reference_life_ms),
    }
    await insertCard(context.sql, row, sealed_security_code)
    const token = pageToken(context.keyring, 'method', {
      session_id: session.session_id,
      subject: reference,
    })
    return {
      card_reference: reference,
      brand: card.brand,
      last4: card.last4,
      exp_month: card.exp_month,
      exp_year: card.exp_year,
      expires_at: timestamp(row.expires_at),
      three_ds_method: row.method_url ? { url: `${context.addresses.base_url()}/3ds/method/${token}` } : null,
    }
  },
})

type CardTry = { session: Session; address: string; now: Date }

/** The numbers that the session takes beside the test cards: those that its vendors publish for their sandboxes. */
function sandboxNumbers(context: Context, account: Account, { mode, integration_id }: Session): readonly string[] {
  if (mode !== 'test') return []
  const rules = integrationOf(account, integration_id)
  return connection_kinds.flatMap((kind) => {
    const connection = testConnection(account, kind, rules)
    return connection && connection !== 'unusable' ? context.sandboxNumbers(connection.connector) : []
  })
}

/** A refused number counts like an accepted one, so that nobody tries numbers for free. */
async function cardOrRefuse(
  context: Context,
  typed: z.output<typeof typedCard>,
  { sandbox_numbers, ...entry }: CardTry & { sandbox_numbers: readonly string[] },
) {
  try {
    return readCard(typed, { mode: entry.session.mode, sandbox_numbers, now: entry.now })
  } catch (error) {
    if (!(error instanceof CardError)) throw error
    await limitCardReferences(context, { ...entry, fingerprint: null })
    throw new Refusal('invalid_request', `${error.field}: ${error.message}`, { field: error.field })
  }
}

/** The provider's answer about the card. If it cannot be asked now, authenticate asks again. */
async function enrolmentOf({ threeDs }: Provider, card: Card) {
  try {
    const enrolment = await threeDs.enrolment(card)
    return enrolment.enrolled ? enrolment : null
  } catch (error) {
    if (error instanceof ProviderUnavailable) return null
    throw error
  }
}
