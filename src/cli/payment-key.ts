// Finds the payment of a command by its id alone, whichever merchant it belongs to.

import type { PaymentKey } from '../checkout/payment.ts'
import { findPaymentKey } from '../checkout/reading/operator-store.ts'
import { Refusal } from '../kernel/errors.ts'
import { merchantOrRefuse } from '../merchants/manage.ts'
import { type CommandContext, merchantOption, text } from './command-context.ts'
import { type Options, UsageError } from './terminal/command.ts'

export const paymentOptions = {
  merchant: {
    ...merchantOption,
    meaning: 'its merchant; by default the service finds it by the payment',
  },
}

/** Throws if the text is not a payment id. */
export function requirePaymentId([id]: string[]): string {
  if (id && /^pay_[0-9a-f]{24}$/.test(id)) return id
  throw new UsageError('PAYMENT_ID must be pay_ and 24 hexadecimal characters')
}

/** The payment with this id, of any merchant unless one is given. Throws `resource_not_found`. */
export async function paymentKeyOf({ sql }: CommandContext, options: Options, payment_id: string): Promise<PaymentKey> {
  const named = text(options, 'merchant')
  const merchant_id = named && (await merchantOrRefuse(sql, named)).merchant_id
  const key = await findPaymentKey(sql, { payment_id, merchant_id })
  if (!key) throw new Refusal('resource_not_found', 'There is no payment with this id.')
  return key
}
