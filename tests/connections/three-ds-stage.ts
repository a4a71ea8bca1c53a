// Live merchants with connections to a fake acquirer and to a fake 3-D Secure provider, and the cards to try them with.

import type { AuthoriseRequest } from '../../src/acquirers/acquirer.ts'
import { luhn } from '../../src/cards/luhn.ts'
import { testCardOf } from '../../src/cards/test-cards.ts'
import { createConnection } from '../../src/connections/manage-connections.ts'
import { changeMerchant } from '../../src/merchants/manage.ts'
import { openThreeDsecureIoFake } from '../adapters/fakes/3dsecureio/server.ts'
import { openCheckoutFake } from '../adapters/fakes/checkout/server.ts'
import { openSessionsFake } from '../adapters/fakes/checkout-sessions/server.ts'
import { cardOf, type SessionSecret } from '../support/client.ts'
import { type Account, drivenClock, type Service, startService } from '../support/service.ts'
import { openLoopbackHttp } from '../support/vendor-http.ts'

/** What the acquiring profile says besides the labels. */
export const profile = {
  acquirer: 'main',
  descriptor_name: 'TEA',
  mcc: '5499',
  country: 'GB',
  acquirer_bin: { visa: '400551', mastercard: '520000' },
  acquirer_merchant_id: 'TEA-1',
}

export type ThreeDsStage = Awaited<ReturnType<typeof openThreeDsStage>>

/** `connectors` and other options of the service are the built-in ones. */
export async function openThreeDsStage(options: Parameters<typeof startService>[0] = {}) {
  const clock = drivenClock()
  const http = openLoopbackHttp(clock)
  let beforeSending: (() => Promise<void>) | null = null
  const vendor_http: typeof http = {
    ...http,
    async send(request) {
      if (request.url.endsWith('/auth')) await beforeSending?.()
      return http.send(request)
    },
  }
  const service = await startService({ clock, vendor_http, ...options })
  const pages_url = () => `${service.base_url}/3ds/`
  const provider = await openThreeDsecureIoFake({ clock, pages_url })
  const sessions = await openSessionsFake({ clock, pages_url })
  const acquirer = await openCheckoutFake({
    clock,
    settles_after_ms: 0,
    behaviourOf: () => 'approve',
  })
  acquirer.books.environment.is_live = true

  const charges = recordCharges(service)
  const { secret_key, signature_key } = acquirer
  const credentials = {
    '3dsecureio': { api_key: provider.api_key, api_url: provider.url },
    'checkout-sessions': { secret_key, signature_key, api_url: sessions.url },
  }

  /** A live merchant whose profile names both connections, unless told otherwise. */
  async function newMerchant(
    connector: keyof typeof credentials = '3dsecureio',
  ): Promise<Account & { connection_id: string }> {
    const account = await service.newAccount({ merchant: { live: true, live_enabled: true } })
    const { merchant_id } = account
    await createConnection(service.operator, merchant_id, {
      kind: 'acquirer',
      connector: 'checkout',
      label: 'main',
      mode: 'live',
      credentials: { secret_key, signature_key, api_url: acquirer.url },
    })
    const { connection_id } = await createConnection(service.operator, merchant_id, {
      kind: 'three_ds',
      connector,
      label: 'bank-checks',
      mode: 'live',
      credentials: credentials[connector],
    })
    await changeMerchant(service.operator, merchant_id, {
      acquiring_profile: { ...profile, three_ds: 'bank-checks' },
    })
    return { ...account, connection_id }
  }

  return {
    clock,
    service,
    provider,
    sessions,
    acquirer,
    charges,
    newMerchant,
    /** Lets something happen when an AReq is about to be sent, until this is ended. */
    stallBeforeSending(work: () => Promise<void>) {
      beforeSending = work
      return {
        end() {
          beforeSending = null
        },
      }
    },
    async close() {
      await service.close()
      await http.close()
      await provider.close()
      await sessions.close()
      await acquirer.close()
      const wrong = [...provider.wrong, ...sessions.wrong, ...acquirer.wrong]
      if (wrong.length > 0) throw new Error(wrong.join('\n'))
    },
  }
}

/** What every acquirer is asked to charge with, whatever it makes of it. */
function recordCharges({ context }: Service): AuthoriseRequest['three_ds'][] {
  const charges: AuthoriseRequest['three_ds'][] = []
  const { acquirerOf } = context
  context.acquirerOf = (mode, name) => {
    const acquirer = acquirerOf(mode, name)
    return {
      ...acquirer,
      authorise(request) {
        charges.push(request.three_ds)
        return acquirer.authorise(request)
      },
    }
  }
  return charges
}

/** A number of a real card's shape whose last four digits tell the fake provider how it behaves. */
export function liveNumber(last4: string, bin = '45395787'): string {
  for (let middle = 0; ; middle++) {
    const number = `${bin}${String(middle).padStart(12 - bin.length, '0')}${last4}`
    if (luhn(number) && !testCardOf(number)) return number
  }
}

/** The answer to a card that is typed. */
export async function type({ client }: Account, session: SessionSecret, last4: string) {
  return (await client.referenceCard(session, cardOf(liveNumber(last4)))).body
}
