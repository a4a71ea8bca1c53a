// A page without a checkout: one card with the shop's name and what there is to say or to choose.

import { element } from '../shared/element.ts'
import { linksLine } from './links.ts'
import type { Page } from './payment.ts'
import { shopLine } from './summary.ts'

export function drawCard({ context, root }: Pick<Page, 'context' | 'root'>, ...parts: HTMLElement[]): void {
  const card = element('div', { class: 'card' }, ...parts, linksLine(context))
  root.replaceChildren(element('div', { class: 'alone' }, card))
}

/** The same under the shop's name. */
export function tell(page: Pick<Page, 'context' | 'root'>, ...parts: HTMLElement[]): void {
  drawCard(page, shopLine(page.context, 'h1'), ...parts)
}

/** What is no fault: it is paid, or too late. */
export function end(heading: string, ...parts: HTMLElement[]): HTMLElement {
  return element('div', { class: 'notice end', role: 'status' }, element('h2', {}, heading), ...parts)
}
