// Visits to a shop of another origin that has the checkout on its page, and what becomes of its sessions.

import type { Page, Request } from 'playwright-core'
import { until } from '../support/service.ts'
import { merchantsPage } from './stage.ts'
import type { openTheatre } from './theatre.ts'

export type Session = { id: string; client_secret: string }

/** Options of a checkout that pays a session, as script text. */
export const of = ({ client_secret }: Session, more = '') => `{ clientSecret: '${client_secret}'${more} }`

export function shopVisits(theatre: ReturnType<typeof openTheatre>) {
  async function newSession(more = {}): Promise<Session> {
    const customer = { email: 'jo@example.com' }
    const asked = { amount: 4200, currency: 'GBP', customer, ...more }
    return (await theatre.stage.account.client.create(asked)).body
  }

  /** A shop's page with the checkout in it. `options` is script text. */
  function shopPage(options: string): string {
    const { shop, service, account } = theatre.stage
    return shop.page(merchantsPage(service, account.publishable_key!, options))
  }

  function arrive(options: string): Promise<Page> {
    return theatre.arrive(shopPage(options), { origins: [theatre.stage.shop.origin] })
  }

  async function readSession({ id }: Session) {
    return (await theatre.stage.account.client.readSession(id)).body
  }

  async function stateOf({ id, client_secret }: Session) {
    const answer = await fetch(`${theatre.stage.service.base_url}/v1/checkout/sessions/${id}/state`, {
      headers: { 'rip-client-secret': client_secret },
    })
    return (await answer.json()) as { session: { status: string }; three_ds: { state: string } }
  }

  /** Counts the requests of one step from now on, of all tabs. */
  function requestsOf(step: string): Request[] {
    const found: Request[] = []
    theatre.shopper.context.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith(`/${step}`)) found.push(request)
    })
    return found
  }

  /** The bank's check of a session, passed in a window of its own. */
  async function passElsewhere(session: Session, address: string): Promise<void> {
    const bank = await theatre.shopper.context.newPage()
    await bank.goto(address)
    const frame = bank.frameLocator('iframe[title="Confirm your payment with your bank"]')
    await frame.getByLabel('One-time code').fill('1234')
    await frame.getByRole('button', { name: 'Submit' }).click()
    await until(
      () => stateOf(session),
      ({ three_ds }) => three_ds.state === 'authenticated',
    )
    await bank.close()
  }

  return { newSession, shopPage, arrive, readSession, stateOf, requestsOf, passElsewhere }
}

/** Keeps the answers of a step back until they are released. */
export async function hold(page: Page, step: string) {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(`**/${step}`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    const response = await route.fetch()
    arrive()
    await released
    // A page that was left takes no answer any more.
    await route.fulfill({ response }).catch(() => {})
  })
  return { arrived, release }
}
