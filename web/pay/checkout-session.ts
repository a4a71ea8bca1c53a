// The page of a Checkout Session: asks for a session to pay by, and says in one sentence where there is none.

import { element } from '../shared/element.ts'
import { say } from '../shared/words.ts'
import { end, tell } from './card.ts'
import { notice, refusalNotice } from './notice.ts'
import { openPayment, type Page } from './payment.ts'
import { type OpenedCheckout, openCheckout } from './requests.ts'

type Address = Pick<Location, 'pathname' | 'hash'>

const checkoutPath = /\/c\/(cs_(?:test|live)_[0-9a-f]{56})$/

export function isCheckoutPage({ pathname }: Address): boolean {
  return checkoutPath.test(pathname)
}

/** The token of the address. The bank's full page comes back without it, so the tab keeps it. */
export function readToken({ pathname, hash }: Address, kept: Page['kept']): string | null {
  const key = `ripper:${checkoutPath.exec(pathname)?.[1]}`
  const [, token] = /^#page_secret_([0-9a-f]{64})$/.exec(hash) ?? []
  if (token) kept.writePageToken(key, token)
  return token ?? kept.readPageToken(key)
}

export async function drawCheckout(page: Page): Promise<void> {
  const { context, kept, root } = page
  const token = readToken(location, kept)
  if (token === null) return tell(page, notice(...unavailable(page)))
  root.setAttribute('aria-busy', 'true')
  const answer = await openCheckout(location.pathname, token)
  root.removeAttribute('aria-busy')
  if (answer.ok) return drawAnswer(page, answer.body)
  if (answer.refusal.code === 'resource_not_found') return tell(page, notice(...unavailable(page)))
  tell(
    page,
    refusalNotice(context.words, answer.refusal, () => void drawCheckout(page)),
  )
}

function drawAnswer(page: Page, { status, client_secret, cancel_url, success_url }: OpenedCheckout): void {
  const { context } = page
  const { words, config } = context
  config.links = { ...config.links, back_url: cancel_url }
  if (client_secret !== null) {
    const leave = openPayment(page, {
      kind: 'session',
      key: `ripper:${client_secret.split('_secret_')[0]}`,
      client_secret,
      again: () => {
        leave()
        void drawCheckout(page)
      },
    })
  } else if (status === 'complete' && success_url) {
    config.links.back_url = null
    const link = element('a', { class: 'primary', href: success_url })
    link.append(say(words, 'go_on', { shop: config.merchant.name }))
    tell(page, end(say(words, 'complete'), link))
  } else tell(page, end(say(words, 'expired'), element('p', {}, say(words, 'expired_detail'))))
}

function unavailable({ context: { words } }: Page): [string, string] {
  return [say(words, 'unavailable'), say(words, 'unavailable_detail')]
}
