// The goods, drawn. A shop of your own has photographs.

import { drawing, type Shape } from '../shared/element.ts'

const green = '#2f5d46'
const dark_green = '#24493a'
const clay = '#b9754c'
const cream = '#f4ead9'
const shade = '#d9cdb9'

const shadow: Shape = ['ellipse', { cx: '120', cy: '154', rx: '62', ry: '7', fill: shade }]

const tin: Shape[] = [
  shadow,
  ['rect', { x: '78', y: '50', width: '84', height: '104', rx: '9', fill: green }],
  ['rect', { x: '73', y: '34', width: '94', height: '24', rx: '7', fill: dark_green }],
  ['rect', { x: '90', y: '76', width: '60', height: '58', rx: '5', fill: cream }],
  ['path', { d: 'M120 84c15 10 15 28 0 40c-15-12-15-30 0-40z', fill: green }],
  ['path', { d: 'M120 94v36', stroke: cream, 'stroke-width': '2' }],
]

const pot: Shape[] = [
  shadow,
  [
    'path',
    {
      d: 'M162 82c28-12 44 4 38 26s-26 26-44 22',
      fill: 'none',
      stroke: clay,
      'stroke-width': '10',
      'stroke-linecap': 'round',
    },
  ],
  ['path', { d: 'M80 122c-24-4-30-30-44-48l13-6c10 16 18 22 34 20z', fill: clay }],
  ['path', { d: 'M68 104c0-30 22-50 52-50s52 20 52 50c0 26-20 50-52 50s-52-24-52-50z', fill: clay }],
  [
    'path',
    {
      d: 'M71 90c7-22 25-36 49-36s42 14 49 36c-8 9-15 2-24 7s-14-5-24-1s-16 7-26 2s-18 3-24-8z',
      fill: cream,
    },
  ],
  ['path', { d: 'M94 58c4-13 48-13 52 0z', fill: clay }],
  ['circle', { cx: '120', cy: '41', r: '7.5', fill: clay }],
]

const steam = { fill: 'none', stroke: shade, 'stroke-width': '4', 'stroke-linecap': 'round' }

const cup: Shape[] = [
  shadow,
  ['path', { d: 'M106 52c-8-9 8-15 0-26', ...steam }],
  ['path', { d: 'M132 52c-8-9 8-15 0-26', ...steam }],
  ['path', { d: 'M74 76h92c0 46-14 78-46 78s-46-32-46-78z', fill: clay }],
  [
    'path',
    {
      d: 'M74 76h92c0 13-1 22-4 30c-9 7-16-1-24 4s-15 5-23 1s-16 4-24 0s-10-1-14-6c-2-8-3-17-3-29z',
      fill: cream,
    },
  ],
  ['ellipse', { cx: '120', cy: '76', rx: '46', ry: '10', fill: '#e6d8c1' }],
  ['ellipse', { cx: '120', cy: '77', rx: '39', ry: '7', fill: '#7b4524' }],
]

const leaf: Shape[] = [
  ['path', { d: 'M4 28C2 12 12 3 29 3c1 17-8 27-25 25z', fill: green }],
  ['path', { d: 'M3 30C8 20 14 14 22 9', fill: 'none', stroke: cream, 'stroke-width': '1.8' }],
]

const drawings: Record<string, Shape[]> = { tea: tin, pot, cup }

/** A picture of a good; a leaf where none was drawn. */
export function pictureOf(sku: string): SVGSVGElement {
  const shapes = drawings[sku]
  return shapes ? drawing('0 0 240 180', shapes) : mark()
}

export function mark(): SVGSVGElement {
  return drawing('0 0 32 32', leaf)
}
