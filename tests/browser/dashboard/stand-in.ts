// The dashboard with a service that is played: its real script and style under its real policy, answers from a table.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dashboardDocument } from '../../../src/pages/dashboard.ts'
import { qrDrawing } from '../../../src/payments/payment-links/qr-code.ts'
import * as more from './more-samples.ts'
import * as samples from './samples.ts'

/** `lost` drops the connection in the middle of the answer. */
type Answer = { status?: number; body: unknown; text?: string; file?: string } | 'lost'
/** What a request sent: its body, its query, its idempotency key. */
export type Asked = {
  name: string
  body: Record<string, unknown>
  query: Record<string, string>
  idempotency_key: string | null
}

export type StandIn = {
  /** At localhost, as people open it. */
  base_url: string
  /** Requests that were not reads, in order. */
  acts: Asked[]
  /** Answers a route otherwise from now on: `GET /me`, with the merchant's id left out. */
  on(name: string, answer: (asked: Asked) => Answer): void
  /** Answers everything as usual again. */
  reset(): void
  close(): Promise<void>
}

const built = (name: string) => readFileSync(new URL(`../../../dist/web/${name}`, import.meta.url), 'utf8')

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const linked = (name: string) => ({
  path: `/${name}`,
  integrity: `sha384-${createHash('sha384').update(built(name)).digest('base64')}`,
})

