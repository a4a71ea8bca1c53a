// What is bought: the body that creates a session, its basket and its customer.

import { z } from 'zod'
import { currency } from '../http/currency.ts'
import { rule } from '../http/validate.ts'
import { amount_max, noControls } from '../kernel/values.ts'
import { amount, email, metadata, must, nullIfEmpty, optionalText, reference, text, wholeNumber } from './fields.ts'

export const itemKinds = ['product', 'shipping', 'discount', 'fee'] as const

export type Item = {
  kind: (typeof itemKinds)[number]
  sku: string | null
  name: string | null
  quantity: number
  unit_amount: number | null
  tax_amount: number | null
  tax_rate: number | null
  type: string | null
}

export type Customer = {
  email: string | null
  name: string | null
  account_created: string | null
  account_id: string | null
  metadata: Record<string, string> | null
}

const itemRequest = z
  .strictObject(
    {
      kind: z.enum(itemKinds, must(`be one of ${itemKinds.join(', ')}`)).nullish(),
      sku: optionalText(200).meta({ description: 'a line needs a sku or a name' }),
      name: optionalText(200).meta({ description: 'required where the line has a unit_amount' }),
      quantity: wholeNumber(1, 1_000_000),
      unit_amount: wholeNumber(0, amount_max)
        .nullish()
        .meta({ description: `tax inclusive; times quantity at most ${amount_max}` }),
      tax_amount: wholeNumber(0, amount_max).nullish().meta({ description: 'at most quantity times unit_amount' }),
      tax_rate: wholeNumber(0, 100_000).nullish().meta({ description: 'in basis points' }),
      type: optionalText(32),
    },
    must('be an object'),
  )
  .superRefine((item, context) => {
    const fault = itemFault(item)
    if (fault) context.addIssue({ code: 'custom', message: fault.message, path: [fault.field] })
  })
  .transform(
    (item): Item => ({
      kind: item.kind ?? 'product',
      sku: item.sku ?? null,
      name: item.name ?? null,
      quantity: item.quantity,
      unit_amount: item.unit_amount ?? null,
      tax_amount: item.tax_amount ?? null,
      tax_rate: item.tax_rate ?? null,
      type: item.type ?? null,
    }),
  )
  .meta({ title: 'ItemCreate', note: 'A line of a basket, as it is sent.' })

type ItemRequest = Pick<Partial<Item>, 'sku' | 'name' | 'unit_amount' | 'tax_amount'> & {
  quantity: number
}

/** What is wrong with a line by itself, or null. */
export function itemFault(item: ItemRequest): { field: string; message: string } | null {
  if (item.sku == null && item.name == null) {
    return { field: 'sku', message: 'is required where the line has no name' }
  }
  if (item.unit_amount == null) return null
  if (item.name == null) {
    return { field: 'name', message: 'is required where the line has a unit_amount' }
  }
  const message = totalFault(item)
  if (message) return { field: 'unit_amount', message }
  if (item.tax_amount != null && item.tax_amount > item.quantity * item.unit_amount) {
    return { field: 'tax_amount', message: 'must be between 0 and quantity times unit_amount' }
  }
  return null
}

/** What is wrong with a line's unit_amount and quantity together, or null. */
export function totalFault({ quantity, unit_amount }: ItemRequest): string | null {
  const is_over = quantity * (unit_amount ?? 0) > amount_max
  return is_over ? `times quantity must not exceed ${amount_max}` : null
}

export const items = z
  .array(itemRequest, must('be an array'))
  .max(100, must('have at most 100 lines'))
  .superRefine((lines, context) => {
    const fault = basketFault(lines)
    if (fault) context.addIssue({ code: 'custom', message: fault })
  })

/** What is wrong with the lines together, or null. */
export function basketFault(lines: Item[]): string | null {
  const { discounts, others } = sums(lines)
  return others !== null && discounts > others ? 'have discounts that exceed everything else' : null
}

/** The UTF-8 bytes of the texts in the lines. */
export function textBytes(lines: Item[]): number {
  const texts = lines.map(({ sku, name, type }) => `${sku ?? ''}${name ?? ''}${type ?? ''}`)
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
}

/** The members of a customer that a server may send. A page may send more. */
export const customerMembers = {
  email: email.nullish(),
  name: optionalText(200),
  account_id: reference.nullish(),
  metadata: metadata.nullish(),
}

const customerRequest = z
  .strictObject(customerMembers, must('be an object'))
  .transform((customer) => customerOf(customer))
  .meta({ title: 'CustomerCreate', note: 'The shopper, as sent.' })

/** A customer with every member; null for those that were not sent. */
export function customerOf(body: { [Member in keyof Customer]?: Customer[Member] }): Customer {
  return {
    email: body.email ?? null,
    name: body.name ?? null,
    account_created: body.account_created ?? null,
    account_id: body.account_id ?? null,
    metadata: body.metadata ?? null,
  }
}

export const descriptorSuffix = z
  .string(must('be text'))
  .refine((suffix) => suffix.length <= 44 && [...suffix].length <= 22, {
    ...rule('metadata_too_large', 'must have at most 22 characters'),
    abort: true,
  })
  .regex(noControls, must('not contain control characters'))
  .meta({ maxLength: 22 })
  .transform(nullIfEmpty)

export const sessionCreate = z
  .strictObject({
    amount,
    currency,
    items: items.nullish(),
    customer: customerRequest.nullish(),
    metadata: metadata.nullish(),
    statement_descriptor_suffix: descriptorSuffix.nullish(),
    order_reference: reference.nullish(),
    confirmation_url: text(2048)
      .nullish()
      .meta({ description: "https, on one of the default integration's allowed origins" }),
  })
  .meta({ title: 'CheckoutSessionCreate', note: 'The body that creates a checkout session.' })

/** The three members that show a basket in sessions, payments and events. */
export function viewBasket(items: Item[] | null) {
  return { items, basket_total: basketTotal(items), tax_total: taxTotal(items) }
}

/** The total with tax, after discounts; null without lines, or if a line has no price yet. */
export function basketTotal(lines: Item[] | null): number | null {
  if (!lines || lines.length === 0 || lines.some((line) => line.unit_amount === null)) return null
  const { discounts, others } = sums(lines)
  return (others ?? 0) - discounts
}

/** The sum of the tax that lines name, after the discounts' tax, at least 0; null if no line names a tax. */
export function taxTotal(lines: Item[] | null): number | null {
  const taxed = lines?.filter((line) => line.tax_amount !== null) ?? []
  if (taxed.length === 0) return null
  const taxes = taxed.map((line) => (line.kind === 'discount' ? -1 : 1) * line.tax_amount!)
  return Math.max(
    0,
    taxes.reduce((sum, tax) => sum + tax, 0),
  )
}

/** The sum of the discounts and the sum of the other lines; `others` is null while a line's price is unknown. */
function sums(lines: Item[]): { discounts: number; others: number | null } {
  let discounts = 0
  let others: number | null = 0
  for (const line of lines) {
    const total = line.unit_amount === null ? null : line.quantity * line.unit_amount
    if (line.kind === 'discount') discounts += total ?? 0
    else others = others === null || total === null ? null : others + total
  }
  return { discounts, others }
}
