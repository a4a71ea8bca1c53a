// The reference of the API at /docs: every route, event and refusal, with examples.

import { apiRefusals, statusesOf } from '../../kernel/errors.ts'
import { escapeHtml } from '../../kernel/html.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { type NamedSchema, namedSchemas } from '../openapi/named-schemas.ts'
import type { Group, SearchEntry } from './frame.ts'
import { type DocumentedOperation, eventExample, operationsOf } from './operation-example.ts'
import { fieldsOf } from './schema.ts'
import { eventSection, operationSection, typeSection } from './sections.ts'

export type Reference = { title: string; body: string; groups: Group[]; index: SearchEntry[] }

type ReferencePart = { tag: string; title: string; note: string; mark?: string }

/** The parts, by the routes' tags: first what servers call, then what pages call, and last the compatible routes. */
const parts: ReferencePart[] = [
  {
    tag: 'Checkout sessions',
    title: 'Checkout sessions',
    note: 'Your server creates a session for one payment, and gives its client secret to the page.',
  },
  {
    tag: 'Payments',
    title: 'Payments and holds',
    note: 'Your server reads a payment, and decides on those that are held.',
  },
  {
    tag: 'Refunds',
    title: 'Refunds',
    note: 'Your server gives back what was captured, whole or in parts. <a href="/docs/refunds">Refunds</a> explains what may come later.',
  },
  {
    tag: 'Disputes',
    title: 'Disputes',
    note: 'Money of a payment that the shopper’s bank wants back. <a href="/docs/disputes">Disputes</a> explains who answers, and until when.',
  },
  {
    tag: 'Payouts',
    title: 'Payouts',
    note: 'What acquirers paid out, by the reports that you let the service read: <a href="/docs/payouts">Payouts</a>.',
  },
  {
    tag: 'Payment links',
    title: 'Payment links',
    note: 'An address that is sent, or shown as a QR code, by which shoppers pay one amount. <a href="/docs/payment-links">Payment links</a> tells when one is over.',
  },
  {
    tag: 'Webhooks',
    title: 'Webhooks',
    note: 'Where events are sent, what happened to each delivery, and how to send one again. <a href="/docs/webhooks">Webhooks</a> explains the signatures.',
  },
  {
    tag: 'Events',
    title: 'Event streams',
    note: 'Server-Sent Events for development and tools. <code>ripper listen</code> and <code>ripper logs tail</code> read them.',
  },
  {
    tag: 'In the browser',
    title: 'In the browser',
    note: '<a href="/docs/checkout-js">checkout.js</a> and the hosted page call these routes. A shop that uses one of them calls none of these itself.',
  },
  {
    tag: 'Compatible',
    title: 'Compatible with Stripe',
    note: 'These routes use the other platform’s words, so that its official libraries work unchanged: forms as well as JSON, the key as Bearer, errors in its shape. All routes above are the native API. <a href="/docs/migrate-from-stripe">From Stripe</a> says what to change.',
    mark: 'compatible',
  },
]

/** The part of routes whose tag has no part of its own. It comes last, and only if there are such routes. */
const others: ReferencePart = {
  tag: 'Others',
  title: 'Other routes',
  note: 'What belongs to none of the above.',
}

/** The document must have every schema where it is used, not as a reference. */
export function reference(document: OpenApiDocument): Reference {
  const operations = operationsOf(document)
  const partOf = ({ operation }: DocumentedOperation) => parts.find(({ tag }) => tag === operation.tags[0]) ?? others
  const chapters = [...parts, others]
    .map((part) => ({ part, listed: operations.filter((each) => partOf(each) === part) }))
    .filter(({ part, listed }) => part !== others || listed.length > 0)
  const events = Object.entries(document.webhooks).map(([type, { post }]) => {
    const schema = post.requestBody!.content['application/json'].schema as Schema
    return { type, summary: post.summary, id: post.operationId, schema }
  })
  const types = namedSchemas(document)
  const body =
    intro(document) +
    chapters.map(chapter).join('') +
    `<h2 class="part" id="events">Events</h2><p>The bodies of webhooks. The service signs each in <code>Rip-Signature</code>, and sends it until your server answers 2xx.</p>` +
    events.map((each) => eventSection(each, eventExample(each.id, each.schema))).join('') +
    `<h2 class="part" id="types">Types</h2><p>The types of bodies and events. <a href="/openapi.json">openapi.json</a> has each once, under the same name.</p>` +
    types.map(typeSection).join('') +
    refusals(
      'refusals',
      'Every refusal',
      'The API’s error codes. Branch on the code, never on the message.',
      refusalRows(),
    ) +
    refusals(
      'checkout_errors',
      'Errors of checkout.js',
      'The codes of the page’s script alone. Its other errors carry the API’s codes.',
      errorRows(),
    )
  return {
    title: 'API reference',
    body,
    groups: [...chapters.map(groupOf), eventGroup(events), typeGroup(types), refusalGroup],
    index: [...operations.map(foundOperation), ...events.map(foundEvent), ...types.map(foundType), ...foundCodes()],
  }
}

type DescribedEvent = { type: string; summary: string; id: string; schema: Schema }

