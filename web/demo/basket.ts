// The basket: the number of each good, and the total.

/** `unit_amount` in minor units. */
export type Good = { sku: string; name: string; unit_amount: number; currency: string }

/** Quantities by sku. */
export type Basket = Record<string, number>

export type BasketLine = { good: Good; quantity: number; total: number }

export const quantity_max = 99

export function withQuantity(basket: Basket, sku: string, quantity: number): Basket {
  const { [sku]: _before, ...rest } = basket
  const wanted = Math.min(quantity_max, Math.trunc(quantity))
  return wanted > 0 ? { ...rest, [sku]: wanted } : rest
}

/** In the order of the goods. Leaves out goods that the shop no longer sells. */
export function linesOf(basket: Basket, goods: Good[]): BasketLine[] {
  return goods
    .filter(({ sku }) => Object.keys(basket).includes(sku))
    .map((good) => {
      const quantity = basket[good.sku]!
      return { good, quantity, total: quantity * good.unit_amount }
    })
}

export function totalOf(lines: BasketLine[]): number {
  return lines.reduce((sum, line) => sum + line.total, 0)
}

/** The hosted page with the same basket. */
export function hostedLink(hosted_url: string, lines: BasketLine[]): string {
  const url = new URL(hosted_url)
  for (const { good, quantity } of lines) url.searchParams.append('sku', `${good.sku}:${quantity}`)
  return url.href
}
