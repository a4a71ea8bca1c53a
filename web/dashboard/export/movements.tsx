// What was captured and given back, as a file: each movement is a row on its own day.

import { addressOf as routeAddress } from '../client/call.ts'
import { useHere } from '../merchant.ts'
import { amountWords } from '../parts/amount.tsx'
import { say, sayCount } from '../words.ts'
import { ExportButton, type ExportKind } from './export.tsx'
import { sumsOf } from './sums.ts'

export function useMovements(): ExportKind {
  const { merchant_id, mode } = useHere()
  return {
    name: say('export_movements'),
    words: say('export_movements_words'),
    summaryOf,
    addressOf: (times) =>
      routeAddress('GET /{merchant_id}/export/movements', { merchant_id, query: { mode, ...times } }).address,
  }
}

/** What the file's last column comes to, in each currency. */
function summaryOf(file: string): string {
  const { count, sums, is_cut } = sumsOf(file)
  const amounts = [...sums].map(([currency, amount]) => amountWords(amount, currency)).join(', ')
  const words = sayCount('export_sum_1', 'export_sum', count, { amounts: amounts || '–' })
  return is_cut ? `${words} ${say('export_not_all')}` : words
}

export function MovementsExport({ shown }: { shown: { created_from?: string; created_before?: string } }) {
  const { may } = useHere()
  const movements = useMovements()
  if (!may('export_transactions')) return null
  return <ExportButton title={movements.name} kinds={[movements]} shown={shown} />
}
