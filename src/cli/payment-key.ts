// Which payment a command is for: an id is enough, whichever merchant's it is.

import type { PaymentKey } from '../checkout/payment.ts'
import { findPaymentKey } from '../checkout/reading/operator-store.ts'
import { Refusal } from '../kernel/errors.ts'
import { merchantOrRefuse } from '../merchants/manage.ts'
import { type CommandOffice, merchantOption, text } from './office.ts'
import { type Options, UsageError } from './terminal/command.ts'

export const paymentOptions = {
  merchant: { ...merchantOption, meaning: 'its merchant; found by the payment where left out' },
}

/** Throws where it is no payment id. */
export function requirePaymentId([id]: string[]): string {
  if (id && /^pay_[0-9a-f]{24}$/.test(id)) return id
  throw new UsageError('PAYMENT_ID must be pay_ and 24 hexadecimal characters')
}

/** The payment that an id names: of any merchant, unless one is named. Throws `resource_not_found`. */
export async function paymentKeyOf(
  { sql }: CommandOffice,
  options: Options,
  payment_id: string,
): Promise<PaymentKey> {
  const named = text(options, 'merchant')
  const merchant_id = named && (await merchantOrRefuse(sql, named)).merchant_id
  const key = await findPaymentKey(sql, { payment_id, merchant_id })
  if (!key) throw new Refusal('resource_not_found', 'There is no payment with this id.')
  return key
}