function intro({ info }: OpenApiDocument): string {
  return (
    `<h2 class="part" id="api">API reference</h2><p class="lead">${escapeHtml(info.description)}</p>` +
    `<p>Version ${info.version}, described for tools in <a href="/openapi.json">openapi.json</a> and for language models in <a href="/llms.txt">llms.txt</a>.</p>` +
    `<p>The examples run in a shell, with the demo merchant’s key, in the folder that has <code>.ripper/demo.json</code>:</p>` +
    `<pre tabindex="0"><code>API=http://127.0.0.1:8080\n${key_line}\n# The client_secret of a session, cs_…_secret_…\nSECRET=</code></pre>`
  )
}

const key_line = `KEY=$(node -p 'JSON.parse(fs.readFileSync(".ripper/demo.json")).secret_key')`

function chapter({ part, listed }: { part: ReferencePart; listed: DocumentedOperation[] }): string {
  const mark = part.mark ? ` <span class="mark">${part.mark}</span>` : ''
  return (
    `<h2 class="part" id="${partId(part.tag)}">${part.title}${mark}</h2><p>${part.note}</p>` +
    listed.map((each) => operationSection(each, part.mark)).join('')
  )
}

function refusals(id: string, title: string, note: string, rows: string[]): string {
  return `<h2 class="part" id="${id}">${title}</h2><p>${note}</p><dl class="codes">${rows.join('')}</dl>`
}

/** Errors of checkout.js link here by their code: `/docs#session_expired`. */
function refusalRows(): string[] {
  return apiRefusals.map(
    ([code, { when }]) =>
      `<div id="${code}"><dt><code>${code}</code> <span class="type">${statusesOf(code).join(', ')}</span></dt><dd>${escapeHtml(when)}</dd></div>`,
  )
}

function errorRows(): string[] {
  return Object.entries(checkoutErrors).map(
    ([code, when]) => `<div id="${code}"><dt><code>${code}</code></dt><dd>${escapeHtml(when)}</dd></div>`,
  )
}

function partId(tag: string): string {
  return `part_${tag.toLowerCase().replaceAll(' ', '_')}`
}

function groupOf({ part, listed }: { part: ReferencePart; listed: DocumentedOperation[] }): Group {
  const lines = listed.map(({ method, operation }) => ({
    title: operation.summary,
    href: `/docs#${operation.operationId}`,
    verb: method.toUpperCase(),
  }))
  return { title: part.title, lines }
}

function eventGroup(events: DescribedEvent[]): Group {
  return {
    title: 'Events',
    lines: events.map(({ type, id }) => ({ title: type, href: `/docs#${id}` })),
  }
}

function typeGroup(types: NamedSchema[]): Group {
  return {
    title: 'Types',
    lines: types.map(({ name }) => ({ title: name, href: `/docs#${name}` })),
  }
}

const refusalGroup: Group = {
  title: 'Errors',
  lines: [
    { title: 'Every refusal', href: '/docs#refusals' },
    { title: 'Errors of checkout.js', href: '/docs#checkout_errors' },
  ],
}

function foundOperation({ method, path, operation }: DocumentedOperation): SearchEntry {
  const body = operation.requestBody?.content['application/json'].schema as Schema | undefined
  const names = body ? fieldsOf(body).map((field) => field.path) : []
  return {
    title: operation.summary,
    href: `/docs#${operation.operationId}`,
    place: `${method.toUpperCase()} ${path}`,
    words: names.join(' '),
  }
}

function foundEvent({ type, summary, id }: DescribedEvent): SearchEntry {
  return { title: type, href: `/docs#${id}`, place: summary, words: 'event webhook' }
}

function foundType({ name, note }: NamedSchema): SearchEntry {
  return { title: name, href: `/docs#${name}`, place: note, words: 'type schema' }
}

function foundCodes(): SearchEntry[] {
  const api = apiRefusals.map(([code, { status }]) => ({
    title: code,
    href: `/docs#${code}`,
    place: `Refusal ${status}`,
  }))
  const page = Object.keys(checkoutErrors).map((code) => ({
    title: code,
    href: `/docs#${code}`,
    place: 'Error of checkout.js',
  }))
  return [...api, ...page]
}

/**
 * The codes of checkout.js's own errors. The `docs_url` of an error leads to its place in the reference, as for the
 * API's codes.
 */
export const checkoutErrors = {
  network_error:
    'No answer came, after several tries. After confirm() the payment may have been taken: call confirm() again, which never charges twice.',
  frame_not_loaded:
    'The card fields did not load within 6 s. Is the publishable key one of this service? Is this page’s origin one of the integration’s allowed origins? Does the page send Cross-Origin-Embedder-Policy without Cross-Origin-Opener-Policy?',
  part_not_loaded: 'The second script, three-ds.js, could not be loaded.',
  script_misplaced:
    'checkout.js runs as a module, in a bundle or as text in the page, and so cannot know where the service is. Load it by a script tag of its own, or use the module @ripper/checkout-js.',
  browser_too_old: 'The browser is older than iOS 15 or the others of 2021. The shopper is told so.',
  element_not_found: 'No element of the page matches the selector that mount() was given.',
  not_mounted: 'confirm() was called before mount().',
  public_key_malformed: 'The key given to loadCheckout() is not a publishable key (rip_pk_…).',
  client_secret_malformed: 'The client secret is not the one that the session was created with.',
  session_missing: 'The page asked the card fields for a card before there was a session.',
  script_not_loaded:
    'Only from the module @ripper/checkout-js: checkout.js did not load, or the page’s policy refused it.',
  not_in_browser: 'Only from the module @ripper/checkout-js: loadCheckout() was called on a server.',
}