export async function openStandIn(): Promise<StandIn> {
  const answers = new Map<string, (asked: Asked) => Answer>(Object.entries(usual()))
  const acts: Asked[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (url.pathname === '/dashboard.js') return send(response, 'text/javascript', built('dashboard.js'))
    if (url.pathname === '/dashboard.css') return send(response, 'text/css', built('dashboard.css'))
    if (!url.pathname.startsWith('/dashboard/api/')) {
      response.setHeader('content-security-policy', policy)
      return send(response, 'text/html', documentFor(request))
    }
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const path = url.pathname
        .replace('/dashboard/api', '')
        .replace(/\/mer_[0-9a-f]{24}/, '')
        .replace(/_\d{24}/g, '')
      const asked: Asked = {
        name: `${request.method} ${path}`,
        body: text === '' ? {} : JSON.parse(text),
        query: Object.fromEntries(url.searchParams),
        idempotency_key: (request.headers['rip-idempotency-key'] as string | undefined) ?? null,
      }
      if (request.method !== 'GET') acts.push(asked)
      const answer = answers.get(asked.name)?.(asked) ?? refuse(404, 'resource_not_found')
      if (answer === 'lost') return lose(response)
      response.statusCode = answer.status ?? 200
      if (answer.file) {
        response.setHeader('content-disposition', `attachment; filename="${answer.file}"`)
      }
      const written = answer.body === null ? '' : JSON.stringify(answer.body)
      send(response, 'application/json', answer.text ?? written)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const { port } = server.address() as AddressInfo
  return {
    base_url: `http://localhost:${port}`,
    acts,
    on: (name, answer) => answers.set(name, answer),
    reset: () => {
      answers.clear()
      for (const [name, answer] of Object.entries(usual())) answers.set(name, answer)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function documentFor({ headers }: IncomingMessage): string {
  const kept = new Map((headers.cookie ?? '').split('; ').map((pair) => pair.split('=', 2) as [string, string]))
  return dashboardDocument(
    { script: linked('dashboard.js'), style: linked('dashboard.css') },
    {
      language: kept.get('ripper-language') ?? null,
      theme: kept.get('ripper-theme') ?? null,
      accept_language: headers['accept-language'] ?? null,
    },
  )
}

/** A refusal as routes answer it. */
export function refuse(status: number, error: string, members: object = {}): Answer {
  return { status, body: { error, message: error, request_id: 'req_1', ...members } }
}

// After a connection that was dropped before the first byte, Chromium would ask once more by itself.
function lose(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': 2 })
  response.write('{', () => response.destroy())
}

function send(response: ServerResponse, type: string, text: string): void {
  response.setHeader('content-type', `${type}; charset=utf-8`)
  response.end(text)
}

function usual(): Record<string, (asked: Asked) => Answer> {
  const page = (data: unknown[]) => () => ({ body: { data, has_more: false, next_cursor: null } })
  const found = (body: unknown) => () => ({ body })
  return {
    'GET /me': found(samples.me),
    'GET /me/account': found(samples.account),
    'GET /sign-in/ways': found({ single_sign_on: null, program: 'ripper', first_command: null, is_signed_in: true }),
    'GET /team': found(samples.team),
    'GET /team/refund-limits': found({ limits: [{ currency: 'GBP', amount: 5000 }] }),
    'GET /payments': ({ query }) => {
      const matching = samples.payments.filter(
        ({ status, customer, refunded_amount }) =>
          (!query.status || query.status === status) &&
          (!query.refunded || query.refunded === String(refunded_amount !== undefined)) &&
          (!query.customer_email || query.customer_email === customer?.email),
      )
      return { body: { data: matching, has_more: matching.length > 20, next_cursor: 'more' } }
    },
    'GET /beginnings': found({ order_references: [], customer_emails: [], payment_ids: [], session_ids: [] }),
    'GET /payments/pay': found(samples.held),
    'GET /payments/pay/timeline': found(samples.timeline),
    'GET /payments/pay/refunds': found({ refunds: [] }),
    'GET /payments/pay/receipt': found({ receipt: samples.receipt, people: samples.timeline.people }),
    'GET /payments/pay/customer': found(samples.customer),
    'GET /saved-filters': found({ saved: samples.saved }),
    'POST /payments/pay/hold/capture': found({}),
    'GET /payment_links': page(more.links),
    'GET /payment_links/plink': found({ ...more.links[0], qr: qrDrawing(more.links[0]!.url) }),
    'GET /payment_links/plink/payments': page(samples.payments.slice(0, 2)),
    'GET /sessions': page(more.sessions),
    'GET /sessions/cs': found(more.session),
    'GET /sessions/cs/timeline': found(more.sessionLife),
    'GET /holds': found({ data: samples.holds, has_more: false }),
    'GET /webhooks/endpoints': found({
      endpoints: samples.endpoints,
      retry_delays_seconds: [5, 30, 120, 600, 1800, 3600],
    }),
    'GET /webhooks/deliveries': page(samples.deliveries),
    'GET /webhooks/deliveries/dlv': found({
      event_id: 'evt_1',
      is_cut: false,
      body: JSON.stringify({ id: 'evt_1', type: 'payment.captured', data: { amount: 4200 } }),
    }),
    'GET /keys': found({ keys: samples.keys }),
    'GET /integrations': found({ integrations: more.integrations }),
    'GET /connections': found({ connections: more.connections, connectors: more.connectors }),
    'GET /requests': found({ data: more.requests, has_more: false, next_cursor: null, key_names: more.keyNames }),
    'GET /requests/recent': found({ data: more.requests, keeps_refused: true }),
    'GET /operations': found({ operations: more.operations, brake: null }),
    'GET /system': found(more.system),
    'GET /system/merchants': found({ merchants: more.merchants, has_more: false }),
    'GET /system/orphans': found(more.orphans),
    'GET /audit': found({ data: more.audit, people: samples.timeline.people, has_more: false, next_cursor: null }),
    'GET /payouts': found({ data: more.payouts, connections: ['main'], has_more: false, next_cursor: null }),
    'GET /payouts/po': found(more.payout),
    'GET /refunds': found({
      data: samples.refunds,
      people: { [samples.id('usr', 1)]: 'Jo Marsh', ...more.keyNames },
      has_more: false,
      next_cursor: null,
    }),
    'GET /disputes': found({ data: more.disputes, has_more: false, next_cursor: null }),
    'GET /overview': found(more.overview),
    'POST /sign-out': () => ({ status: 204, body: null }),
  }
}
