// A bank of another site whose page is not as banks' pages should be. At its end it hands over to the simulated bank.

import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { BrowserContext } from 'playwright-core'
import { escapeHtml } from '../../src/kernel/html.ts'
import type { Stage } from './stage.ts'

export type OddBank = {
  /** HTML of the page that the CReq opens; `form` is the form that ends the check, with the button `Confirm`. */
  page: (form: string) => string
  headers?: Record<string, string>
  /** HTML of more pages, by path. */
  more?: Record<string, string>
  /** It gives nothing back of what it was given for us. */
  forgets?: boolean
  /** A cookie of the first page, without which the bank does not go on. */
  cookie?: string
}

/** `localhost` is another site than `127.0.0.1`, where shop and service are. */
export async function openOddBank({ page, headers, more, cookie, forgets }: OddBank) {
  let acs_url = ''
  async function answerOf(request: IncomingMessage): Promise<string> {
    if (request.method === 'GET') return more?.[request.url!] ?? ''
    const fields = new URLSearchParams(await text(request))
    if (forgets) fields.delete('threeDSSessionData')
    if (request.url === '/challenge') return page(formOf(fields, cookie ? '/on' : acs_url))
    const is_known = request.headers.cookie === cookie
    return is_known ? formOf(fields, acs_url) : '<p>Your session has ended. Start again.</p>'
  }
  const server = createServer(async (request, response) => {
    const set = cookie && request.url === '/challenge' && { 'set-cookie': `${cookie}; SameSite=Lax` }
    response.writeHead(200, { 'content-type': 'text/html', ...headers, ...set })
    response.end(`<!doctype html><title>The bank</title>${await answerOf(request)}`)
  })
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    origin,
    /** From now on attempts of this browser are challenged here. */
    async standIn({ service }: Stage, context: BrowserContext): Promise<void> {
      await context.route('**/authenticate', async (route) => {
        const response = await route.fetch()
        const { attempt } = await response.json()
        const { sql } = service
        const rows = await sql`select acs_url from attempts where attempt_id = ${attempt.id}`
        acs_url = rows[0]!.acs_url
        await sql`update attempts set acs_url = ${`${origin}/challenge`} where attempt_id = ${attempt.id}`
        await route.fulfill({ response })
      })
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function formOf(fields: URLSearchParams, action: string): string {
  const inputs = [...fields].map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
  return `<form method="post" action="${action}">${inputs.join('')}<button>Confirm</button></form>`
}
