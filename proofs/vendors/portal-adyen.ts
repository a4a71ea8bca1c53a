// The portal of the fake Adyen, whose Customer Area lets people name what they do.

import type { FakePayment } from '../../tests/adapters/fakes/adyen/books.ts'
import type { AdyenVendor } from '../../tests/adapters/fakes/adyen/server.ts'
import { type NoticeItem, posted, signed } from '../../tests/adapters/fakes/adyen/views.ts'
import { card, isOld, type Portal, partOf, portalOf, type Room } from './portal.ts'

export function portalAtAdyen(vendor: AdyenVendor, clock: Room): Portal {
  const { books, merchant_account, hmac_key } = vendor
  let acts = 0
  const settle = (payment: FakePayment, path: Parameters<typeof books.settle>[0], value?: number) => {
    const { currency } = payment
    const body = { merchantAccount: merchant_account, reference: `RMA-2026-${++acts}` }
    const amount = value === undefined ? {} : { amount: { value, currency } }
    const done = books.settle(path, payment, { ...body, ...amount })
    done.due_at = clock.now()
    return done.success
  }
  const leftOf = (payment: FakePayment) => books.sum(payment, 'capture') - books.sum(payment, 'refund')
  return portalOf(books.find, clock, (extras, { expired, unasked }) => ({
    capture: (payment) => isReserved(payment) && settle(payment, 'captures', payment.amount),
    capture_in_part(payment) {
      const part = partOf(payment.amount)
      return isReserved(payment) && part !== null && settle(payment, 'captures', part)
    },
    void: (payment) => isReserved(payment) && settle(payment, 'cancels'),
    refund: (payment) => leftOf(payment) > 0 && settle(payment, 'refunds', leftOf(payment)),
    refund_in_part(payment) {
      const part = partOf(leftOf(payment))
      return part !== null && settle(payment, 'refunds', part)
    },
    cancel_or_refund: (payment) => (isReserved(payment) || leftOf(payment) > 0) && settle(payment, 'reversals'),
    expire(payment) {
      const is_untouched = !books.modifications.some((each) => each.payment === payment && each.success)
      if (!books.isLive(payment) || !is_untouched) return false
      const { psp, reference, amount } = payment
      const now = clock.now()
      books.modifications.push({
        psp: `E${psp.slice(1)}`,
        event: 'EXPIRE',
        takes: 'cancel',
        amount,
        reference,
        payment,
        asked_at: now,
        due_at: now,
        success: true,
        reason: '',
      })
      expired.set(psp, now)
      return true
    },
    charge_again({ reference, amount: value, currency, capture, metadata }) {
      const paymentMethod = {
        type: 'scheme',
        number: card.number,
        expiryMonth: '12',
        expiryYear: '2030',
      } as const
      const rest = { returnUrl: 'https://other.example/', shopperInteraction: 'Ecommerce' } as const
      const body = {
        merchantAccount: merchant_account,
        amount: { value, currency },
        reference,
        paymentMethod,
      }
      const at_once = capture ? ({ captureDelayHours: 0 } as const) : {}
      const additionalData = { executeThreeD: 'false' } as const
      unasked.add(books.authorise({ ...body, ...rest, ...at_once, additionalData, metadata }, 'approve').psp)
      return true
    },
    approve_late(payment) {
      if (payment.decided_at !== null) return false
      payment.decided_at = clock.now()
      return true
    },
    send_back(payment) {
      const given = books.modifications.findLast(
        (each) => each.payment === payment && each.takes === 'refund' && each.success && isOld(each.due_at, clock),
      )
      if (!given) return false
      const item = vendor.items().find((each) => each.pspReference === given.psp)!
      const { additionalData: _, ...rest } = item
      const failed: NoticeItem = {
        ...rest,
        eventCode: 'REFUND_FAILED',
        additionalData: {},
        eventDate: clock.now().toISOString(),
      }
      // The notice of its success stays what it was.
      given.takes = null
      extras.push({
        name: `${given.psp} failed`,
        post: () => posted([signed(hmac_key, failed)]),
      })
      return true
    },
  }))

  function isReserved(payment: FakePayment): boolean {
    return books.isLive(payment) && books.sum(payment, 'capture') === 0
  }
}
