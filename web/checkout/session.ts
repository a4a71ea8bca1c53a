// Finds the session to pay: the given one, the one that this tab had before a reload, or a new one.

import type { CheckoutOptions } from './api.ts'
import { ask } from './ask.ts'
import { canonical, digest } from './canonical.ts'
import { RipperError } from './failure.ts'
import { random } from './random.ts'
import { readItem, saveItem } from './tab-storage.ts'
import type { State } from './wire.ts'

export type Session = {
  id: string
  client_secret: string
  /** `locale`: the language of the checkout, if the step stores it. */
  ask<Reply>(step: 'state' | 'authenticate' | 'confirm', body?: object, locale?: string): Promise<Reply>
  /** The name under which the shopper's email is kept. */
  place: string
}

export type SessionWithState = { session: Session; state: State }

/** Throws RipperError. A call after a failure creates no second session, because it sends the same key again. */
export function sessionOpener(public_key: string, options: CheckoutOptions): () => Promise<SessionWithState> {
  const { appearance, locale, button, redirect, clientSecret, ...asked } = options
  const body = { public_key, ...asked }
  const place = `ripper:${digest(canonical(body))}`
  let once = random()

  return async () => {
    if (clientSecret) return read(clientSecret)
    for (;;) {
      const kept = readItem(place)
      const client_secret = kept ?? (await create(body, once))
      saveItem(place, client_secret)
      const opened = await read(client_secret).catch((error: RipperError) => {
        if (!kept || error.code !== 'unauthorized') throw error
      })
      // A payment that was taken is shown again, and must not be taken again.
      if (opened && !/declined|expired/.test(opened.state.session.status)) return opened
      saveItem(place, '')
      once = random()
    }
  }
}

async function create(body: object, once: string): Promise<string> {
  const headers = { 'rip-idempotency-key': once }
  return (await ask<{ client_secret: string }>('/v1/checkout/public/sessions', headers, body)).client_secret
}

async function read(client_secret: string): Promise<SessionWithState> {
  const [id, rest] = client_secret.split('_secret_')
  if (!rest) throw new RipperError('client_secret_malformed', 'This is no client secret.')
  const session: Session = {
    id: id!,
    client_secret,
    ask: (step, body, locale) =>
      ask(
        `/v1/checkout/sessions/${id}/${step}`,
        { 'rip-client-secret': client_secret, ...(locale && { 'accept-language': locale }) },
        body,
      ),
    place: `ripper:${id}`,
  }
  return { session, state: await session.ask('state') }
}
