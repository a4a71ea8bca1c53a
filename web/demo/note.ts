// The side note: the source code of this page.

import { element } from '../shared/element.ts'
import taking from './take-payment.ts?raw'

export function howItIsMade(base_url: string): HTMLElement {
  return element(
    'aside',
    { class: 'note', 'aria-labelledby': 'made' },
    element('h2', { id: 'made' }, 'How this page is made'),
    element(
      'ol',
      {},
      step('The shop’s server creates a session for the order. The secret key never leaves it.', [server(base_url)]),
      step('The page loads the checkout script and shows the payment where the shop wants it.', [
        `<script src="${base_url}/checkout.js"></script>\n<div id="checkout"></div>`,
        taking.slice(taking.indexOf('async function')).trim(),
      ]),
      step(
        'The shop sends the goods when a signed webhook says payment.captured, or when its server reads the payment. The page’s word is not enough.',
        [],
      ),
    ),
    element('p', { class: 'links' }, element('a', { href: `${base_url}/docs` }, 'Every route of the API')),
  )
}

function step(text: string, codes: string[]): HTMLElement {
  return element('li', {}, element('p', {}, text), ...codes.map(code))
}

/** Scrolls sideways if a line is long, by keyboard, too. */
export function code(text: string): HTMLElement {
  return element('pre', { tabindex: '0' }, element('code', {}, text))
}

function server(base_url: string): string {
  return `const url = '${base_url}/v1/checkout/sessions'
const answer = await fetch(url, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    'x-service-api-key': process.env.RIPPER_SECRET_KEY,
    'rip-idempotency-key': \`\${order.reference}-\${order.tries}\`,
  },
  body: JSON.stringify({
    amount: order.total, // 4200 is £42.00
    currency: 'GBP',
    items: order.items,
    order_reference: order.reference,
  }),
})
const { client_secret, public_key } = await answer.json()`
}
