// The page of a payment link: asks for a session to pay by, unless the tab has one, and says in one sentence where the link is over.

import { element } from '../shared/element.ts'
import { say } from '../shared/words.ts'
import { end, tell } from './card.ts'
import type { LinkStatus, PaymentLink } from './context.ts'
import { refusalNotice } from './notice.ts'
import { openPayment, type Page } from './payment.ts'
import { openLink } from './requests.ts'

/** A tab that has begun to pay goes on with its session, also after the link is over. */
export async function drawPaymentLink(page: Page, link: PaymentLink): Promise<void> {
  const { context, kept, root } = page
  const key = `ripper:${location.pathname}`
  const client_secret = kept.read(key)?.client_secret
  if (client_secret) return pay(page, { key, client_secret, link })
  if (link.status !== 'active') return tellEnd(page, link.status)
  root.setAttribute('aria-busy', 'true')
  const answer = await openLink(location.pathname)
  root.removeAttribute('aria-busy')
  if (!answer.ok) {
    return tell(
      page,
      refusalNotice(context.words, answer.refusal, () => void drawPaymentLink(page, link)),
    )
  }
  const { status, client_secret: secret } = answer.body
  if (status !== 'active' || secret === null) return tellEnd(page, status)
  kept.write(key, { idempotency_key: '', client_secret: secret })
  pay(page, { key, client_secret: secret, link })
}

function pay(
  page: Page,
  { key, client_secret, link }: { key: string; client_secret: string; link: PaymentLink },
): void {
  const again = () => {
    leave()
    // Whether the link is still active, the service says.
    void drawPaymentLink(page, { ...link, status: 'active' })
  }
  const another = link.is_single ? undefined : again
  const leave = openPayment(page, { kind: 'session', key, client_secret, again, another })
}

function tellEnd(page: Page, status: LinkStatus): void {
  const { words } = page.context
  tell(page, end(say(words, `over_${status}`), element('p', {}, say(words, 'link_ask'))))
}
