// Reads a vendor's report: bytes in, lines out, one by one.

import { type Line, ReportFault } from '../line.ts'
import { adyenColumns, adyenLine } from './adyen.ts'
import { checkoutColumns, checkoutLine, dayInName } from './checkout.ts'
import { stripeColumns, stripeLine } from './stripe.ts'
import { type Bytes, readTable, type TableRow } from './table.ts'

export type ReportFile = {
  name: string
  bytes: Bytes
  /** A person's word on when it was paid, for reports that do not say it; null without one. */
  paid_on: string | null
}

type Reader = { columns: readonly string[]; lineOf(row: TableRow, paid_on: string | null): Line }

const readers: Record<string, Reader> = {
  stripe: { columns: stripeColumns, lineOf: stripeLine },
  adyen: { columns: adyenColumns, lineOf: adyenLine },
  checkout: { columns: checkoutColumns, lineOf: checkoutLine },
}

/** The connectors whose reports are read. */
export const reporting_connectors = Object.keys(readers)

/** Throws a ReportFault at the first line that cannot be read. */
export async function* readReport(connector: string, { name, bytes, paid_on }: ReportFile): AsyncGenerator<Line> {
  const { columns, lineOf } = readers[connector]!
  const day = paid_on ?? dayInName(name)
  const keyOf = openKeys()
  try {
    for await (const row of readTable(bytes, columns)) {
      const line = lineOf(row, day)
      yield { ...line, key: keyOf(line), paid_on: line.paid_on ?? paid_on }
    }
  } catch (error) {
    throw error instanceof ReportFault ? error.in(name) : error
  }
}

/** Costs of one name stand together in a report, so that so many suffice. */
const counted_max = 50_000

/** Tells apart lines of one file whose ids repeat: each next one has the next number. */
function openKeys(): (line: Line) => string {
  const counts = new Map<string, number>()
  return ({ payout, key, ids_repeat }) => {
    if (!ids_repeat) return key
    const name = `${JSON.stringify(payout)}${key}`
    const count = (counts.get(name) ?? 0) + 1
    // The one that came last goes last.
    counts.delete(name)
    counts.set(name, count)
    if (counts.size > counted_max) counts.delete(counts.keys().next().value!)
    return `${key}${count}`
  }
}
