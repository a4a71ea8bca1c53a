// What was captured and given back, as a file: each movement is a row on its own day.

import { addressOf as routeAddress } from '../client/call.ts'
import { useHere } from '../merchant.ts'
import { say } from '../words.ts'
import { ExportButton, type ExportKind } from './export.tsx'

export function useMovements(): ExportKind {
  const { merchant_id, mode } = useHere()
  return {
    name: say('export_movements'),
    words: say('export_movements_words'),
    addressOf: (times) =>
      routeAddress('GET /{merchant_id}/export/movements', { merchant_id, query: { mode, ...times } }).address,
  }
}

export function MovementsExport({ shown }: { shown: { created_from?: string; created_before?: string } }) {
  const { may } = useHere()
  const movements = useMovements()
  if (!may('export_transactions')) return null
  return <ExportButton title={movements.name} kinds={[movements]} shown={shown} />
}
