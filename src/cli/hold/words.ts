// Describes a hold in plain words: what the rules will do, what the acquirer refused, and what it has not answered.

import { type Hold, isWaiting, type OperationRefusal, ruleAt } from '../../checkout/hold.ts'
import type { Operation } from '../../checkout/operation.ts'
import { oneLine, shortTime } from '../terminal/print.ts'

/** What the merchant's rules will do next with a waiting hold, if they will do something before the deadline. */
export function ruleWords(hold: Hold): string | null {
  const { at_deadline, deadline, rules_at, rule_refusals } = hold
  if (!isWaiting(hold) || rules_at === null) return null
  const at = shortTime(rules_at)
  if (rules_at > deadline) {
    return `the rules ${at_deadline} it${rule_refusals > 0 ? ' again' : ''} at ${at}`
  }
  switch (ruleAt(hold, rules_at)) {
    case 'escalate':
      return `escalates at ${at}`
    case 'capture':
      return hold.is_below_limit && rules_at < deadline
        ? `the rules capture it at ${at}: its amount is below their limit`
        : null
    default:
      return null
  }
}

const reason_max = 56

export function refusalWords({ kind, reason, decline_code, at }: OperationRefusal): string {
  const said = `${reason}${decline_code === null ? '' : ` (${decline_code})`}`
  return `the acquirer refused to ${kind} it at ${shortTime(at)}: ${oneLine(said, reason_max)}`
}

/** A capture or void of a hold that has no answer yet. */
export type OpenOperation = Pick<Operation, 'kind' | 'asked_by' | 'sent_at' | 'state'>

/** `settlement` is the session's, which is set if the answer counts as lost. */
export function operationWords({ kind, asked_by, sent_at, state }: OpenOperation, settlement: string | null): string {
  const what = `${kind} by ${asked_by === 'rules' ? 'the rules' : 'the merchant'}`
  const since = shortTime(sent_at)
  if (state === 'accepted') {
    return `a ${what} of ${since} was accepted: the acquirer carries it out or refuses it later`
  }
  return settlement === null
    ? `a ${what} is under way since ${since}`
    : `a ${what} is not answered since ${since}: see ripper reconcile show`
}

export function decisionWords({ status, decided_by, decided_at }: Hold): string | null {
  if (decided_by === null || decided_at === null) return null
  const who = decided_by === 'rules' ? 'the rules' : 'the merchant'
  return `${status} by ${who} at ${shortTime(decided_at)}`
}
