// A session as the model of histories knows it: its attempts, what became of them, and the hold of the one that is held.

export type Phase =
  /** Authenticating, or ready to be confirmed. */
  | 'ready'
  | 'superseded'
  | 'charging'
  | 'captured'
  | 'held'
  | 'declined'
  /** Declined, and the session closed by it. */
  | 'closed'
  | 'failed'

export type HoldStatus = 'pending_review' | 'escalated' | 'captured' | 'voided'
export type Decision = 'capture' | 'void'

export type Hold = { status: HoldStatus; deciding: Decision | null }

/** Ids are null until an answer has told them. */
export type Attempt = {
  id: string | null
  card: string
  payment_id: string | null
  phase: Phase
  /** Of one that is held. */
  hold: Hold | null
}

export type State = { is_created: boolean; attempts: readonly Attempt[] }

export const initial: State = { is_created: false, attempts: [] }

export const attempts_max = 3

export type SessionStatus = 'requires_payment' | 'processing' | 'succeeded' | 'declined'

export function newestOf({ attempts }: State): Attempt | null {
  return attempts.at(-1) ?? null
}

export function statusOf(state: State): SessionStatus {
  const phase = newestOf(state)?.phase
  if (phase === 'charging') return 'processing'
  if (phase === 'captured' || phase === 'held') return 'succeeded'
  return isClosed(state) ? 'declined' : 'requires_payment'
}

/** No attempt is left: three are used up, or a decline closed the session. */
export function isClosed(state: State): boolean {
  const phase = newestOf(state)?.phase
  const is_last = state.attempts.length === attempts_max
  return phase === 'closed' || (is_last && (phase === 'declined' || phase === 'failed'))
}

/** It was confirmed, whatever came of that. */
export function isCharged({ phase }: Attempt): boolean {
  return phase !== 'ready' && phase !== 'superseded'
}

/** The newest attempt that was ever charged. */
export function chargedOf({ attempts }: State): Attempt | null {
  return attempts.findLast(isCharged) ?? null
}

export function isWaiting(hold: Hold): boolean {
  return hold.status === 'pending_review' || hold.status === 'escalated'
}

/** What the payment of an attempt reads as. */
export function paymentStatusOf({ phase, hold }: Attempt): string {
  if (phase === 'charging') return 'pending'
  if (phase === 'closed') return 'declined'
  return hold && !isWaiting(hold) ? hold.status : phase
}

/** The state with one attempt changed. */
export function withAttempt(state: State, at: number, changed: Partial<Attempt>): State {
  const attempts = state.attempts.map((attempt, index) => (index === at ? { ...attempt, ...changed } : attempt))
  return { ...state, attempts }
}

/** The state with another attempt, which supersedes the one before. */
export function opened(state: State, card: string): State {
  const before = state.attempts.map(
    (attempt): Attempt => (attempt.phase === 'ready' ? { ...attempt, phase: 'superseded' } : attempt),
  )
  const attempt: Attempt = { id: null, card, payment_id: null, phase: 'ready', hold: null }
  return { ...state, attempts: [...before, attempt] }
}

export function keyOf({ is_created, attempts }: State): string {
  if (!is_created) return 'not created'
  const told = attempts.map(({ id, card, payment_id, phase, hold }) => {
    const held = hold ? `/${hold.status}${hold.deciding ? `/${hold.deciding} under way` : ''}` : ''
    return `${id ?? `card ${card}`} ${phase}${held} ${payment_id ?? ''}`.trim()
  })
  return `[${told.join(', ')}]`
}
