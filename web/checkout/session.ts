// The session that is paid: the one that was given, the one this tab had before a reload, or a new one.

import type { CheckoutOptions } from './api.ts'
import { ask } from './ask.ts'
import { canonical } from './canonical.ts'
import { RipperError } from './failure.ts'
import { keep, recall } from './keep.ts'
import { random } from './random.ts'
import type { State } from './wire.ts'

export type Session = {
  id: string
  client_secret: string
  ask<Reply>(step: 'state' | 'authenticate' | 'confirm', body?: object): Promise<Reply>
  /** Where the email is kept that the shopper typed. */
  place: string
  /** Once it is over, a reload begins anew. */
  forget(): void
}

export type Opened = { session: Session; state: State }

/** Throws RipperError. Called again after a failure it creates no second session: the key of the first is sent again. */
export function sessionOpener(publicKey: string, options: CheckoutOptions): () => Promise<Opened> {
  const { appearance, locale, button, redirect, clientSecret, ...asked } = options
  const body = { public_key: publicKey, ...asked }
  const place = `ripper:${canonical(body)}`
  let once = random()
  const forget = () => {
    keep(place, '')
    once = random()
  }

  return async () => {
    if (clientSecret) return read(clientSecret, () => {})
    const kept = recall(place)
    const resumed = kept && (await read(kept, forget).catch(unlessUnknown))
    // A payment that was taken but never shown is shown: it must not be taken again.
    if (resumed && !/declined|expired/.test(resumed.state.session.status)) return resumed
    const { client_secret } = await ask<{ client_secret: string }>(
      '/v1/checkout/public/sessions',
      { 'rip-idempotency-key': once },
      body,
    )
    keep(place, client_secret)
    return read(client_secret, forget)
  }
}

async function read(client_secret: string, forget: () => void): Promise<Opened> {
  const [id, rest] = client_secret.split('_secret_')
  if (!rest) throw new RipperError('client_secret_malformed', 'This is no client secret.')
  const place = `ripper:${id}`
  const session: Session = {
    id: id!,
    client_secret,
    ask: (step, body) =>
      ask(`/v1/checkout/sessions/${id}/${step}`, { 'rip-client-secret': client_secret }, body),
    place,
    forget() {
      keep(place, '')
      forget()
    },
  }
  return { session, state: await session.ask('state') }
}

function unlessUnknown(error: RipperError): null {
  if (error.code === 'unauthorized') return null
  throw error
}
