// Our own 3-D Secure pages. Each nests the bank's page in a frame, so that a shop's page never frames a bank's host; opened in
// full, the challenge page hands over to it. They are plain forms that a script submits: without a script the shopper presses Continue.

import { cellOf } from '../../database/cells/cells.ts'
import type { Sql } from '../../database/open.ts'
import type { Page, PageAnswer } from '../../http/pages.ts'
import { languageFor } from '../../kernel/words.ts'
import { sessionOrigins } from '../../merchants/public-account.ts'
import { readSessionData } from '../../three-ds/emv/browser-messages.ts'
import { type PageKind, readPageToken } from '../cards/page-token.ts'
import { completeMethod, findCard, openMethod } from '../cards/vault-store.ts'
import type { Context } from '../context.ts'
import type { Session } from '../session.ts'
import { findSession } from '../sessions/session-store.ts'
import { attemptAt } from '../three-ds-states.ts'
import { findAttempt } from './attempt-store.ts'
import { fetchAtReturn } from './fetch-result.ts'
import {
  answeredNotice,
  backTo,
  challengeDocument,
  doneNotice,
  type Frame,
  methodFrame,
  notice,
} from './framed-page.ts'

/** GET: the page the card fields open in a hidden frame; it nests the bank's 3DS Method. */
export const methodPage: Page<Context> = {
  method: 'GET',
  path: '/3ds/method/{token}',
  handle: async (context, { params, caller }) => {
    const subject = await named(context, 'method', params.token!)
    const key = subject && { merchant_id: subject.merchant_id, card_reference: subject.subject }
    const card = key && (await findCard(subject.sql, key))
    const provider = card && context.threeDsOf(card.mode, card.three_ds_provider)
    if (!card?.method_url || !provider) return noLongerNeeded(context, subject)
    await openMethod(subject.sql, key, context.world.clock.now(), caller.header('accept') ?? '*/*')
    const form = provider.methodForm({
      server_transaction_id: card.server_transaction_id,
      method_url: card.method_url,
      notification_url: `${context.addresses.base_url()}/3ds/method/${params.token}/done`,
    })
    const language = languageFor(null, caller.header('accept-language'))
    return methodFrame({ form, frame: await frameOf(context, subject!), language })
  },
}

/** POST by the bank's 3DS Method page: it has finished. */
export const methodNotification: Page<Context> = {
  method: 'POST',
  path: '/3ds/method/{token}/done',
  body_kind: 'form',
  handle: async (context, request) => {
    const subject = await named(context, 'method', request.params.token!)
    const key = subject && { merchant_id: subject.merchant_id, card_reference: subject.subject }
    const card = key && (await findCard(subject.sql, key))
    const provider = card && context.threeDsOf(card.mode, card.three_ds_provider)
    const transaction = provider?.readMethodNotification(request.fields)
    if (card && sameId(transaction, card.server_transaction_id)) {
      await completeMethod(subject.sql, key, context.world.clock.now())
    }
    return notice(200, 'Done.', await framingOriginsOf(context, subject))
  },
}

/**
 * GET: the page that a checkout shows the shopper; it nests the bank's challenge. A reload posts the same CReq again.
 * Opened in full, with `return_url`, it makes way for the bank's page, and the bank's answer leads back to the shop.
 */
export const challengePage: Page<Context> = {
  method: 'GET',
  path: '/3ds/challenge/{token}',
  handle: async (context, request) => {
    const { params, caller } = request
    const subject = await named(context, 'challenge', params.token!)
    const attemptRow = subject && (await findAttempt(subject.sql, subject.merchant_id, subject.subject))
    if (!subject || !attemptRow) return noLongerNeeded(context, subject)
    const attempt = attemptAt(attemptRow, context.world.clock.now())
    const language = languageFor(null, caller.header('accept-language'))
    const frame = await frameOf(context, subject, request.query.get('return_url'))
    const provider = context.threeDsOf(subject.session.mode, attempt.three_ds_provider)
    if (attempt.three_ds_state !== 'awaiting_challenge' || !provider) {
      return answeredNotice({ frame, language })
    }
    const form = provider.challengeForm({
      version: attempt.three_ds_version!,
      acs_url: attempt.acs_url!,
      server_transaction_id: attempt.server_transaction_id,
      acs_transaction_id: attempt.acs_transaction_id!,
      window_size: attempt.window_size,
    })
    return challengeDocument({ form, frame, language })
  },
}

/**
 * POST by the bank's challenge page: the shopper is done there. Only the RReq carries the result; where that is fetched, now is
 * the time to ask.
 */
export const challengeNotification: Page<Context> = {
  method: 'POST',
  path: '/3ds/challenge/{token}/result',
  body_kind: 'form',
  handle: async (context, request) => {
    const subject = await named(context, 'challenge', request.params.token!)
    if (!subject) return noLongerNeeded(context, subject)
    const { mode } = subject.session
    const { request_id, fields, caller } = request
    const attempt = await findAttempt(subject.sql, subject.merchant_id, subject.subject)
    const provider = attempt && context.threeDsOf(mode, attempt.three_ds_provider)
    const transaction = provider?.readChallengeNotification(fields)
    if (!attempt || !sameId(transaction, attempt.server_transaction_id)) {
      context.world.log.warn({ attempt_id: subject.subject }, 'the bank ended a challenge without a valid CRes')
    }
    if (attempt) await fetchAtReturn({ ...context, sql: subject.sql }, { mode, attempt, request_id })
    const frame = await frameOf(context, subject, readSessionData(fields))
    const language = languageFor(null, caller.header('accept-language'))
    return doneNotice('Thank you. You can return to the shop.', { frame, language })
  },
}

/** What a page's address names: one of our sessions, and the card or attempt in it; and the pool that reaches them. */
type PageSubject = {
  session: Session
  merchant_id: Session['merchant_id']
  subject: string
  sql: Sql
}

async function named(context: Context, kind: PageKind, token: string): Promise<PageSubject | null> {
  const page = readPageToken(context.keyring, kind, token)
  const merchant_id = page && (await context.directory.merchantIdOfSession(page.session_id))
  if (!merchant_id) return null
  const sql = await cellOf(context.sql, merchant_id)
  const session = await findSession(sql, { merchant_id, session_id: page.session_id })
  return session ? { session, merchant_id, subject: page.subject, sql } : null
}

/** Whose pages may frame ours, and where a page that is opened in full leads back to. */
async function frameOf(context: Context, { session }: PageSubject, return_url: string | null = null): Promise<Frame> {
  const account = await context.directory.account(session.merchant_id)
  const shop = account ? sessionOrigins(context.addresses, account, session.integration_id) : []
  const service = new URL(context.addresses.base_url()).origin
  const origins = [...new Set([service, ...shop])]
  return { origins, service, back: return_url === null ? null : backTo(return_url, origins) }
}

/** The card may be used up before its page comes: a frame of the shop's still gets an answer that it may show. */
async function noLongerNeeded(context: Context, subject: PageSubject | null): Promise<PageAnswer> {
  return notice(404, 'This page is no longer needed.', await framingOriginsOf(context, subject))
}

async function framingOriginsOf(context: Context, subject: PageSubject | null): Promise<string[]> {
  return subject ? (await frameOf(context, subject)).origins : []
}

function sameId(a: string | null | undefined, b: string): boolean {
  return typeof a === 'string' && a.toLowerCase() === b.toLowerCase()
}
