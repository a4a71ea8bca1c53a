// What a receipt says, from the rows that it is written from.

import { descriptorOf } from '../statement-descriptor.ts'
import type { ReceiptPayment } from './receipt.ts'
import type { ReceiptContents } from './receipt-store.ts'

export function paidOf<Receipt extends ReceiptContents>(receipt: Receipt): Receipt & ReceiptPayment {
  const { customer, merchant_name, acquiring_profile } = receipt
  return {
    ...receipt,
    email: customer?.email ?? '',
    descriptor: descriptorOf({ name: merchant_name, acquiring_profile }, receipt),
  }
}
