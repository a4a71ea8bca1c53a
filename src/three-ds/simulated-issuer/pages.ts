// The simulated bank's pages: plain HTML that works without script. Every value is escaped.

import { createHash } from 'node:crypto'
import { escapeHtml } from '../../kernel/html.ts'
import type { PeerAnswer } from '../../kernel/peer.ts'
import { currencyOfNumeric } from '../../kernel/values.ts'
import type { Form } from '../three-ds.ts'
import type { Challenge } from './challenges.ts'

/** The only script: it sends the same form as the button below it. */
export const submit_script = 'document.forms[0].submit()'

const style = `body{font:16px/1.5 system-ui,sans-serif;margin:0;color:#1a1a1a;background:#fff;overflow-wrap:anywhere}
header{padding:.75rem 1.5rem;background:#1a4fa0;color:#fff;font-weight:600}
main{box-sizing:border-box;max-width:32rem;margin:0 auto;padding:1.25rem 1.5rem}h1{font-size:1.25rem;margin:0 0 .75rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0 0 1rem}dt{color:#555}dd{margin:0}
label{display:block;font-weight:600}p{margin:.25rem 0}.hint{color:#555}
input{font:inherit;box-sizing:border-box;padding:.5rem .75rem;width:100%;border:1px solid #767676;border-radius:4px}
[role=alert]{color:#a80000;font-weight:600}.actions{display:grid;gap:.5rem;margin-top:1rem}
button{font:inherit;min-height:2.75rem;padding:.25rem 1.25rem;border:1px solid #1a4fa0;border-radius:4px}
button{background:#fff;color:#1a4fa0}button.first{background:#1a4fa0;color:#fff}`

/** A page that posts a form by itself, or by its button if scripts do not run. */
export function submittingPage(form: Form, button: string): PeerAnswer {
  const fields = Object.entries(form.fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('')
  const body = `<form method="post" action="${escapeHtml(form.action)}">${fields}
<noscript><button>${escapeHtml(button)}</button></noscript></form>
<script>${submit_script}</script>`
  return page('One moment', body, { form_target: form.action })
}

/** The page that asks for the code. */
export function codePage(
  challenge: Challenge,
  { action, error }: { action: string; error: string | null },
): PeerAnswer {
  const alert = error === null ? '' : `<p id="error" role="alert">${escapeHtml(error)}</p>`
  const invalid = error === null ? '' : ' aria-invalid="true"'
  const described_by = error === null ? 'hint' : 'error hint'
  const body = `<header>Test bank</header><main><h1>Confirm your payment</h1>
<dl><dt>Merchant</dt><dd>${escapeHtml(challenge.merchant_name)}</dd>
<dt>Amount</dt><dd>${escapeHtml(amountText(challenge))}</dd></dl>
<form method="post" action="${escapeHtml(action)}">
${alert}<label for="code">One-time code</label>
<p id="hint" class="hint">This is a test bank: the code is 1234.</p>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="12" required
 aria-describedby="${described_by}"${invalid}>
<div class="actions"><button class="first" name="action" value="submit">Submit</button>
<button name="action" value="cancel" formnovalidate>Cancel</button></div></form></main>`
  return page('Confirm your payment', body, { form_target: action })
}

/** A page without any further step. */
export function noticePage(status: number, notice: string): PeerAnswer {
  return page('Test bank', `<main><p>${escapeHtml(notice)}</p></main>`, { status })
}

/** `GBP 42.00`: minor units formatted with the exponent of the message, not with a table of ours. */
export function amountText(purchase: Pick<Challenge, 'amount' | 'currency' | 'exponent'>): string {
  const digits = purchase.amount.padStart(purchase.exponent + 1, '0')
  const whole = digits.slice(0, digits.length - purchase.exponent)
  const fraction = digits.slice(whole.length)
  const code = currencyOfNumeric(purchase.currency)?.code ?? purchase.currency
  return `${code} ${fraction === '' ? whole : `${whole}.${fraction}`}`
}

function page(
  title: string,
  body: string,
  { status = 200, form_target = null }: { status?: number; form_target?: string | null },
): PeerAnswer {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head>
<body>${body}</body></html>`
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'content-security-policy': policy(form_target),
    },
    body: html,
  }
}

/** Contains no frame-ancestors, because a bank's page is nested in pages that the bank does not know. */
function policy(form_target: string | null): string {
  const target = form_target === null ? "'none'" : new URL(form_target).origin
  return [
    "default-src 'none'",
    `script-src '${hashOf(submit_script)}'`,
    `style-src '${hashOf(style)}'`,
    `form-action ${target}`,
    "base-uri 'none'",
  ].join('; ')
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
