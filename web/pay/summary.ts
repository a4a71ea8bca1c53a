// The part of the page that shows the merchant and the lines. On a phone the lines fold away under the total.

import { drawing, element } from '../shared/element.ts'
import { formatAmount } from '../shared/money.ts'
import { say } from '../shared/words.ts'
import type { Context } from './context.ts'
import { backArrow } from './links.ts'
import type { Bill, BillLine } from './totals.ts'

export type Summary = { element: HTMLElement; show(bill: Bill): void }

export function summary(context: Context): Summary {
  const { words, config, locale, link } = context
  const total = element('p', { class: 'amount' })
  const lines = element('div', { class: 'bill', id: 'bill' })
  const fold = foldOf(say(words, 'order_summary'), lines)
  const made = element(
    'section',
    { class: 'summary bare', 'aria-label': say(words, 'order_summary') },
    shopLine(context, 'h1', say(words, 'pay_to', { shop: config.merchant.name })),
    ...(link?.description ? [element('p', { class: 'purpose', dir: 'auto' }, link.description)] : []),
    element('div', { class: 'sum' }, total, fold),
    lines,
  )
  const money = (bill: Bill, amount: number) =>
    element('bdi', {}, bill.currency ? formatAmount(amount, bill.currency, locale) : '')
  const row = (name: string, value: Node | string, style: string) =>
    element('div', { class: style }, element('dt', {}, name), element('dd', {}, value))

  const lineRow = (bill: Bill, line: BillLine) => {
    const name = line.name ?? say(words, line.kind === 'discount' ? 'discount' : 'amount')
    const term = element('dt', {}, element('bdi', { class: 'name' }, name))
    if (line.quantity !== 1) {
      const each = line.unit_amount === null ? null : money(bill, line.unit_amount)
      const quantity = element('bdi', {}, String(line.quantity))
      term.append(element('span', { class: 'each' }, quantity, ' × ', each))
    }
    const value = line.total === null ? '' : money(bill, line.total)
    return element('div', { class: `line ${line.kind}` }, term, element('dd', {}, value))
  }

  const show = (bill: Bill) => {
    const rows = bill.lines.map((line) => lineRow(bill, line))
    if (bill.adjustment !== 0) {
      rows.push(row(say(words, 'adjustment'), money(bill, bill.adjustment), 'line'))
    }
    const amount = bill.amount === null ? '' : money(bill, bill.amount)
    total.replaceChildren(amount)
    if (bill.lines.length > 0 && bill.amount !== null) {
      rows.push(row(say(words, 'total'), money(bill, bill.amount), 'line total'))
    }
    if (bill.order_reference) {
      rows.push(row(say(words, 'order'), element('bdi', {}, bill.order_reference), 'line order'))
    }
    lines.replaceChildren(element('dl', {}, ...rows))
    made.classList.toggle('bare', rows.length === 0)
  }
  return { element: made, show }
}

/** A button that opens and closes the lines on a phone. On a large screen the lines always show, without the button. */
function foldOf(label: string, lines: HTMLElement): HTMLButtonElement {
  const fold = element(
    'button',
    { type: 'button', class: 'fold', 'aria-expanded': 'false', 'aria-controls': 'bill' },
    label,
    drawing('0 0 12 12', [['path', { d: 'M2 4l4 4 4-4' }]]),
  )
  fold.addEventListener('click', () => {
    const open = lines.classList.toggle('open')
    fold.setAttribute('aria-expanded', String(open))
  })
  return fold
}

/** The shop, with the first letter of its name where a logo would be. */
export function shopLine(context: Context, tag: 'h1' | 'p', text = context.config.merchant.name) {
  const { config } = context
  const [letter = ''] = config.merchant.name.trim()
  const name = element(tag, tag === 'h1' ? { tabindex: '-1' } : {}, text)
  const monogram = { class: 'monogram', 'aria-hidden': 'true' }
  return element('div', { class: 'shop' }, backArrow(context), element('span', monogram, letter.toUpperCase()), name)
}
