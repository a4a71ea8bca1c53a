// A month of payouts as comma-separated values.

import { type MonthLine, month_columns } from '../../payouts/month.ts'
import { byte_order_mark, type Cell, csvLine } from '../export/csv.ts'

export type Part = { text: string; count: number }

/** The file of a month in parts, each with how many lines it has. */
export async function* fileOfMonth(lines: AsyncIterable<MonthLine[]>): AsyncGenerator<Part> {
  yield { text: byte_order_mark + csvLine([...month_columns]), count: 0 }
  for await (const some of lines) {
    yield {
      text: some.map((line) => csvLine(month_columns.map((name) => cellOf(line, name)))).join(''),
      count: some.length,
    }
  }
}

const amounts: readonly string[] = ['gross', 'fee', 'net', 'customer_amount']

function cellOf(line: MonthLine, name: (typeof month_columns)[number]): Cell {
  const value = line[name]
  return value !== null && amounts.includes(name) ? { decimal: value } : value
}
