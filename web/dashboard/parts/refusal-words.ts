// What a refusal means, in the words of the page's language.

import type { Refused } from '../client/refused.ts'
import { say, sayKnown } from '../words.ts'
import { amountExample } from './amount-example.ts'

/** The rule that a field breaks, else what the field takes, else our words for the code. */
export function refusalWords(refused: Refused): string {
  const { code, retry_after } = refused
  if (code === 'too_many_attempts' && retry_after !== null) {
    return say('refusal_wait', { minutes: Math.max(1, Math.ceil(retry_after / 60)) })
  }
  return knownWords(refused) ?? say('refusal_invalid_request')
}

/** Null where only the service's own sentence says what is wrong. */
export function knownWords(refused: Refused): string | null {
  const { code, fault } = refused
  const by_rule = fault && sayKnown('fault', fault, valuesOf(refused))
  const by_field = fieldWords(refused)
  // A bound of figures is in the units of the service, and the field's may be others.
  const is_of_figures = fault === 'too_small' || fault === 'too_big'
  const of_fault = is_of_figures ? (by_field ?? by_rule) : (by_rule ?? by_field)
  return of_fault || (code === 'invalid_request' ? null : sayKnown('refusal', code))
}

function valuesOf({ bound, members }: Refused): Record<string, string | number> {
  const { acquirers, known_id } = members
  return {
    ...(bound !== null && { bound }),
    ...(typeof acquirers === 'string' && { acquirers }),
    ...(typeof known_id === 'string' && { known_id }),
    example: amountExample(null),
  }
}

/** Of `credentials.api_key` those of the whole name, else those of `credentials`; places in lists count for nothing. */
function fieldWords({ field }: Refused): string | null {
  if (field === null) return null
  const parts = field.replace(/\[\d+\]/g, '').split('.')
  return sayKnown('fault_at', parts.join('_')) ?? sayKnown('fault_at', parts[0]!)
}
