// Our own 3-D Secure pages. Each nests the bank's page in a frame, so that a shop's page never frames a bank's host.
// They are plain forms that a script merely submits: without a script the shopper presses Continue.

import { createHash } from 'node:crypto'
import type { Context } from '../context.ts'
import { escapeHtml } from '../html.ts'
import type { Page, PageAnswer } from '../http/pages.ts'
import { integrationOf } from '../merchants/directory.ts'
import type { Form } from '../three-ds/three-ds.ts'
import { attemptAt } from './attempt.ts'
import { type PageKind, readPageToken } from './page-token.ts'
import type { Session } from './session.ts'
import { findAttempt, findSession } from './store.ts'
import { completeMethod, findCard, openMethod } from './vault-store.ts'

/** GET: the page the card fields open in a hidden frame; it nests the bank's 3DS Method. */
export const methodPage: Page<Context> = {
  method: 'GET',
  path: '/3ds/method/{token}',
  handle: async (context, { params, caller }) => {
    const found = await named(context, 'method', params.token!)
    const key = found && { merchant_id: found.merchant_id, card_reference: found.subject }
    const card = key && (await findCard(context.sql, key))
    const provider = card && context.three_ds[card.mode]
    if (!card?.method_url || !provider) return notice(404, 'This page is no longer needed.')
    await openMethod(context.sql, key!, context.world.clock.now(), caller.header('accept') ?? '*/*')
    const form = provider.methodForm({
      server_transaction_id: card.server_transaction_id,
      method_url: card.method_url,
      notification_url: `${context.addresses.base_url()}/3ds/method/${params.token}/done`,
    })
    return framed({
      title: 'Checking the card',
      form,
      ancestors: await ancestorsOf(context, found!),
      hidden: true,
    })
  },
}

/** POST by the bank's 3DS Method page: it has finished. */
export const methodNotification: Page<Context> = {
  method: 'POST',
  path: '/3ds/method/{token}/done',
  handle: async (context, { params, fields }) => {
    const found = await named(context, 'method', params.token!)
    const key = found && { merchant_id: found.merchant_id, card_reference: found.subject }
    const card = key && (await findCard(context.sql, key))
    const transaction = card && context.three_ds[card.mode]?.readMethodNotification(fields)
    if (card && sameId(transaction, card.server_transaction_id)) {
      await completeMethod(context.sql, key!, context.world.clock.now())
    }
    return notice(200, 'Done.', found ? await ancestorsOf(context, found) : undefined)
  },
}

/** GET: the page that a checkout shows the shopper; it nests the bank's challenge. A reload posts the same CReq again. */
export const challengePage: Page<Context> = {
  method: 'GET',
  path: '/3ds/challenge/{token}',
  handle: async (context, { params }) => {
    const found = await named(context, 'challenge', params.token!)
    const stored = found && (await findAttempt(context.sql, found.merchant_id, found.subject))
    if (!found || !stored) return notice(404, 'This page is no longer needed.')
    const attempt = attemptAt(stored, context.world.clock.now())
    const ancestors = await ancestorsOf(context, found)
    const provider = context.three_ds[found.session.mode]
    if (attempt.three_ds_state !== 'awaiting_challenge' || !provider) {
      return notice(200, 'Your bank has answered. You can return to the shop.', ancestors)
    }
    const form = provider.challengeForm({
      version: attempt.three_ds_version!,
      acs_url: attempt.acs_url!,
      server_transaction_id: attempt.server_transaction_id,
      acs_transaction_id: attempt.acs_transaction_id!,
      window_size: attempt.window_size,
    })
    return framed({ title: 'Confirm your payment with your bank', form, ancestors, hidden: false })
  },
}

/** POST by the bank's challenge page: the shopper is done there. What came of it the RReq alone says. */
export const challengeNotification: Page<Context> = {
  method: 'POST',
  path: '/3ds/challenge/{token}/result',
  handle: async (context, { params, fields }) => {
    const found = await named(context, 'challenge', params.token!)
    if (!found) return notice(404, 'This page is no longer needed.')
    const attempt = await findAttempt(context.sql, found.merchant_id, found.subject)
    const transaction = context.three_ds[found.session.mode]?.readChallengeNotification(fields)
    if (!attempt || !sameId(transaction, attempt.server_transaction_id)) {
      context.world.log.warn(
        { attempt_id: found.subject },
        'the bank ended a challenge without a valid CRes',
      )
    }
    return notice(200, 'Thank you. You can return to the shop.', await ancestorsOf(context, found))
  },
}

/** What a page's address names: one of our sessions, and the card or attempt in it. */
type Named = { session: Session; merchant_id: Session['merchant_id']; subject: string }

async function named(context: Context, kind: PageKind, token: string): Promise<Named | null> {
  const page = readPageToken(context.keyring, kind, token)
  const merchant_id = page && (await context.directory.merchantIdOfSession(page.session_id))
  if (!merchant_id) return null
  const session = await findSession(context.sql, { merchant_id, session_id: page.session_id })
  return session ? { session, merchant_id, subject: page.subject } : null
}

/** The origins whose pages may frame ours: our own, and those of the session's integration. */
async function ancestorsOf(context: Context, { session }: Named): Promise<string[]> {
  const account = await context.directory.account(session.merchant_id)
  const origins = account ? integrationOf(account, session.integration_id).allowed_origins : []
  return ["'self'", ...origins]
}

function sameId(a: string | null | undefined, b: string): boolean {
  return typeof a === 'string' && a.toLowerCase() === b.toLowerCase()
}

const submitScript = 'document.forms[0].submit()'
const submitHash = createHash('sha256').update(submitScript).digest('base64')
const style =
  'html,body{margin:0;height:100%;font:16px/1.5 system-ui,sans-serif;color:#1a1a1a;background:#fff}' +
  'iframe{border:0;width:100%;height:100%;display:block}p,form{margin:1rem}'
const styleHash = createHash('sha256').update(style).digest('base64')

type Framed = { title: string; form: Form; ancestors: string[]; hidden: boolean }

function framed({ title, form, ancestors, hidden }: Framed): PageAnswer {
  // Banks post on to hosts of their own, so https is open; the simulator's http address is named.
  const targets = `https: ${new URL(form.action).origin}`
  const inputs = Object.entries(form.fields)
    .map(
      ([name, value]) =>
        `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
    )
    .join('')
  const html = page(
    title,
    `<form method="post" action="${escapeHtml(form.action)}" target="bank">${inputs}` +
      `<noscript><button>Continue</button></noscript></form>` +
      `<iframe name="bank" title="${escapeHtml(title)}" sandbox="allow-forms allow-scripts allow-same-origin allow-pointer-lock"` +
      ` allow="payment *; publickey-credentials-get *"${hidden ? ' hidden' : ''}></iframe>` +
      `<script>${submitScript}</script>`,
  )
  const policy =
    `default-src 'none'; script-src 'sha256-${submitHash}'; style-src 'sha256-${styleHash}'; frame-src ${targets}; ` +
    `form-action ${targets}; base-uri 'none'; frame-ancestors ${ancestors.join(' ')}`
  return {
    status: 200,
    body: html,
    headers: { 'content-security-policy': policy, 'referrer-policy': 'origin' },
  }
}

function notice(status: number, words: string, ancestors = ["'self'"]): PageAnswer {
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors ${ancestors.join(' ')}`
  return {
    status,
    body: page(words, `<p role="status">${escapeHtml(words)}</p>`),
    headers: { 'content-security-policy': policy },
  }
}

function page(title: string, body: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escapeHtml(title)}</title><style>${style}</style></head><body>${body}</body></html>`
  )
}
