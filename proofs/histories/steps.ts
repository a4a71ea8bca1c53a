// What may happen to a session though no answer says so: charges begin and end, answers come late, rules decide.

import {
  attempts_max,
  type Decision,
  type Hold,
  isCharged,
  isWaiting,
  keyOf,
  newestOf,
  opened,
  type Phase,
  type State,
  statusOf,
  withAttempt,
} from './state.ts'

/** Calls that may be taking effect, and what a merchant's rules may have done by now. */
export type Possible = {
  /** So many charges may have begun; 0 while nobody is confirming. */
  charges_max: number
  /** Cards that somebody is authenticating and was told nothing of. */
  cards: string[]
  /** Decisions that were asked for, of a payment each. */
  decisions: { kind: Decision; payment_id: string }[]
  /** What the rules may do by themselves. */
  rules: (Decision | 'escalate')[]
}

/** All states that may come of one by such steps, itself the first. */
export function reachable(from: State, possible: Possible): State[] {
  const known = new Map([[keyOf(from), from]])
  for (const state of known.values()) {
    for (const next of stepsFrom(state, possible)) {
      const key = keyOf(next)
      if (!known.has(key)) known.set(key, next)
    }
  }
  return [...known.values()]
}

function stepsFrom(state: State, possible: Possible): State[] {
  if (!state.is_created) return []
  return [...chargeSteps(state, possible), ...cardSteps(state, possible), ...holdSteps(state, possible)]
}

const outcomes: Phase[] = ['captured', 'declined', 'closed', 'failed']

function chargeSteps(state: State, { charges_max }: Possible): State[] {
  const newest = newestOf(state)
  const at = state.attempts.length - 1
  if (newest?.phase === 'ready') {
    const may_begin = state.attempts.filter(isCharged).length < charges_max
    return may_begin ? [withAttempt(state, at, { phase: 'charging' })] : []
  }
  if (newest?.phase !== 'charging') return []
  const hold: Hold = { status: 'pending_review', deciding: null }
  return [
    ...outcomes.map((phase) => withAttempt(state, at, { phase })),
    withAttempt(state, at, { phase: 'held', hold }),
  ]
}

/** An attempt of which nobody was told, or that was taken back since no Directory Server could be asked. */
function cardSteps(state: State, { cards }: Possible): State[] {
  const newest = newestOf(state)
  const is_open = statusOf(state) === 'requires_payment' && state.attempts.length < attempts_max
  const unknown = cards.filter((card) => !state.attempts.some((attempt) => attempt.card === card))
  const is_withdrawn = newest?.phase === 'ready' && cards.includes(newest.card)
  return [
    ...(is_open ? unknown.map((card) => opened(state, card)) : []),
    ...(is_withdrawn ? [{ ...state, attempts: state.attempts.slice(0, -1) }] : []),
  ]
}

function holdSteps(state: State, { decisions, rules }: Possible): State[] {
  const at = state.attempts.findIndex(({ hold }) => hold !== null && isWaiting(hold))
  if (at < 0) return []
  const { hold: found, payment_id } = state.attempts[at]!
  const hold = found!
  const become = (next: Partial<Hold>) => withAttempt(state, at, { hold: { ...hold, ...next } })
  const escalated =
    hold.status === 'pending_review' && rules.includes('escalate') ? [become({ status: 'escalated' })] : []
  if (hold.deciding !== null) {
    const status = hold.deciding === 'capture' ? 'captured' : 'voided'
    // Done, or refused by the acquirer, which leaves it open.
    return [...escalated, become({ status, deciding: null }), become({ deciding: null })]
  }
  const asked = decisions.filter((each) => payment_id === null || each.payment_id === payment_id)
  const kinds = new Set([...asked.map(({ kind }) => kind), ...rules])
  const begun = [...kinds].filter((kind) => kind !== 'escalate')
  return [...escalated, ...begun.map((deciding) => become({ deciding }))]
}
