// The page of a link without a purchase: the shopper chooses among the shop's goods.

import { button, element } from '../shared/element.ts'
import { formatAmount } from '../shared/money.ts'
import { say } from '../shared/words.ts'
import type { Context, Good } from './context.ts'
import { type OrderedItem, quantity_max } from './link.ts'
import { shopLine } from './summary.ts'

/** `chosen` is what the shopper wanted when they left this page, and `choose` gets what they want. */
export function choiceForm(
  context: Context,
  { goods, chosen, choose }: { goods: Good[]; chosen: OrderedItem[]; choose(ordered: OrderedItem[]): void },
): HTMLElement[] {
  const { words, locale } = context
  const currency = goods[0]!.currency
  const money = (amount: number) => element('bdi', {}, formatAmount(amount, currency, locale))
  const quantities = new Map(chosen.map(({ sku, quantity }) => [sku, quantity]))
  const total = element('output', { class: 'amount', 'aria-live': 'polite' })
  const goOn = element('button', { type: 'submit', class: 'primary' }, say(words, 'continue'))
  const complaint = element('p', { class: 'complaint', role: 'alert' })
  const ordered = () =>
    goods.map(({ sku }) => ({ sku, quantity: quantities.get(sku) ?? 0 })).filter(({ quantity }) => quantity > 0)
  const refresh = () => {
    complaint.replaceChildren()
    total.replaceChildren(money(sumOf(goods, quantities)))
    // Not `disabled`, so that a press says what is missing.
    goOn.setAttribute('aria-disabled', String(ordered().length === 0))
  }
  const rows = goods.map((good) => {
    const label = element('bdi', { class: 'name' }, good.name)
    const price = element('span', { class: 'price' }, money(good.unit_amount))
    const stepper = stepperOf(
      {
        quantity: say(words, 'quantity', { name: good.name }),
        less: say(words, 'one_less', { name: good.name }),
        more: say(words, 'one_more', { name: good.name }),
      },
      quantities.get(good.sku) ?? 0,
      (quantity) => {
        quantities.set(good.sku, quantity)
        refresh()
      },
    )
    const text = element('span', { class: 'text' }, label, price)
    return element('li', {}, picture(good), text, stepper)
  })
  const form = element(
    'form',
    { novalidate: '' },
    element('ul', { class: 'goods' }, ...rows),
    element('p', { class: 'line total' }, element('span', {}, say(words, 'total')), total),
    complaint,
    goOn,
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (ordered().length > 0) choose(ordered())
    else complaint.replaceChildren(say(words, 'choose_something'))
  })
  refresh()
  const heading = element('h1', { tabindex: '-1' }, say(words, 'choose'))
  const is_test = context.config.mode === 'test'
  const test = is_test ? [element('p', { class: 'test' }, say(words, 'test_mode'))] : []
  return [shopLine(context, 'p'), ...test, heading, form]
}

function sumOf(goods: Good[], quantities: Map<string, number>): number {
  return goods.reduce((sum, { sku, unit_amount }) => sum + unit_amount * (quantities.get(sku) ?? 0), 0)
}

type StepperNames = { quantity: string; less: string; more: string }

/** A number field between two buttons. When the shopper leaves it, a number outside 0 to 99 is corrected. */
function stepperOf(names: StepperNames, begin: number, changed: (quantity: number) => void): HTMLElement {
  const field = element('input', {
    type: 'number',
    min: '0',
    max: String(quantity_max),
    step: '1',
    value: String(begin),
    inputmode: 'numeric',
    'aria-label': names.quantity,
  })
  const read = () => Math.min(quantity_max, Math.max(0, Math.trunc(field.valueAsNumber || 0)))
  const step = (by: number) => {
    field.value = String(Math.min(quantity_max, Math.max(0, read() + by)))
    tell()
  }
  const less = button({ 'aria-label': names.less }, '−', () => step(-1))
  const more = button({ 'aria-label': names.more }, '+', () => step(1))
  const mark = () => {
    // Not `disabled`, because a button that is disabled while it is pressed would lose the focus.
    less.setAttribute('aria-disabled', String(read() === 0))
    more.setAttribute('aria-disabled', String(read() === quantity_max))
  }
  const tell = () => {
    mark()
    changed(read())
  }
  field.addEventListener('input', tell)
  field.addEventListener('change', () => step(0))
  mark()
  return element('span', { class: 'stepper' }, less, field, more)
}

/** The shop's own picture. The name is beside it, so it needs no alternative text. */
function picture({ image_url }: Good): HTMLElement | null {
  if (!image_url) return null
  const image = element('img', {
    alt: '',
    width: '56',
    height: '56',
    loading: 'lazy',
    decoding: 'async',
    referrerpolicy: 'no-referrer',
  })
  image.addEventListener('error', () => image.remove())
  image.src = image_url
  return image
}
