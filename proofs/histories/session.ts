// The model of a session's history: what each answer says of how the session stood at one moment between its begin and end.

import type { Model, Moment, TimedCall } from './search.ts'
import {
  type Attempt,
  attempts_max,
  chargedOf,
  type Decision,
  initial,
  isClosed,
  isWaiting,
  keyOf,
  newestOf,
  opened,
  paymentStatusOf,
  type State,
  statusOf,
  withAttempt,
} from './state.ts'
import { type Possible, reachable } from './steps.ts'

/** A confirm answer, as confirm gives it and as `/state` repeats it. */
export type Result = {
  status: string
  payment_id: string
  attempt: { id: string; number: number }
  attempts_left: number
}

/** What came back: good answers by what was asked, and refusals by their code. Null where nothing usable did. */
export type CallAnswer<Good> = { good: Good } | { refused: string } | null

export type SessionCall =
  | { what: 'create'; told: CallAnswer<object> }
  | { what: 'authenticate'; card: string; told: CallAnswer<{ id: string; number: number }> }
  | { what: 'confirm'; told: CallAnswer<Result> }
  | { what: 'read_state'; told: CallAnswer<StateRead> }
  | { what: 'read_session'; told: CallAnswer<SessionRead> }
  | { what: 'read_payment'; payment_id: string; told: CallAnswer<{ status: string }> }
  | {
      what: 'decide'
      kind: Decision
      payment_id: string
      told: CallAnswer<{ status: string; replayed: boolean }>
    }
  /** Whatever else a shopper asks; only its refusal says something. */
  | { what: 'other'; told: CallAnswer<object> }

export type StateRead = {
  status: string
  attempt_count: number
  settlement: string | null
  attempt: { id: string; number: number } | null
  result: Result | null
}

export type SessionRead = {
  status: string
  attempt_count: number
  settlement: string | null
  payment_id: string | null
  hold_status: string | null
}

export type Call = TimedCall & SessionCall & { client: string }

/** From when on the rules of the session's merchant may do something to its hold; null for never. */
export type Rules = Record<Decision | 'escalate', number | null>

export const noRules: Rules = { capture: null, void: null, escalate: null }

export function sessionModel(rules: Rules): Model<State, Call> {
  return {
    initial,
    keyOf,
    changes: ({ what, told }) =>
      what === 'create' ||
      ((what === 'authenticate' || what === 'confirm' || what === 'decide') &&
        !(told && 'refused' in told && isHarmless(told.refused))),
    after: (state, call, moment) => reachable(state, possibleAt(moment, rules)).flatMap((each) => agreeing(each, call)),
    tell: ({ client, end_ms: _end, begin_ms: _begin, ...asked }) => `${client}: ${JSON.stringify(asked)}`,
  }
}

/** Refusals after which nothing was begun. A refused capture or void was begun, and its refusal is what it came to. */
function isHarmless(code: string): boolean {
  return code !== 'operation_refused'
}

const isConfirm = ({ what }: Call) => what === 'confirm'

function possibleAt({ causes, begun, by_ms }: Moment<Call>, rules: Rules): Possible {
  const kinds = ['capture', 'void', 'escalate'] as const
  return {
    // Each confirm charges once at most.
    charges_max: causes.some(isConfirm) ? begun.filter(isConfirm).length : 0,
    cards: causes.flatMap((call) => (call.what === 'authenticate' && call.told === null ? [call.card] : [])),
    decisions: causes.filter((call) => call.what === 'decide'),
    rules: kinds.filter((kind) => rules[kind] !== null && rules[kind] <= by_ms),
  }
}

/** The state, made fuller by what the answer says; nothing where the answer does not fit it. */
function agreeing(state: State, call: Call): State[] {
  const { told } = call
  if (told === null) return []
  if ('refused' in told) return fitsRefusal(state, call, told.refused) ? [state] : []
  if (call.what === 'create') return [{ ...state, is_created: true }]
  if (!state.is_created) return []
  switch (call.what) {
    case 'authenticate':
      return fitAuthenticated(state, call.card, told.good as { id: string; number: number })
    case 'confirm':
      return fitResult(state, told.good as Result)
    case 'read_state':
      return fitState(state, told.good as StateRead)
    case 'read_session':
      return fitSession(state, told.good as SessionRead)
    case 'read_payment':
      return fitPayment(state, call.payment_id, told.good as { status: string })
    case 'decide':
      return fitDecision(state, call.payment_id, told.good as { status: string; replayed: boolean })
    case 'other':
      return [state]
  }
}

