// Each vendor as the library meets it: its fake, the way through the door, what the library is configured with, and what it must read.

import type { Clock } from '../../src/kernel/world.ts'
import { openAdyenFake } from '../../tests/adapters/fakes/adyen/server.ts'
import { openCheckoutFake } from '../../tests/adapters/fakes/checkout/server.ts'
import { numberFor } from '../../tests/adapters/fakes/numbers.ts'
import { openStripeFake } from '../../tests/adapters/fakes/stripe/server.ts'
import { openDoor, type Way } from './door.ts'

/** What the library read of an answer, in its own words. */
export type Read = { status: string; id: string | null; code: string | null }

export type Vendor = {
  name: string
  config: object
  cards: { approved: string; declined: Record<string, string> }
  expected: Record<string, Partial<Read>>
  /** What the fake did not take, if anything. */
  wrong: string[]
  close(): Promise<void>
}

const declined = {
  insufficient_funds: numberFor('insufficient_funds'),
  expired_card: numberFor('expired_card'),
  lost_card: numberFor('lost_card'),
}
const cards = { approved: numberFor('approve'), declined }
const secret = (value: string) => ({ value })

const declinesOf = (codes: Record<keyof typeof declined, string>, status: string) =>
  Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, { status, code }]))

export const vendors: ((clock: Clock) => Promise<Vendor>)[] = [openCheckout, openStripe, openAdyen]

async function openCheckout(clock: Clock): Promise<Vendor> {
  const fake = await openCheckoutFake({ clock, settles_after_ms: 0 })
  const door = await openDoor(fake.url, checkoutWay)
  const key = secret(fake.secret_key)
  const channel = { processingChannelId: secret('pc_x') }
  return {
    name: 'checkout',
    cards,
    wrong: fake.wrong,
    close: closing(door, fake),
    config: { checkout: { apiKey: key, apiSecret: key, ...channel, baseUrl: `${door.url}/` } },
    expected: {
      approved: { status: 'AUTHORIZED' },
      captured: { status: 'CAPTURE_INITIATED' },
      voided: { status: 'VOIDED' },
      refunded: { status: 'REFUND_PENDING' },
      ...declinesOf({ insufficient_funds: '20051', expired_card: '20054', lost_card: '30041' }, 'FAILURE'),
    },
  }
}

const checkoutWay: Way = {
  credential: 'authorization',
  idempotency: 'cko-idempotency-key',
  pass({ path, text }, ask) {
    const { source, amount, currency, capture, reference } = JSON.parse(text)
    if (path !== '/payments') return ask(path, { amount, ...(reference && { reference }) })
    const { expiry_month, expiry_year, number, cvv } = source
    const expiry = { expiry_month: Number(expiry_month), expiry_year: Number(expiry_year) }
    return ask(path, {
      source: { type: 'card', number, ...expiry, cvv },
      amount,
      currency,
      capture,
      reference,
      '3ds': { enabled: false },
    })
  },
}

async function openStripe(clock: Clock): Promise<Vendor> {
  const fake = await openStripeFake({ clock })
  const door = await openDoor(fake.url, stripeWay)
  return {
    name: 'stripe',
    cards,
    wrong: fake.wrong,
    close: closing(door, fake),
    config: { stripe: { apiKey: secret(fake.secret_key), baseUrl: `${door.url}/` } },
    expected: {
      approved: { status: 'AUTHORIZED' },
      captured: { status: 'CHARGED' },
      voided: { status: 'VOIDED' },
      refunded: { status: 'REFUND_SUCCESS' },
      ...declinesOf(
        {
          insufficient_funds: 'insufficient_funds',
          expired_card: 'expired_card',
          lost_card: 'lost_card',
        },
        'REFUSED_WITH_402',
      ),
    },
  }
}

const stripeWay: Way = {
  credential: 'authorization',
  idempotency: 'idempotency-key',
  async pass({ path, text }, ask) {
    const sent = new URLSearchParams(text)
    if (path !== '/v1/payment_intents') return ask(path, text)
    // The library makes and confirms in one call, with the card in it. The published interface has them apart.
    const card = ['number', 'exp_month', 'exp_year', 'cvc'].map((member): [string, string] => [
      `card[${member}]`,
      sent.get(`payment_method_data[card][${member}]`)!,
    ])
    const method = await ask('/v1/payment_methods', form([['type', 'card'], ...card]))
    const intent = await ask(
      path,
      form([
        ['amount', sent.get('amount')!],
        ['currency', sent.get('currency')!.toLowerCase()],
        ['capture_method', sent.get('capture_method')!],
        ['payment_method', JSON.parse(method.text).id],
        ['allowed_payment_method_types[0]', 'card'],
      ]),
    )
    return ask(`${path}/${JSON.parse(intent.text).id}/confirm`, form([['error_on_requires_action', 'true']]))
  },
}

function form(members: [string, string][]): string {
  return String(new URLSearchParams(members))
}

async function openAdyen(clock: Clock): Promise<Vendor> {
  const fake = await openAdyenFake({ clock, settles_after_ms: 0 })
  const door = await openDoor(fake.url, adyenWay)
  const key = { apiKey: secret(fake.api_key), reviewKey: secret('none') }
  const account = { merchantAccount: secret(fake.merchant_account) }
  return {
    name: 'adyen',
    cards,
    wrong: fake.wrong,
    close: closing(door, fake),
    config: { adyen: { ...key, ...account, baseUrl: `${door.url}/` } },
    expected: {
      approved: { status: 'AUTHORIZED' },
      captured: { status: 'PENDING' },
      voided: { status: 'PENDING' },
      refunded: { status: 'REFUND_PENDING' },
      ...declinesOf({ insufficient_funds: '12', expired_card: '6', lost_card: '5' }, 'FAILURE'),
    },
  }
}

const adyenWay: Way = {
  credential: 'x-api-key',
  idempotency: 'idempotency-key',
  pass({ path, text }, ask) {
    // The library speaks an older version under a path of its own.
    const to = path.replace(/^\/v\d+/, '')
    const { merchantAccount, amount, reference, ...sent } = JSON.parse(text)
    if (to !== '/payments') return ask(to, { merchantAccount, reference, ...(amount && { amount }) })
    const { paymentMethod, returnUrl, additionalData } = sent
    const { type, number, expiryMonth, expiryYear, cvc } = paymentMethod
    const is_manual = additionalData.manualCapture === 'true'
    return ask(to, {
      merchantAccount,
      amount,
      reference,
      returnUrl,
      shopperInteraction: 'Ecommerce',
      paymentMethod: { type, number, expiryMonth, expiryYear, cvc },
      additionalData: { executeThreeD: 'false', ...(is_manual && { manualCapture: 'true' }) },
      ...(!is_manual && { captureDelayHours: 0 }),
      metadata: {},
    })
  },
}

function closing(...opened: { close(): Promise<void> }[]) {
  return async () => {
    for (const each of opened) await each.close()
  }
}
