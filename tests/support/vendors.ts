// The fake vendors as the tests of the assembled service use them: what credentials a connection has, and where the money is.

import type { NoticePost } from '../../src/acquirers/acquirer.ts'
import { longReference, shortReference } from '../../src/acquirers/reference.ts'
import type { Clock } from '../../src/kernel/world.ts'
import { openAdyenFake } from '../adapters/fakes/adyen/server.ts'
import { openCheckoutFake } from '../adapters/fakes/checkout/server.ts'
import { openStripeFake } from '../adapters/fakes/stripe/server.ts'
import { adyenDispute, checkoutDispute, type DisputeFacts, listedOf, stripeDispute } from './dispute-posts.ts'
import { adyenPortal, checkoutPortal, type Portal, stripePortal } from './portals.ts'

export const vendor_names = ['checkout', 'stripe', 'adyen'] as const
export type VendorName = (typeof vendor_names)[number]

/** One charge in the vendor's books. Amounts are in minor units, and of what is there now. */
export type VendorCharge = {
  /** Ours. */
  reference: string
  /** The vendor's. */
  transaction_id: string
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
  /**
   * Its habits from now on. `refuses_reversals`: it takes nothing back, as where the account has no balance for that. `life_ms`: how
   * long what is reserved stays so.
   */
  habits: { refuses_reversals: boolean; life_ms: number }
  /** The shopper's bank sends back what was refunded of a charge. */
  sendBack(reference: string): void
  /** What people do there without us. */
  portal: Portal
  /** What is posted of a dispute of a charge beside the other notices. The vendor may post nothing of that step. */
  dispute(reference: string, facts?: Partial<DisputeFacts>): NoticePost[]
  /** Shows a dispute of a charge from now on, where it lists them, in place of what it showed of it. Posts nothing. */
  listDispute(reference: string, facts?: Partial<DisputeFacts>): void
  /** Whether the key may read disputes, where it lists them. */
  rights: { disputes: boolean }
  /** Makes a charge of ours once more, under another id: a proxy has repeated the request. `as`: with another reference. */
  repeat(reference: string, as?: string, mark?: 'unmarked'): void
  /** What was wrong with requests. */
  wrong: string[]
  close(): Promise<void>
}

/** Captures, voids and refunds are carried out so much later, where the vendor does them later. */
export const settles_after_ms = 20_000

