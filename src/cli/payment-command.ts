// Commands about one payment. They find it by its id alone, whichever merchant it belongs to.

import { inCell } from '../database/cells/cells.ts'
import { Refusal } from '../kernel/errors.ts'
import type { PaymentKey } from '../payments/payment.ts'
import { findPaymentKey } from '../payments/reading/operator-store.ts'
import { type CommandContext, merchantNamed, merchantOption, withCommandContext } from './command-context.ts'
import { type Command, UsageError } from './terminal/command.ts'
import { command, type Option, type ValuesOf } from './terminal/option.ts'

type Work<Options, Result> = {
  name: string
  summary: string
  remarks?: string[]
  moves_money?: boolean
  /** What follows PAYMENT_ID, by its name. */
  more?: string[]
  /** Refuses options that do not go together, before the database is opened. */
  judge?(options: ValuesOf<Options>, more: string[]): void
  /** Runs where the payment's rows are. */
  work(context: CommandContext, key: PaymentKey, options: ValuesOf<Options>, more: string[]): Promise<Result>
  /** May return an exit status other than 0. */
  show(result: Result, json: boolean): number | undefined
}

export function paymentCommand<Result, Options extends Record<string, Option<unknown>>>({
  options,
  judge,
  work,
  show,
  moves_money = false,
  more = [],
  ...record
}: Work<Options, Result> & { options: Options }): Command {
  return command({
    ...record,
    positionals: ['PAYMENT_ID', ...more],
    options: { ...options, merchant: { ...merchantOption, meaning: 'its merchant; by default found by the payment' } },
    async run({ options: values, positionals, json }) {
      const [ownValues, { merchant }] = [values as ValuesOf<Options>, values as { merchant: string | undefined }]
      const payment_id = paymentIdIn(positionals[0]!, 'PAYMENT_ID')
      judge?.(ownValues, positionals.slice(1))
      const result = await withCommandContext(
        async (context) => {
          const key = await paymentKeyOf(context, payment_id, merchant)
          return work(await inCell(context, key.merchant_id), key, ownValues, positionals.slice(1))
        },
        { moves_money },
      )
      return show(result, json)
    },
  })
}

/** Throws if the text is not a payment id. */
export function paymentIdIn(typed: string, name: string): string {
  if (/^pay_[0-9a-f]{24}$/.test(typed)) return typed
  throw new UsageError(`${name} must be pay_ and 24 hexadecimal characters`)
}

/** The payment with this id, of any merchant unless one is given. Throws `resource_not_found`. */
export async function paymentKeyOf(
  { sql }: CommandContext,
  payment_id: string,
  merchant: string | undefined,
): Promise<PaymentKey> {
  const key = await findPaymentKey(sql, { payment_id, merchant_id: await merchantNamed(sql, merchant) })
  if (!key) throw new Refusal('resource_not_found', 'There is no payment with this id.')
  return key
}