function fitsRefusal(state: State, call: Call, code: string): boolean {
  const status = statusOf(state)
  const newest = newestOf(state)
  if (code === 'resource_not_found' && call.what === 'read_payment') {
    return !state.attempts.some(({ payment_id }) => payment_id === call.payment_id)
  }
  switch (code) {
    case 'unauthorized':
      return !state.is_created
    case 'resource_not_found':
      return call.what !== 'read_session' || !state.is_created
    case 'session_completed':
      return status === 'succeeded'
    case 'session_processing':
      return status === 'processing'
    case 'session_declined':
      return status === 'declined' && state.attempts.length < attempts_max
    case 'attempts_exhausted':
      return state.attempts.length === attempts_max
    // Whose clock says so is not the history's affair.
    case 'session_expired':
      return status === 'requires_payment'
    case 'authentication_incomplete':
      return newest === null || newest.phase === 'ready' || newest.phase === 'superseded'
    case 'hold_already_decided':
      return state.attempts.some(({ hold }) => hold && (!isWaiting(hold) || hold.deciding !== null))
    case 'operation_refused':
      return state.attempts.some(({ hold }) => hold !== null)
    default:
      return true
  }
}

function fitAuthenticated(state: State, card: string, told: { id: string; number: number }): State[] {
  if (statusOf(state) !== 'requires_payment') return []
  const known = state.attempts.some((attempt) => attempt.card === card)
  if (!known && state.attempts.length === attempts_max) return []
  const open = known ? state : opened(state, card)
  const at = open.attempts.findIndex((attempt) => attempt.card === card)
  return told.number === at + 1 ? named(open, at, { id: told.id }) : []
}

function fitResult(state: State, { status, payment_id, attempt, attempts_left }: Result): State[] {
  const newest = newestOf(state)
  const at = state.attempts.length - 1
  if (!newest || attempt.number !== at + 1) return []
  const left = isClosed(state) ? 0 : attempts_max - state.attempts.length
  if (resultOf(newest) !== status || attempts_left !== left) return []
  return named(state, at, { id: attempt.id, payment_id })
}

function resultOf({ phase }: Attempt): string | null {
  if (phase === 'ready' || phase === 'superseded') return null
  if (phase === 'charging') return 'processing'
  return phase === 'closed' ? 'declined' : phase
}

function fitState(state: State, read: StateRead): State[] {
  const newest = newestOf(state)
  const { status, attempt_count, settlement, attempt, result } = read
  if (!fitsStatus(state, status) || attempt_count !== state.attempts.length) return []
  if (settlement !== null && !mayWait(state)) return []
  if (!newest || !attempt) return newest === null && attempt === null ? [state] : []
  if (attempt.number !== attempt_count) return []
  const found = named(state, attempt_count - 1, { id: attempt.id })
  if (result) return found.flatMap((each) => fitResult(each, result))
  return resultOf(newest) === null ? found : []
}

function fitSession(state: State, read: SessionRead): State[] {
  const { status, attempt_count, settlement, payment_id, hold_status } = read
  if (!fitsStatus(state, status) || attempt_count !== state.attempts.length) return []
  if (settlement !== null && !mayWait(state)) return []
  const charged = chargedOf(state)
  if ((charged?.hold?.status ?? null) !== hold_status) return []
  if (!charged || payment_id === null) return charged === null && payment_id === null ? [state] : []
  return named(state, state.attempts.indexOf(charged), { payment_id })
}

function fitsStatus(state: State, status: string): boolean {
  return statusOf(state) === (status === 'expired' ? 'requires_payment' : status)
}

/** Something is under way of which the answer may be missing. */
function mayWait(state: State): boolean {
  const newest = newestOf(state)
  return newest?.phase === 'charging' || (newest?.hold?.deciding ?? null) !== null
}

function fitPayment(state: State, payment_id: string, { status }: { status: string }): State[] {
  return state.attempts.flatMap((attempt, at) => {
    if (resultOf(attempt) === null || paymentStatusOf(attempt) !== status) return []
    return named(state, at, { payment_id })
  })
}

/** A replay repeats what was answered once: of that only the end of a hold is still true. */
function fitDecision(
  state: State,
  payment_id: string,
  { status, replayed }: { status: string; replayed: boolean },
): State[] {
  if (replayed && status === 'held') return [state]
  return fitPayment(state, payment_id, { status })
}

/** The attempt bears these ids from now on; nothing where it, or another, bears others. */
function named(state: State, at: number, ids: Partial<Pick<Attempt, 'id' | 'payment_id'>>): State[] {
  const fits = (['id', 'payment_id'] as const).every((name) => {
    const told = ids[name]
    if (told === undefined) return true
    return state.attempts.every((attempt, index) =>
      index === at ? attempt[name] === null || attempt[name] === told : attempt[name] !== told,
    )
  })
  return fits ? [withAttempt(state, at, ids)] : []
}
