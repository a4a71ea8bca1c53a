// What the tab keeps, so that a reload goes on where the shopper was, even in the middle of a bank's check.

import type { Basket } from './basket.ts'

/** As the shop's server answers. */
export type Order = { client_secret: string; public_key: string; order_reference: string }

export type PaymentResult = { status: string; payment_id: string | null }

export type DemoState = { basket: Basket; order: Order | null; paid: PaymentResult | null }

export const nothing: DemoState = { basket: {}, order: null, paid: null }

const key = 'hearth-and-leaf'

/** `open` throws if the browser allows no storage. */
export function readKept(open: () => Pick<Storage, 'getItem'>): DemoState {
  try {
    return parse(open().getItem(key))
  } catch {
    return nothing
  }
}

export function writeKept(open: () => Pick<Storage, 'setItem'>, kept: DemoState) {
  try {
    open().setItem(key, JSON.stringify(kept))
  } catch {
    // Then a reload begins with an empty basket.
  }
}

/** Exported for its tests. Ignores what another version of the page has kept. */
export function parse(text: string | null): DemoState {
  const { basket, order, paid } = (JSON.parse(text ?? 'null') ?? {}) as Record<string, unknown>
  return {
    basket: Object.fromEntries(
      Object.entries(recordOf(basket)).filter(([, quantity]) => isQuantity(quantity)),
    ) as Basket,
    order: hasTexts(order, ['client_secret', 'public_key', 'order_reference']) ? (order as Order) : null,
    paid: hasTexts(paid, ['status']) ? (paid as PaymentResult) : null,
  }
}

function isQuantity(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0
}

function hasTexts(value: unknown, names: string[]): boolean {
  return names.every((name) => typeof recordOf(value)[name] === 'string')
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
