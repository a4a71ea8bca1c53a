// The shop's first step: the goods, and the basket beside them.

import { button, element } from '../shared/element.ts'
import { formatAmount } from '../shared/money.ts'
import { pictureOf } from './art.ts'
import { type Basket, type BasketLine, type Good, linesOf, quantity_max, totalOf } from './basket.ts'

export type ShopEvents = {
  change: (sku: string, quantity: number) => void
  /** Rejects with an Error whose message is shown. */
  checkOut: () => Promise<void>
}

export function pounds({ unit_amount, currency }: Pick<Good, 'unit_amount' | 'currency'>): string {
  return formatAmount(unit_amount, currency, 'en-GB')
}

/** `refill` shows on each good how many are in the basket. */
export function shelf(goods: Good[], add: (sku: string) => void) {
  const counts = goods.map(() => element('span', { class: 'count' }))
  const cards = goods.map((good, index) =>
    element(
      'article',
      { class: 'good' },
      element('div', { class: 'picture' }, pictureOf(good.sku)),
      element('h2', {}, good.name),
      element('p', {}, pounds(good), counts[index]!),
      button({ 'aria-label': `Add to basket: ${good.name}` }, 'Add to basket', () => add(good.sku)),
    ),
  )
  const refill = (basket: Basket) => {
    for (const [index, { sku }] of goods.entries()) {
      counts[index]!.textContent = basket[sku] ? `${basket[sku]} in basket` : ''
    }
  }
  const made = element('section', { class: 'shelf', 'aria-label': 'Goods' }, ...cards)
  return { element: made, refill }
}

/** `refill` draws it again, and leaves the focus where it was. */
export function basketPanel(goods: Good[], events: ShopEvents) {
  const rows = element('div', { class: 'rows' })
  const spoken = element('p', { class: 'unseen', role: 'status' })
  const complaint = element('p', { class: 'complaint', role: 'alert' })
  const panel = element(
    'section',
    { class: 'panel', 'aria-labelledby': 'basket' },
    element('h2', { id: 'basket', tabindex: '-1' }, 'Basket'),
    rows,
    complaint,
    spoken,
  )
  const pay = button({ class: 'primary' }, 'Check out', async () => {
    if (pay.getAttribute('aria-disabled') === 'true') return
    pay.setAttribute('aria-disabled', 'true')
    complaint.textContent = ''
    try {
      await events.checkOut()
    } catch (error) {
      complaint.textContent = (error as Error).message
    }
    pay.setAttribute('aria-disabled', 'false')
  })

  const refill = (basket: Basket) => {
    const lines = linesOf(basket, goods)
    const focused = document.activeElement?.id
    spoken.textContent = lines.length === 0 ? '' : `Basket: ${amountOf(lines)}`
    rows.replaceChildren(
      ...(lines.length === 0
        ? [element('p', { class: 'empty' }, 'Nothing in it yet. The kettle is warm.')]
        : [linesTable(lines, (line) => quantityField(line, events.change)), pay]),
    )
    if (focused) document.getElementById(focused)?.focus()
  }
  return { element: panel, refill }
}

function amountOf(lines: BasketLine[]): string {
  return pounds({ unit_amount: totalOf(lines), currency: lines[0]!.good.currency })
}

/** Used beside the checkout, too, where `quantity` is only a text. */
export function linesTable(lines: BasketLine[], quantity: (line: BasketLine) => HTMLElement): HTMLElement {
  return element(
    'dl',
    {},
    ...lines.map((line) =>
      element(
        'div',
        {},
        element('dt', {}, line.good.name),
        element('dd', {}, quantity(line)),
        element('dd', { class: 'sum' }, pounds({ ...line.good, unit_amount: line.total })),
      ),
    ),
    element('div', { class: 'total' }, element('dt', {}, 'Total'), element('dd', { class: 'sum' }, amountOf(lines))),
  )
}

function quantityField({ good, quantity }: BasketLine, change: ShopEvents['change']): HTMLElement {
  const field = element('select', {
    id: `quantity-${good.sku}`,
    'aria-label': `Quantity of ${good.name}`,
  })
  // The list goes to twelve, or further if the basket already has more.
  const most = Math.min(quantity_max, Math.max(12, quantity))
  for (let count = 0; count <= most; count++) {
    const option = element('option', { value: String(count) }, count === 0 ? 'Remove' : `${count}`)
    option.selected = count === quantity
    field.append(option)
  }
  field.addEventListener('change', () => change(good.sku, Number(field.value)))
  return field
}