export async function openFakeVendor(name: VendorName, clock: Clock, later_ms = settles_after_ms): Promise<FakeVendor> {
  const { fake, credentials, charges, ...acts } = await openers[name](clock, later_ms)
  const shown: { id: string }[] = 'disputes' in fake ? fake.disputes : []
  const { url: api_url, wrong } = fake
  return {
    ...acts,
    habits: fake.books.habits,
    rights: 'rights' in fake ? fake.rights : { disputes: false },
    listDispute(reference, facts) {
      if (name === 'adyen') return
      for (const post of acts.dispute(reference, facts)) {
        const listed = listedOf(name, post)
        const at = shown.findIndex(({ id }) => id === listed.id)
        shown.splice(at < 0 ? shown.length : at, at < 0 ? 0 : 1, listed)
      }
    },
    name,
    charges,
    wrong,
    credentials: { ...credentials, api_url },
    secrets: Object.entries(credentials).flatMap(([member, value]) => (member === 'merchant_account' ? [] : [value])),
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
          transaction_id: payment.id,
          is_marked: 'ripper_installation' in payment.metadata,
          reserved: is_reserved ? payment.amount : 0,
          taken,
          refunded: books.total(payment, 'Refund'),
        }
      })
    const paymentOf = (reference: string) =>
      books.payments.find((payment) => payment.reference === shortReference(reference))!
    const sendBack = (reference: string) =>
      books.sendBack(books.payments.find((each) => longReference(each.reference) === reference)!)
    return {
      sendBack,
      fake,
      credentials: { secret_key, signature_key },
      charges,
      portal: checkoutPortal(books),
      dispute(reference: string, facts?: Partial<DisputeFacts>) {
        const { id, amount, reference: short, currency } = paymentOf(reference)
        const keys = { transaction_id: id, reference: short, signature_key }
        return checkoutDispute({ ...disputeOf(id, { amount, currency }, clock.now()), ...facts }, keys)
      },
      repeat(reference: string, as = reference, mark?: 'unmarked') {
        const payment = paymentOf(reference)
        const named = { reference: shortReference(as), metadata: mark ? {} : payment.metadata }
        const actions = payment.actions.map(({ id, ...each }) => {
          return { ...each, id: `${id}2`, reference: named.reference }
        })
        const again = { ...payment, ...named, id: `${payment.id}2`, actions }
        books.payments.push({ ...again, requested_at: clock.now() })
      },
    }
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
          transaction_id: intent.id,
          is_marked: 'ripper_installation' in intent.metadata,
          reserved: is_reserved ? intent.amount : 0,
          taken: was_taken ? (books.takenOf(intent) ?? 0) : 0,
          refunded: books.givenOf(intent),
        }
      })
    const intentOf = (reference: string) =>
      books.intents.find(({ metadata }) => metadata.ripper_reference === reference)!
    const sendBack = (reference: string) =>
      books.sendBack(books.intents.find(({ metadata }) => metadata.ripper_reference === reference)!)
    return {
      sendBack,
      fake,
      credentials: { secret_key, webhook_secret },
      charges,
      portal: stripePortal(books, clock.now),
      dispute(reference: string, facts?: Partial<DisputeFacts>) {
        const { id, amount, currency } = intentOf(reference)
        const now = clock.now()
        const keys = { transaction_id: id, reference, webhook_secret }
        return stripeDispute({ ...disputeOf(id, { amount, currency }, now), ...facts }, keys, now)
      },
      repeat(reference: string, as = reference, mark?: 'unmarked') {
        const intent = intentOf(reference)
        const names = { id: `${intent.id}2`, charge_id: `${intent.charge_id}2` }
        const metadata = mark ? {} : { ...intent.metadata, ripper_reference: as }
        const again = { ...intent, ...names, metadata, refunds: [], created_at: clock.now() }
        books.intents.push(again)
      },
    }
  },

  async adyen(clock: Clock, later_ms: number) {
    const fake = await openAdyenFake({ clock, settles_after_ms: later_ms })
    const { api_key, merchant_account, hmac_key, books } = fake
    const charges = () =>
      books.payments.map((payment): VendorCharge => {
        const taken = books.sum(payment, 'capture')
        return {
          reference: payment.reference,
          transaction_id: payment.psp,
          is_marked: 'ripper_installation' in payment.metadata,
          reserved: books.isLive(payment) && taken === 0 ? payment.amount : 0,
          taken,
          refunded: books.sum(payment, 'refund'),
        }
      })
    const credentials = { api_key, merchant_account, hmac_key }
    const portal = adyenPortal(books, 'RMA-2026-17')
    const sendBack = (reference: string) => books.sendBack(books.payments.find((each) => each.reference === reference)!)
    return {
      sendBack,
      fake,
      credentials,
      charges,
      portal,
      dispute(reference: string, facts?: Partial<DisputeFacts>) {
        const { psp, amount, currency } = books.payments.find((each) => each.reference === reference)!
        const keys = { transaction_id: psp, reference, merchant_account, hmac_key }
        return adyenDispute({ ...disputeOf(psp, { amount, currency }, clock.now()), ...facts }, keys)
      },
      repeat(reference: string, as = reference, mark?: 'unmarked') {
        const payment = books.payments.find((each) => each.reference === reference)!
        const metadata = mark ? {} : payment.metadata
        const again = { ...payment, psp: `${payment.psp}2`, reference: as, metadata }
        books.payments.push({ ...again, asked_at: clock.now(), decided_at: clock.now() })
      },
    }
  },
}

/** One that has just been opened of all of a charge. */
function disputeOf(transaction_id: string, money: { amount: number; currency: string }, at: Date): DisputeFacts {
  const respond_by = new Date(Math.floor(at.getTime() / 1000) * 1000 + 14 * 24 * 3_600_000)
  const vendor_id = `DSP${transaction_id.replaceAll(/[^A-Za-z0-9]/g, '')}`
  return { step: 'opened', at, vendor_id, ...money, currency: money.currency.toUpperCase(), respond_by }
}
