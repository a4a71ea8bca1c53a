// The small drawings in the fields: badges of brands, and a card that shows the place of the security code.

import { drawing, type Shape } from '../shared/element.ts'

/** Brands as people read them. */
export const brandNames: Record<string, string> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
}

/** Null for a brand without a badge. */
export function brandMark(brand: string): SVGSVGElement | null {
  const badge = badges[brand]
  if (!badge) return null
  const letters = { d: badge.letters, fill: 'none', stroke: '#fff', 'stroke-width': '1.7' }
  const mark = drawing('0 0 38 24', [
    ['rect', { width: '38', height: '24', rx: '4.5', fill: badge.ground }],
    ['path', { ...letters, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' }],
  ])
  mark.dataset.brand = brand
  return mark
}

/** Letters as strokes, so that they look the same without any font. */
const badges: Record<string, { ground: string; letters: string }> = {
  visa: {
    ground: '#243b8f',
    letters:
      'M6 8l2.7 8 2.7-8M15 8v8M24 9.2c-2.4-2-5.2-.9-5.2 1 0 2.7 5.2 1.3 5.2 3.9 0 2.1-3.1 2.8-5.4.8M27 16l2.7-8 2.7 8M28 13.4h3.4',
  },
  mastercard: {
    ground: '#a63c14',
    letters: 'M9 16V8l4.2 5.4L17.4 8v8M28.4 9.5c-3.4-3-7.6-.8-7.6 2.5s4.2 5.5 7.6 2.5',
  },
  amex: {
    ground: '#0b6580',
    letters:
      'M4.5 16l2.6-8 2.6 8M5.5 13.4h3.2M12.5 16V8l3.2 4.6L18.9 8v8M26 8h-3.8v8H26M22.2 12h3.2M28.7 8l4.8 8M33.5 8l-4.8 8',
  },
}

/** A card with the place of its security code in the mark's own colour. */
export function codeMark(length: 3 | 4): SVGSVGElement {
  const card = { x: '1', y: '3', width: '30', height: '20', rx: '3' }
  const outline: Shape = ['rect', { ...card, fill: 'none', stroke: 'currentColor' }]
  const place = { height: '6', rx: '1.5', class: 'place' }
  return drawing(
    '0 0 32 26',
    length === 4
      ? [
          outline,
          ['path', { d: 'M5 15h13M5 18.5h8', stroke: 'currentColor', 'stroke-width': '1.5' }],
          ['rect', { x: '18', y: '6', width: '11', ...place }],
        ]
      : [
          outline,
          ['rect', { x: '1', y: '6', width: '30', height: '4.5', fill: 'currentColor' }],
          ['rect', { x: '20', y: '13', width: '9', ...place }],
          ['path', { d: 'M5 16h12', stroke: 'currentColor', 'stroke-width': '1.5' }],
        ],
  )
}
