import { expect, test } from 'vitest'
import { sumsOf } from './sums.ts'

const heading = '\uFEFFat,kind,amount,currency,payment_id,order_reference,net_amount'
const file = (...lines: string[]) => `${[heading, ...lines].join('\r\n')}\r\n`

test.each<[string, string[], number, object]>([
  ['nothing', [], 0, {}],
  ['a capture', ['1,capture,42.00,GBP,pay_1,A-1,42.00'], 1, { GBP: 4200 }],
  ['less than one', ['1,refund,0.05,GBP,pay_1,A-1,-0.05'], 1, { GBP: -5 }],
  [
    'what adds up to a fraction in binary',
    ['1,capture,0.10,GBP,pay_1,A-1,0.10', '2,capture,0.20,GBP,pay_1,A-1,0.20'],
    2,
    { GBP: 30 },
  ],
  [
    'several currencies, one without decimals',
    ['1,capture,42.00,GBP,pay_1,A-1,42.00', '2,capture,500,JPY,pay_2,A-2,500', '3,refund,5.17,GBP,pay_1,A-1,-5.17'],
    3,
    { GBP: 3683, JPY: 500 },
  ],
  ['a text with commas and quotes', ['1,capture,42.00,GBP,pay_1,"a ""b"", 7,99",42.00'], 1, { GBP: 4200 }],
  [
    'a file that was cut',
    [
      '1,capture,42.00,GBP,pay_1,A-1,42.00',
      'NOT ALL: the file ends at 1 movements. Export a shorter span for the older ones.',
    ],
    1,
    { GBP: 4200 },
  ],
])('%s', (_, lines, count, sums) => {
  const found = sumsOf(file(...lines))
  const is_cut = lines.some((line) => line.startsWith('NOT ALL'))
  expect({ ...found, sums: Object.fromEntries(found.sums) }).toEqual({ count, sums, is_cut })
})
