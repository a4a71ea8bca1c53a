// The fake vendors as the tests of the assembled service use them: what credentials a connection has, and where the money is.

import type { NoticePost } from '../../src/acquirers/acquirer.ts'
import { longReference } from '../../src/acquirers/reference.ts'
import type { Clock } from '../../src/kernel/world.ts'
import { openAdyenFake } from '../adapters/fakes/adyen/server.ts'
import { openCheckoutFake } from '../adapters/fakes/checkout/server.ts'
import { openStripeFake } from '../adapters/fakes/stripe/server.ts'

export const vendor_names = ['checkout', 'stripe', 'adyen'] as const
export type VendorName = (typeof vendor_names)[number]

/** One charge in the vendor's books. Amounts are in minor units, and of what is there now. */
export type VendorCharge = {
  /** Ours. */
  reference: string
  /** Whether it bears a mark of ours. */
  is_marked: boolean
  reserved: number
  taken: number
  refunded: number
}

export type FakeVendor = {
  name: VendorName
  /** Of a connection that is led to the fake. */
  credentials: Record<string, string>
  /** What must be in no row and no line. */
  secrets: string[]
  /** The next request that may move money is answered so; the names are those of the vendor's own faults. */
  next(fault: string): void
  /** The next capture, void or refund is carried out of this much alone. */
  carryOutPart(amount: number): void
  /** The next charge shifts no liability, whatever 3-D Secure says. */
  refuseShift(): void
  /** From now on it answers as the vendor's live environment, where an answer shows that. */
  beLive(): void
  charges(): VendorCharge[]
  notices(): NoticePost[]
  /** What was wrong with requests. */
  wrong: string[]
  close(): Promise<void>
}

/** Captures, voids and refunds are carried out so much later, where the vendor does them later. */
export const settles_after_ms = 20_000

export async function openFakeVendor(
  name: VendorName,
  clock: Clock,
  later_ms = settles_after_ms,
): Promise<FakeVendor> {
  const { fake, credentials, charges } = await openers[name](clock, later_ms)
  const { url: api_url, wrong } = fake
  return {
    ...{ name, charges, wrong, credentials: { ...credentials, api_url } },
    secrets: Object.entries(credentials).flatMap(([member, value]) =>
      member === 'merchant_account' ? [] : [value],
    ),
    next: (fault) => fake.next(fault as never),
    beLive() {
      if ('environment' in fake.books) fake.books.environment.is_live = true
    },
    refuseShift: () => fake.books.refuseShift(),
    carryOutPart: (amount) => fake.books.carryOutPart(amount),
    notices: () => fake.notices(),
    close: () => fake.close(),
  }
}

const openers = {
  async checkout(clock: Clock, later_ms: number) {
    const fake = await openCheckoutFake({ clock, settles_after_ms: later_ms })
    const { secret_key, signature_key, books } = fake
    const charges = () =>
      books.payments.map((payment): VendorCharge => {
        const taken = books.total(payment, 'Capture')
        const is_reserved = books.statusOf(payment) === 'Authorized'
        return {
          reference: longReference(payment.reference) ?? payment.reference,
          is_marked: 'ripper_installation' in payment.metadata,
          reserved: is_reserved ? payment.amount : 0,
          ...{ taken, refunded: books.total(payment, 'Refund') },
        }
      })
    return { fake, credentials: { secret_key, signature_key }, charges }
  },

  async stripe(clock: Clock) {
    const fake = await openStripeFake({ clock })
    const { secret_key, webhook_secret, books } = fake
    const charges = () =>
      books.intents.map((intent): VendorCharge => {
        const is_reserved = books.statusOf(intent) === 'requires_capture'
        const was_taken = books.statusOf(intent) === 'succeeded'
        return {
          reference: intent.metadata.ripper_reference ?? '',
          is_marked: 'ripper_installation' in intent.metadata,
          reserved: is_reserved ? intent.amount : 0,
          taken: was_taken ? (books.takenOf(intent) ?? 0) : 0,
          refunded: books.givenOf(intent),
        }
      })
    return { fake, credentials: { secret_key, webhook_secret }, charges }
  },

  async adyen(clock: Clock, later_ms: number) {
    const fake = await openAdyenFake({ clock, settles_after_ms: later_ms })
    const { api_key, merchant_account, hmac_key, books } = fake
    const charges = () =>
      books.payments.map((payment): VendorCharge => {
        const taken = books.sum(payment, 'capture')
        return {
          reference: payment.reference,
          is_marked: 'ripper_installation' in payment.metadata,
          reserved: books.isLive(payment) && taken === 0 ? payment.amount : 0,
          ...{ taken, refunded: books.sum(payment, 'refund') },
        }
      })
    const credentials = { api_key, merchant_account, hmac_key }
    return { fake, credentials, charges }
  },
}
