// A change of the journal in words: by its own name, else as a step of the call to the acquirer that it belongs to.

import { say, sayCode, type WordKey } from '../words.ts'

/**
 * `change` such as `payment.captured` or `refund.unanswered`. A stranger is said as the service has it. With its detail it says what a
 * person settled by hand, and how they know.
 */
export function changeWords(change: string, detail: Record<string, unknown> = {}): string {
  return [plainWords(change, detail), ...handWords(detail)].join(' · ')
}

/** That a person said what became of a call to the acquirer, and how they know; empty for an answer of the acquirer itself. */
export function handWords({ resolved_as, settled_as, reason }: Record<string, unknown>): string[] {
  return (resolved_as || settled_as) && typeof reason === 'string' ? [say('by_hand'), reason] : []
}

function plainWords(change: string, detail: Record<string, unknown>): string {
  const [kind = '', step = ''] = change.split('.')
  const key = steps[step]
  if (key && kinds.includes(kind)) return say(key, { what: sayCode('operation', kind) })
  if (kind === 'export' && detail.of === 'movements') return sayCode('movements_export', step)
  if (kind === 'export' && detail.of === 'payouts') return sayCode('payouts_export', step)
  return sayCode('change', change)
}

const kinds = ['charge', 'authorise', 'capture', 'void', 'refund', 'reverse']

const steps: Record<string, WordKey> = {
  unanswered: 'step_of_unanswered',
  accepted: 'step_of_accepted',
  approved: 'step_of_approved',
  refused: 'step_of_refused',
  sent_again: 'step_of_sent_again',
}

/** Those that are put together of a kind and a step. */
export const operation_changes = kinds.flatMap((kind) => Object.keys(steps).map((step) => `${kind}.${step}`))
