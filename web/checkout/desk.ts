// One mounted checkout: what its steps share.

import { formatAmount } from '../shared/money.ts'
import { say, type Words } from '../shared/words.ts'
import type { CheckoutEvents, CheckoutOptions, ConfirmResult } from './api.ts'
import type { DropIn } from './drop-in.ts'
import type { EmailField } from './email.ts'
import type { CardFrame } from './frame.ts'
import type { Session } from './session.ts'
import type { State } from './wire.ts'

export type Desk = {
  readonly options: CheckoutOptions
  readonly frame: CardFrame
  readonly ui: DropIn
  /** Aborted by unmount. */
  readonly signal: AbortSignal
  emit<Name extends keyof CheckoutEvents>(name: Name, event: CheckoutEvents[Name]): void
  words: Words
  locale: string
  /** Set, with what follows, before anything is drawn that can be paid with. */
  session: Session
  /** As read last. */
  state: State
  /** When the session ends, by performance.now(). */
  deadline_ms: number
  /** Where the session has none. */
  email: EmailField | undefined
  stage: 'loading' | 'form' | 'processing' | 'over'
  /** The payment under way; a second click joins it. */
  running: Promise<ConfirmResult> | undefined
  /** What a checkout that is over, or is waiting for its outcome, answers. */
  result: ConfirmResult | undefined
}

export function text(desk: Desk, key: string, values?: Record<string, string>): string {
  return say(desk.words, key, values)
}

export function amountOf({ state, locale }: Desk): string {
  return formatAmount(state.session.amount, state.session.currency, locale)
}

export function keepState(desk: Desk, state: State): State {
  desk.deadline_ms = performance.now() + state.session.expires_in_seconds * 1000
  desk.state = state
  return state
}

export async function readState(desk: Desk): Promise<State> {
  return keepState(desk, await desk.session.ask<State>('state'))
}

/** A result that the service did not give, or has not yet. */
export function resultOf(desk: Desk, status: ConfirmResult['status']): ConfirmResult {
  const { id, last_decline, attempts_left, order_reference } = desk.state.session
  return {
    status,
    session_id: id,
    payment_id: null,
    decline: status === 'declined' ? last_decline : null,
    attempts_left,
    order_reference,
    confirmation_url: null,
  }
}
